import { ProfilerError, shellLine } from '../model/index.js';
import { containerProcesses, restarted, type ContainerProcesses } from './container-processes.js';
import type { Container } from './docker/container.js';
import { ambiguous, bothPids, cut, matchProcesses } from './match.js';
import { belongsToProfiler } from './own-processes.js';
import { likeliest, pickSimulation, type Choice } from './pick-simulation.js';
import { PROC } from './proc/file.js';
import { readStat } from './proc/stat.js';
import { readProcess, toTarget, type ProcessFacts } from './process.js';
import type { Target } from './target.js';

export interface ContainerQuery {
  /** Regular expression for the command line. */
  readonly match?: string;
  /** Our own process: neither it nor what started it is ever a target. */
  readonly selfPid: number;
  readonly proc?: string;
}

const SHOWN = 10;
const SHORT_ID = 12;

/**
 * The process to profile in a running container: found from outside through /proc, nothing is run inside. Throws `ProfilerError`:
 * `container-not-local`, `container-restarted`, `pid-hidden`, `container-no-python`, `match-ambiguous`, `no-match`, and `match-invalid`
 * (2, wrong usage).
 */
export function findInContainer(container: Container, query: ContainerQuery): Target {
  const proc = query.proc ?? PROC;
  const started = readStat(container.pid, proc)?.startTicks;
  const processes = containerProcesses(container, proc);
  const choice = choose(container, processes, query, proc);
  const how = foundBy(container, processes);
  const target = toTarget(
    choice.facts,
    { chosenBecause: `${choice.chosenBecause}${how}`, passedOver: choice.passedOver },
    proc,
  );
  // What was read in between may belong to a new life of the container, or to nobody.
  const isSame =
    readStat(container.pid, proc)?.startTicks === started &&
    readStat(target.pid, proc)?.startTicks === target.startTicks;
  if (!isSame) throw restarted(container);
  return { ...target, container: container.id.slice(0, SHORT_ID) };
}

/** Only said where the usual way was closed. */
function foundBy({ pidMode }: Container, { by }: ContainerProcesses): string {
  if (by === 'pid namespace') return '';
  if (by === 'other numbers')
    return ' (found by its control group: its engine counts in another pid namespace, or it was started anew)';
  if (pidMode === '') return ' (found by its control group: its pid namespace may not be read)';
  return ` (found by its control group: the container shares the pid namespace of ${
    pidMode === 'host' ? 'the host' : 'another container'
  })`;
}

function choose(
  container: Container,
  { pids }: ContainerProcesses,
  { match, selfPid }: ContainerQuery,
  proc: string,
): Choice {
  const { name } = container;
  if (match !== undefined) return matchProcesses(match, selfPid, proc, { pids, container: name });
  const all = pids
    .filter((pid) => pid !== selfPid && !belongsToProfiler(pid, proc))
    .flatMap((pid) => readProcess(pid, proc) ?? []);
  const candidates = likeliest(all);
  const [first] = candidates;
  if (first === undefined || first.runtime === 'native') throw noPython(container, all, proc);
  if (candidates.length > 1) {
    const kind = first.simulator === undefined ? 'Python' : first.simulator.name;
    throw ambiguous(
      `of container ${name} could be the simulation (${first.runtime === 'node' ? 'Node' : kind})`,
      candidates,
      proc,
      fixFor(name, candidates),
    );
  }
  const choice = pickSimulation(container.pid, all);
  if (choice === undefined) throw noPython(container, all, proc);
  return choice;
}

/** A pattern tells processes apart only where their command lines differ. */
function fixFor(name: string, candidates: readonly ProcessFacts[]): string {
  const commands = new Set(candidates.map(({ command }) => command.join('\0')));
  return commands.size === candidates.length
    ? shellLine(['profiler', 'attach', '--container', name, '--match', 'REGEX'])
    : 'profiler attach --pid PID';
}

function noPython({ name }: Container, all: readonly ProcessFacts[], proc: string): ProfilerError {
  const rest = all.length - SHOWN;
  return new ProfilerError({
    id: 'container-no-python',
    what: `No Python runs in container ${name}.`,
    list: [
      ...all.slice(0, SHOWN).map(({ stat, command }) => {
        return `${bothPids(stat.pid, proc)}: ${command.length === 0 ? stat.comm : cut(command.join(' '))}`;
      }),
      ...(rest > 0 ? [`and ${rest} more`] : []),
    ],
    why: 'The simulation has not started yet, has ended, or runs in another container.',
    fix: 'docker ps  (shows what else runs)',
  });
}
