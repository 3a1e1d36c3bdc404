import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { vi } from 'vitest';
import {
  findContainer,
  findPySpy,
  findInContainer,
  openEngine,
  openJournal,
  probeRealtime,
  type Journal,
  type Route,
  type RouteContext,
  type RoutedProcess,
} from '../../../src/target/index.js';
import type { TestDocker } from '../../docker/daemon.js';
import type { SimulationContainer, SimulationOptions } from '../../docker/simulation-container.js';
import { scratch } from '../scratch.js';

export const pyspy = await findPySpy({ env: process.env }).catch(() => undefined);
/** Whether this machine grants real-time priority. */
export const realtime = await probeRealtime();
export const NO_PYSPY = 'py-spy is not installed (profiler tools install py-spy)';

/** A loop without MuJoCo that leaves the CPU to others. */
export const CHEAP: Pick<SimulationOptions, 'program' | 'flags'> = {
  program: 'plain',
  flags: ['--hz', '100', '--busy', '0.1'],
};

/** What a route is tried with, for the simulation of a container. */
export async function contextOf(
  { env }: TestDocker,
  { name }: SimulationContainer,
  wishes: Partial<RouteContext> = {},
): Promise<RouteContext> {
  const engine = await openEngine(env);
  const container = await findContainer(engine, name);
  return {
    target: findInContainer(container, { selfPid: process.pid }),
    pyspy: { path: pyspy?.path ?? 'py-spy', version: pyspy?.version ?? '0' },
    native: false,
    engine,
    container,
    journal: newJournal(),
    priority: realtime.allowed ? realtime.argv : [],
    ...wishes,
  };
}

export function newJournal(): Journal {
  return openJournal({ XDG_STATE_HOME: scratch() }, new Date().toISOString());
}

/** Files that a container has beside its image. */
export async function changedPaths({ container }: SimulationContainer): Promise<readonly string[]> {
  const changes: unknown = await container.changes();
  return (Array.isArray(changes) ? changes : []).map(({ Path }: { Path: string }) => Path).sort();
}

/** How one run of py-spy went. */
export interface Ran {
  readonly exit: number | string;
  readonly talk: string;
  /** The samples, or what else came by standard error. */
  readonly samples: string;
}

/** py-spy's arguments as the capture gives them. `file` is used where the route writes one. */
export function recordArgs(route: Route, seconds: number, file: string): readonly string[] {
  const to = route.output === 'file' ? file : '/dev/stderr';
  const record = ['record', '--pid', String(route.targetPid), '--idle', '--nonblocking', '--threads'];
  return [...record, '--full-filenames', '-f', 'raw', '-r', '100', '-d', String(seconds), '-o', to];
}

/**
 * Waits until py-spy, by its pid here, has taken samples. It says "Sampling process" before the first: ended at that moment it has nothing
 * to write, and fails.
 */
export async function untilSampled(pid: number): Promise<void> {
  let before: number | undefined;
  await vi.waitUntil(() => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    // Its first thread sleeps until its second one hands it a sample.
    const switches = Number(/^voluntary_ctxt_switches:\s*(\d+)$/m.exec(status)?.[1]);
    before ??= switches;
    return switches - before >= 3;
  }, 60_000);
}

/** Reads all that a program says; `onSampling` is called at the line that says that it samples. */
export async function watch(process: RoutedProcess, onSampling: () => void = () => {}): Promise<Ran> {
  const talk: string[] = [];
  let samples = '';
  process.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    samples += chunk;
  });
  createInterface({ input: process.stdout }).on('line', (line) => {
    talk.push(line);
    if (/Sampling process/.test(line)) onSampling();
  });
  return { exit: await process.exit, talk: talk.join('\n'), samples };
}
