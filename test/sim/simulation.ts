import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa, execaSync } from 'execa';
import { onTestFinished } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export const FOLDER = join(ROOT, 'compose/sim');
export const VENV = join(ROOT, '.cache/sim-venv/bin/python');
export const env = { PYTHONPATH: FOLDER, PYTHONDONTWRITEBYTECODE: '1' };

export const hasMujoco =
  existsSync(VENV) && execaSync(VENV, ['-c', 'import mujoco, numpy'], { reject: false }).exitCode === 0;
export const NO_MUJOCO = '.cache/sim-venv has no MuJoCo (scripts/test makes it)';

/** What `truth_window` prints, as far as the tests look at it. */
export interface Truth {
  readonly wallS: number;
  readonly steps: number;
  readonly simS: number;
  readonly buckets: Readonly<Record<string, { wall: number; cpu: number; rawWall: number; rawCpu: number }>>;
  readonly requestedSleep: number;
  readonly sleeps: number;
  readonly mjStep: { readonly calls: number; readonly totalMs: number };
  readonly casts: Readonly<
    Record<'front' | 'rear', { readonly calls: number; readonly totalMs: number; readonly maxUs: number }>
  >;
  readonly mjTimer: Readonly<Record<string, number>>;
  readonly ring: { readonly startNs: number; readonly newestNs: number; readonly rows: number };
}

/** The dump at the end or on SIGUSR1. */
export interface Dump {
  readonly rows: number;
  readonly row: Readonly<Record<string, number>>;
  readonly meta: { readonly pid: number };
}

/** A folder that goes when the test does: rings are large. Only within a test. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rover-sim-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs the simulation to its end; never throws. */
export function simulate(...flags: readonly string[]) {
  return execa(VENV, ['-m', 'rover_sim', ...flags], { env, reject: false });
}

export async function truthOver(ring: string, ...times: readonly number[]): Promise<Truth> {
  const { stdout } = await execa(
    'python3',
    ['-m', 'rover_sim.truth_window', ring, ...times.map((time) => `${Math.round(time)}`)],
    { env },
  );
  return JSON.parse(stdout) as Truth;
}

export function readDump(path: string): Dump {
  return JSON.parse(readFileSync(path, 'utf8')) as Dump;
}

/** Resolves when `holds` does; the test's own limit is the only bound. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(20);
}

/** Starts a program that writes its pid to `ready` once it steps, and waits for that. */
export async function startLoop(python: string, args: readonly string[], ready: string) {
  const child = execa(python, [...args, '--ready-file', ready], { env, reject: false });
  let ended = false;
  const end = child.then((result) => {
    ended = true;
    return result;
  });
  await until(() => ended || existsSync(ready));
  if (ended) throw new Error(`${args.join(' ')} ended early: ${(await end).stderr}`);
  return { child, end, pid: Number(readFileSync(ready, 'utf8')) };
}

/** Pids of `pid`'s children, from the kernel. */
export function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** A zombie that its new parent has yet to reap no longer runs. */
export function runs(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}
