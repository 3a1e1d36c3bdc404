import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Finding, ProfilerError, shellLine } from '../../model/index.js';
import { startExec } from '../docker/exec.js';
import type { Container } from '../docker/container.js';
import type { Engine } from '../docker/engine.js';
import type { Journal } from '../journal/journal.js';
import { PROC, readProcLink } from '../proc/file.js';
import { readEnvironment } from '../proc/environment.js';
import { innerUser } from '../proc/id-map.js';
import { execRun } from '../routes/exec-run.js';
import { engineProcess, type EngineRun } from '../routes/engine-process.js';
import { innerPythons } from '../routes/inner-python.js';
import { startLocal } from '../routes/local-process.js';
import { isRoot, sharesNamespace } from '../routes/namespaces.js';
import type { RoutedProcess } from '../routes/route.js';
import { journalProcess, type Life } from '../routes/running.js';
import { samplerEnvironment } from '../routes/sampler-environment.js';
import type { Target } from '../target.js';
import { readInside } from './inner-environment.js';
import { emptied, HEARING, notHeard, ROS_NAMES, rosEnvironment } from './ros-environment.js';
import { killInside } from './kill-inside.js';

export interface ClockProbeRequest {
  readonly target: Target;
  /** Where the target lives in a container that an engine knows. */
  readonly engine?: Engine;
  readonly container?: Container;
  readonly journal: Journal;
  /** Of the window, which begins with the first message. */
  readonly seconds: number;
  /** To wait for the first message. */
  readonly patienceS: number;
  readonly mostMessages: number;
}

/** How the probe gets to where the target hears and speaks: beside it, inside its container, or into its namespaces. */
export type ClockWay = 'direct' | 'exec' | 'nsenter';

export interface ClockProbe {
  readonly way: ClockWay;
  /** The Python that runs it, as it is called there. */
  readonly python: string;
  /** The settings of the target that decide whom it hears; undefined where they may not be read. */
  readonly hearing: Readonly<Record<string, string>> | undefined;
  readonly findings: readonly Finding[];
  /** Starts it. Its standard output is what `clock_probe.py` says; it ends by itself. Never throws. */
  readonly start: () => RoutedProcess;
}

/**
 * One subscriber to `/clock` for the whole window, in the network and with the settings of the target: a small Python of ours, handed over
 * as an argument, so that no file is left. Throws ProfilerError `clock-no-way`.
 */
export async function clockProbe(request: ClockProbeRequest): Promise<ClockProbe> {
  const { target } = request;
  const way = wayTo(request);
  const environment = await environmentOf(request);
  const settings = environment === undefined ? {} : rosEnvironment(environment);
  const python = pythonOf(request);
  return {
    way,
    python,
    hearing:
      environment === undefined
        ? undefined
        : Object.fromEntries(Object.entries(settings).filter(([name]) => HEARING.includes(name))),
    findings: environment === undefined ? [unreadable(target)] : [],
    start: () => {
      const name = `sim-profiler-clock-${randomBytes(6).toString('hex')}`;
      const without = environment === undefined ? [] : notHeard(environment);
      const more = [without.join(','), way === 'exec' ? 'held' : 'free', name];
      const command = [python, '-B', '-c', probeText(), ...argumentsOf(request), ...more];
      if (way === 'exec') {
        const env = environment === undefined ? {} : { ...settings, ...emptied(environment) };
        return inContainer(request, { command, name, env });
      }
      const argv = way === 'nsenter' ? joined(target, command) : asUser(target, command);
      return startLocal({ argv, forks: way === 'nsenter', env: settings }, request.journal);
    },
  };
}

/** What the target was started with; undefined where neither this machine nor its container tells. */
async function environmentOf(request: ClockProbeRequest): Promise<ReadonlyMap<string, string> | undefined> {
  const { target, engine, container } = request;
  const seen = target.elsewhere === undefined ? readEnvironment(target.pid) : undefined;
  if (seen !== undefined || engine === undefined || container === undefined) return seen;
  return readInside({ target, engine, container, ...userOf(target) }, ROS_NAMES);
}

/** Which user it is where an engine is elsewhere is not known: that of the container itself then. */
function userOf(target: Target): { readonly user?: string } {
  if (target.elsewhere !== undefined) return {};
  const { uid, gid } = innerUser(target);
  return { user: `${uid}:${gid}` };
}

function probeText(): string {
  return readFileSync(fileURLToPath(new URL('clock_probe.py', import.meta.url)), 'utf8');
}

function argumentsOf({ seconds, patienceS, mostMessages }: ClockProbeRequest): readonly string[] {
  return [String(seconds), String(patienceS), String(mostMessages), HEARING.join(',')];
}

/**
 * The target's own Python, by the name that it was started with: that of a virtual environment leads to its packages, and the program
 * that it links to does not. A bare name is looked up in the PATH of the target.
 */
function pythonOf({ target }: ClockProbeRequest): string {
  const [first = ''] = target.command;
  if (target.runtime !== 'python' || !/^(?:.*\/)?python[\d.]*$/.test(first))
    return innerPythons({ target })[0] ?? 'python3';
  if (!first.includes('/') || isAbsolute(first)) return first;
  const cwd = readProcLink(PROC, String(target.pid), 'cwd');
  return cwd === undefined ? (innerPythons({ target })[0] ?? 'python3') : join(cwd, first);
}

function wayTo({ target, engine, container }: ClockProbeRequest): ClockWay {
  if (engine !== undefined && container !== undefined) return 'exec';
  const isBeside =
    target.elsewhere === undefined &&
    sharesNamespace('mnt', target) !== false &&
    sharesNamespace('net', target) !== false;
  if (isBeside) return 'direct';
  if (isRoot() && target.elsewhere === undefined) return 'nsenter';
  throw new ProfilerError({
    id: 'clock-no-way',
    what: `Process ${target.pid} lives in namespaces of its own, and no engine here knows its container.`,
    why: 'The subscriber has to be in its network; only root joins that.',
    fix: `sudo profiler rtf --clock --pid ${target.pid}`,
  });
}

/** As the target's own user: shared memory of a middleware is that user's alone. */
function asUser({ uid, gid }: Target, command: readonly string[]): readonly string[] {
  if (!isRoot() || (uid === 0 && gid === 0)) return command;
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--', ...command];
}

function joined(target: Target, command: readonly string[]): readonly string[] {
  const { uid, gid } = target;
  const user = ['-S', String(uid), '-G', String(gid)];
  return ['nsenter', '-t', String(target.pid), '-m', '-n', '-i', '-u', '-p', ...user, '--', ...command];
}

interface Subscriber {
  readonly command: readonly string[];
  /** Its last argument, which no other process has. */
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
}

function inContainer(
  { target, engine, container, journal }: ClockProbeRequest,
  { command, name, env }: Subscriber,
): RoutedProcess {
  let forget: (() => void) | undefined;
  const onLife = (life: Life): void => {
    forget = journalProcess(journal, life);
  };
  const begin = async (): Promise<EngineRun> => {
    if (engine === undefined || container === undefined) throw new TypeError('no container');
    const user = userOf(target);
    // No signal of ours reaches it where we are neither root nor its user, and none where we are killed: the end of its input does.
    const started = await startExec(engine, container.id, {
      command,
      env: { ...env, ...samplerEnvironment() },
      holdsInput: true,
      ...user,
    });
    return execRun(started, container.id, onLife, async (stop) => {
      if (stop === 'SIGINT') started.endInput();
      else await killInside({ target, engine, container, name, ...user });
    });
  };
  return engineProcess(begin, async () => forget?.());
}

function unreadable(target: Target): Finding {
  return {
    level: 'warning',
    id: 'clock-settings-unknown',
    what: `The ROS settings of ${target.elsewhere === undefined ? `process ${target.pid}` : 'the target'} could not be read.`,
    why: 'The subscriber has those that it was given itself: with another domain or middleware it hears nothing, or another simulation.',
    ...(target.elsewhere === undefined
      ? { fix: shellLine(['sudo', 'profiler', 'rtf', '--clock', '--pid', String(target.pid)]) }
      : {}),
  };
}
