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
import { journalProcess } from '../routes/running.js';
import { samplerEnvironment } from '../routes/sampler-environment.js';
import type { Target } from '../target.js';
import { HEARING, rosEnvironment } from './ros-environment.js';

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
export function clockProbe(request: ClockProbeRequest): ClockProbe {
  const { target } = request;
  const environment = target.elsewhere === undefined ? readEnvironment(target.pid) : undefined;
  const settings = environment === undefined ? {} : rosEnvironment(environment);
  const way = wayTo(request);
  return {
    way,
    hearing:
      environment === undefined
        ? undefined
        : Object.fromEntries(Object.entries(settings).filter(([name]) => HEARING.includes(name))),
    findings: environment === undefined ? [unreadable(target)] : [],
    start: () => {
      const command = [pythonOf(request), '-B', '-c', probeText(), ...argumentsOf(request)];
      if (way === 'exec') return inContainer(request, command, settings);
      const argv = way === 'nsenter' ? joined(target, command) : asUser(target, command);
      return startLocal({ argv, forks: way === 'nsenter', env: settings }, request.journal);
    },
  };
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

function inContainer(
  { target, engine, container, journal }: ClockProbeRequest,
  command: readonly string[],
  settings: Readonly<Record<string, string>>,
): RoutedProcess {
  let forget: (() => void) | undefined;
  const { uid, gid } = innerUser(target);
  const begin = async (): Promise<EngineRun> => {
    if (engine === undefined || container === undefined) throw new TypeError('no container');
    const started = await startExec(engine, container.id, {
      command,
      env: { ...settings, ...samplerEnvironment() },
      ...(target.elsewhere === undefined ? { user: `${uid}:${gid}` } : {}),
    });
    return execRun(started, container.id, (life) => {
      forget = journalProcess(journal, life);
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
