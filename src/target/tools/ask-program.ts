import { execa } from 'execa';
import type { Environment } from './folder.js';

/** How asking a program for something went. Both outputs, as far as they were read. */
export interface Asked {
  /** `ENOENT` where there is no such program, or not what it needs to run. */
  readonly code?: string;
  readonly exitCode?: number;
  readonly signal?: NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
  readonly shortMessage?: string;
  readonly timedOut: boolean;
}

const PATIENCE_MS = 10_000;
/** A version is a line; what says more is none. */
const LONGEST = 1 << 20;

/**
 * Runs a program that answers at once, for at most `patienceMs`: it is a group of its own, so that whatever it started ends with it and holds no
 * output open. Never throws.
 */
export async function askProgram(
  program: string,
  args: readonly string[],
  env?: Environment,
  patienceMs: number = PATIENCE_MS,
): Promise<Asked> {
  const child = execa(program, args, {
    ...(env === undefined ? {} : { env, extendEnv: false }),
    reject: false,
    stdin: 'ignore',
    detached: true,
    maxBuffer: LONGEST,
  });
  let timedOut = false;
  const patience = setTimeout(() => {
    timedOut = true;
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // It has just ended.
    }
    child.stdout.destroy();
    child.stderr.destroy();
  }, patienceMs);
  const run = await child.finally(() => clearTimeout(patience));
  const { code, exitCode, signal, stdout, stderr, shortMessage } = run;
  return {
    ...(code === undefined ? {} : { code }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
    stdout: stdout ?? '',
    stderr: stderr ?? '',
    ...(shortMessage === undefined ? {} : { shortMessage }),
    timedOut,
  };
}
