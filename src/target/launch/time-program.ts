import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Environment } from '../tools/folder.js';
import { findProgram } from './find-program.js';
import { notStarted, type Program, type ProgramEnd } from './start-program.js';

/** A program that runs to be timed. */
export interface TimedProgram extends Pick<Program, 'signal'> {
  /** How it ended, and the seconds of a monotonic clock from just before its start. */
  readonly ended: Promise<ProgramEnd & { readonly wallS: number }>;
}

const STDERR = 2;

/**
 * Starts a program, found as a shell finds it, in our own process group. It has no standard input, which the next run would miss, and all
 * that it prints goes to standard error: the answer is alone on standard output. Throws as `findProgram` and `startProgram` do.
 */
export async function timeProgram(
  command: readonly string[],
  { env, cwd }: { readonly env: Environment; readonly cwd: string },
): Promise<TimedProgram> {
  const [name = '', ...args] = command;
  const file = findProgram(name, env, cwd);
  const beganNs = process.hrtime.bigint();
  const child = spawn(file, args, { argv0: name, env, cwd, stdio: ['ignore', STDERR, STDERR] });
  const ended = new Promise<ProgramEnd & { readonly wallS: number }>((resolve) => {
    child.once('exit', (code, signal) => {
      const wallS = Number(process.hrtime.bigint() - beganNs) / 1e9;
      const end =
        signal === null ? { code: code ?? 1 } : { code: 128 + (constants.signals[signal] ?? 0), signal };
      resolve({ ...end, wallS });
    });
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(notStarted(file, error)));
  });
  return { ended, signal: (signal) => void child.kill(signal) };
}
