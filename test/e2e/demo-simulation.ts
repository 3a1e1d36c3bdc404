import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const BIN = join(ROOT, 'dist/cli/bin.js');
export const SIM_PYTHON = join(ROOT, '.cache/sim-venv/bin/python');
export const PYSPY = join(ROOT, '.cache/sim-venv/bin/py-spy');

export interface LiveProgram {
  readonly pid: number;
  /** File of the truth ring. */
  readonly ring: string;
  /** Working folder made for it. */
  readonly folder: string;
  /** Ends it; resolves to what it said on standard error. */
  readonly stop: () => Promise<string>;
}

interface Start {
  readonly python: string;
  /** Arguments up to the program's own flags: `-m rover_sim` or a script. */
  readonly program: readonly string[];
  readonly flags: readonly string[];
}

/** Starts a program of compose/sim and waits until it has made its first step. */
export async function startProgram({ python, program, flags }: Start): Promise<LiveProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'profiler-e2e-'));
  const ready = join(folder, 'ready');
  const ring = join(folder, 'truth.ring');
  const child = execa(
    python,
    [...program, ...flags, '--truth', ring, '--ready-file', ready, '--die-with-parent'],
    { env: { PYTHONPATH: join(ROOT, 'compose/sim') }, reject: false, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said: string | undefined;
  const end = (async () => {
    said = (await child).stderr;
  })();
  while (!existsSync(ready) || readFileSync(ready, 'utf8').trim() === '') {
    if (said !== undefined) throw new Error(`the program ended before its first step: ${said}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
  return {
    pid: child.pid ?? -1,
    ring,
    folder,
    stop: async () => {
      child.kill('SIGINT');
      await end;
      return said ?? '';
    },
  };
}

export const rover = (flags: readonly string[]): Promise<LiveProgram> =>
  startProgram({ python: SIM_PYTHON, program: ['-m', 'rover_sim', '--headless'], flags });

/** Runs the compiled command line; never throws. */
export async function profiler(
  args: readonly string[],
  options: {
    readonly cwd: string;
    readonly node?: string;
    readonly bin?: string;
    readonly env?: Readonly<Record<string, string>>;
  },
): Promise<{ readonly code: number | undefined; readonly out: string; readonly err: string }> {
  const run = await execa(options.node ?? process.execPath, [options.bin ?? BIN, ...args], {
    cwd: options.cwd,
    env: { PROFILER_PY_SPY: PYSPY, ...options.env },
    reject: false,
    stdin: 'ignore',
  });
  return { code: run.exitCode, out: run.stdout, err: run.stderr };
}

interface Truth {
  readonly buckets: Readonly<Record<string, { readonly wall: number; readonly cpu: number }>>;
  readonly requestedSleep: number;
  /** Part of the wall time that it was off the CPU, and neither ready for one nor asleep as long as it had asked for. */
  readonly gil: number;
  readonly steps: number;
}

/** What the simulation itself says of the union of windows, in CLOCK_MONOTONIC nanoseconds. */
export async function truthOver(
  ring: string,
  windows: readonly (readonly [string, string])[],
): Promise<Truth> {
  const { stdout } = await execa(SIM_PYTHON, ['-m', 'rover_sim.truth_window', ring, ...windows.flat()], {
    env: { PYTHONPATH: join(ROOT, 'compose/sim') },
  });
  return JSON.parse(stdout) as Truth;
}
