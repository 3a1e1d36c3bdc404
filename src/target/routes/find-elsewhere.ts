import { ProfilerError, shellLine } from '../../model/index.js';
import type { Container } from '../docker/container.js';
import { changedError, containerNow } from '../docker/container-now.js';
import type { Engine } from '../docker/engine.js';
import type { Journal } from '../journal/journal.js';
import { compilePattern } from '../match.js';
import { simulatorIn } from '../simulators.js';
import { NOT_HERE, type Target } from '../target.js';
import { wrapperReason } from '../wrappers.js';
import { explainEngine } from './engine-refusal.js';
import { type PythonElsewhere, pythonsIn } from './pythons-elsewhere.js';
import type { RouteContext } from './route.js';
import { openSidecar } from './sidecar.js';
import { KILLED_MS, within } from './within.js';

export interface ElsewhereQuery {
  readonly engine: Engine;
  readonly container: Container;
  readonly pyspy: { readonly path: string; readonly version: string };
  readonly journal: Journal;
  /** Regular expression for the command line. */
  readonly match?: string;
  /** Ends the search: everything is taken back, then its reason is thrown. */
  readonly signal: AbortSignal;
}

const SHORT_ID = 12;
const SHOWN = 10;
const PATIENCE_MS = 30_000;
const SAID_KEPT = 16_384;
/** Every Python below the container's first process, once a twentieth of a second. */
const LOOK = '--pid 1 --subprocesses --idle --nonblocking --threads --full-filenames -f raw -r 20 -d 1'.split(
  ' ',
);

/**
 * The process to profile in a container whose processes this machine does not show: a sidecar looks for a second which Pythons run in
 * its pid namespace. Throws `ProfilerError`: `container-not-local` where it has no pid namespace of its own, `container-no-python`,
 * `match-ambiguous`, `no-match`, `match-invalid` (2, wrong usage), and what keeps a sidecar from running.
 */
export async function findElsewhere(query: ElsewhereQuery): Promise<Target> {
  const { container, match } = query;
  const regex = match === undefined ? undefined : compilePattern(match);
  if (container.pidMode !== '') throw sharesPids(container);
  const all = pythonsIn(await lookAround(query));
  const real = all.filter(({ command }) => wrapperReason(command, undefined) === undefined);
  const fitting = real.filter(({ command }) => regex?.test(command.join(' ')) !== false);
  const simulators = fitting.filter(isSimulator);
  const candidates = simulators.length > 0 && match === undefined ? simulators : fitting;
  const [only] = candidates;
  if (only === undefined) throw match === undefined ? noPython(container) : noMatch(container, match, real);
  if (candidates.length > 1) throw ambiguous(container, candidates);
  const passedOver = all.flatMap((one) =>
    one === only
      ? []
      : [
          {
            pid: one.pid,
            command: one.command,
            because: wrapperReason(one.command, undefined) ?? 'no simulator found in it',
          },
        ],
  );
  const chosenBecause =
    match === undefined
      ? `a Python process${isSimulator(only) ? ' of a simulator' : ''}, found from inside the container`
      : `the only Python process of container ${container.name} whose command line matches /${match}/`;
  return { ...unknownTarget(query, only.pid), command: only.command, chosenBecause, passedOver };
}

function isSimulator({ command, files }: PythonElsewhere): boolean {
  const seen = files.map((path) => ({ path }));
  return simulatorIn(command, seen) !== undefined;
}

function unknownTarget({ engine, container }: ElsewhereQuery, nsPid: number): Target {
  return {
    pid: NOT_HERE,
    nsPid,
    startTicks: 0,
    command: [],
    runtime: 'python',
    uid: 0,
    gid: 0,
    elsewhere: engine.host,
    container: container.id.slice(0, SHORT_ID),
    containerName: container.name,
    passedOver: [],
  };
}

/** What py-spy prints of every Python there. */
async function lookAround(query: ElsewhereQuery): Promise<string> {
  const { engine, container, pyspy, journal, signal } = query;
  const target = unknownTarget(query, 1);
  const context: RouteContext = { target, pyspy, native: false, engine, container, journal, priority: [] };
  const route = await openSidecar(context, engine, container);
  try {
    const child = route.start(['record', ...LOOK, '-o', '/dev/stderr']);
    let samples = '';
    let talk = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (samples += chunk));
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (talk = (talk + chunk).slice(-SAID_KEPT)));
    if (signal.aborted) child.kill();
    signal.addEventListener('abort', child.kill);
    const inTime = await within(PATIENCE_MS, child.exit).finally(() =>
      signal.removeEventListener('abort', child.kill),
    );
    signal.throwIfAborted();
    if (inTime === undefined) child.kill();
    const exit = inTime ?? (await within(KILLED_MS, child.exit)) ?? 'unresponsive';
    if (exit === 0) return samples;
    const changed = changedError(await containerNow(engine, container), container);
    if (changed !== undefined) throw changed;
    if (/no python processes found/i.test(samples)) return '';
    const said = samples === '' ? talk : samples.slice(-SAID_KEPT);
    const { level: _, ...finding } = explainEngine('sidecar', context, { works: false, said, exit });
    throw new ProfilerError(finding);
  } finally {
    await route.undo();
  }
}

function sharesPids({ name, pidMode }: Container): ProfilerError {
  return new ProfilerError({
    id: 'container-not-local',
    what: `Container ${name} is not on this machine, and shares the pid namespace of ${
      pidMode === 'host' ? 'its host' : 'another container'
    }.`,
    why: 'Which of the processes there are its own cannot be told from here.',
    fix: `${shellLine(['profiler', 'attach', '--container', name])}  (on the machine of the engine)`,
  });
}

function noPython({ name }: Container): ProfilerError {
  return new ProfilerError({
    id: 'container-no-python',
    what: `No Python runs in container ${name}.`,
    why: 'The simulation has not started yet, has ended, or was started by docker exec: from another machine only what its first process started is found.',
    fix: shellLine(['docker', 'top', name]),
  });
}

function noMatch({ name }: Container, pattern: string, all: readonly PythonElsewhere[]): ProfilerError {
  return new ProfilerError({
    id: 'no-match',
    what: `No Python of container ${name} has a command line that matches /${pattern}/.`,
    ...(all.length === 0 ? {} : { list: all.slice(0, SHOWN).map(line) }),
    why: 'The simulation is not running, its command line reads otherwise, or docker exec started it: from another machine only what its first process started is found.',
    fix: shellLine(['docker', 'top', name]),
  });
}

function ambiguous({ name }: Container, candidates: readonly PythonElsewhere[]): ProfilerError {
  const rest = candidates.length - SHOWN;
  return new ProfilerError({
    id: 'match-ambiguous',
    what: `${candidates.length} processes of container ${name} could be the simulation.`,
    list: [...candidates.slice(0, SHOWN).map(line), ...(rest > 0 ? [`and ${rest} more`] : [])],
    why: 'Which of them is meant cannot be told.',
    fix: shellLine(['profiler', 'attach', '--container', name, '--match', 'REGEX']),
  });
}

function line({ pid, command }: PythonElsewhere): string {
  return `${pid} inside: ${command.join(' ')}`;
}
