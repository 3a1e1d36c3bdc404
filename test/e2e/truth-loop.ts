import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Truth, truthOver } from '../targets/truth-rows.mjs';
import { ROOT } from './demo-simulation.js';

export { type Truth, truthOver };

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
