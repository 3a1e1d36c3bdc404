import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readSync, closeSync, fstatSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './demo-simulation.js';

const SOURCE = join(ROOT, 'test/targets/truth_loop.c');
/** Rules for its functions. */
export const TRUTH_PACK = join(ROOT, 'test/targets/truth-loop.yaml');

/** Why it cannot be compiled here; `undefined` where it can. */
export const whyNoCompiler: string | undefined = ((): string | undefined => {
  try {
    execFileSync('gcc', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'no gcc (scripts/test installs it)';
  }
})();

export interface TruthLoop {
  readonly pid: number;
  readonly folder: string;
  /** CPU seconds per second of each function over windows of CLOCK_MONOTONIC nanoseconds, which its rows must cover. */
  readonly truthOver: (windows: readonly (readonly [bigint, bigint])[]) => Truth;
  readonly stop: () => Promise<void>;
}

export interface Truth {
  readonly physics: number;
  readonly raycast: number;
  readonly publishing: number;
  readonly stepsPerS: number;
}

const ROW_BYTES = 32;

interface Row {
  readonly at: bigint;
  readonly totals: readonly [bigint, bigint, bigint];
}

/** Compiles it with these flags, starts it, and waits for its first step. `load` is its arguments after the file. */
export async function startTruthLoop(load: readonly string[], flags: readonly string[]): Promise<TruthLoop> {
  const folder = mkdtempSync(join(tmpdir(), 'profiler-truth-'));
  const program = join(folder, 'truth_loop');
  execFileSync('gcc', ['-O2', ...flags, '-o', program, SOURCE]);
  const ring = join(folder, 'ring');
  const child = spawn(program, [ring, ...load], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  return {
    pid: child.pid ?? 0,
    folder,
    truthOver: (windows) => truthOver(ring, windows),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

export function truthOver(ring: string, windows: readonly (readonly [bigint, bigint])[]): Truth {
  const rows = readRows(ring);
  const sums = [0n, 0n, 0n];
  let wallNs = 0n;
  let steps = 0;
  for (const [from, to] of windows) {
    const first = lastBefore(rows, from);
    const last = lastBefore(rows, to);
    // A row tells of a step that has ended: the window is that of the steps.
    wallNs += (rows[last]?.at ?? 0n) - (rows[first]?.at ?? 0n);
    steps += last - first;
    for (const [index, total] of (rows[last]?.totals ?? []).entries())
      sums[index] = (sums[index] ?? 0n) + total - (rows[first]?.totals[index] ?? 0n);
  }
  const share = (index: number): number => Number(sums[index]) / Number(wallNs);
  return {
    physics: share(0),
    raycast: share(1),
    publishing: share(2),
    stepsPerS: steps / (Number(wallNs) / 1e9),
  };
}

function readRows(ring: string): readonly Row[] {
  const file = openSync(ring, 'r');
  try {
    const bytes = Buffer.alloc(fstatSync(file).size);
    readSync(file, bytes, 0, bytes.length, 0);
    const count = Number(bytes.readBigUInt64LE(0));
    return Array.from({ length: count }, (_, index): Row => {
      const at = 8 + index * ROW_BYTES;
      const value = (offset: number): bigint => bytes.readBigUInt64LE(at + offset);
      return { at: value(0), totals: [value(8), value(16), value(24)] };
    });
  } finally {
    closeSync(file);
  }
}

function lastBefore(rows: readonly Row[], ns: bigint): number {
  const index = rows.findLastIndex(({ at }) => at <= ns);
  if (index < 0) throw new Error('the window begins before the first step');
  return index;
}
