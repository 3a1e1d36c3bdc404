import type { Readable } from 'node:stream';
import { findProgram, launchFacts, launchOf, type Program, startProgram } from '../target/index.js';
import type { Io } from './io.js';
import { lineReader, type Moment } from './moment.js';

/** A program that runs, and moments of it. */
export interface RunningProgram {
  readonly program: Program;
  /** CLOCK_MONOTONIC. */
  readonly startedNs: bigint;
  /** Resolves at the moment, or never. */
  readonly at: (moment: Moment) => Promise<void>;
  /** Resolves once all its output was passed on. */
  readonly passedOn: Promise<unknown>;
}

async function passOn(
  stream: Readable,
  write: (chunk: Uint8Array) => unknown,
  onLine: (line: string) => void,
): Promise<void> {
  const read = lineReader(onLine);
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    await write(chunk);
    read(chunk);
  }
}

/**
 * Starts a command, found as a shell finds it, with our own standard streams; where a moment is one of its output, that comes through
 * us unchanged. Throws what `findProgram`, `launchOf` and `startProgram` throw.
 */
export async function runProgram(
  io: Io,
  command: readonly string[],
  moments: readonly Moment[],
): Promise<RunningProgram> {
  const own = { file: findProgram(command[0] ?? '', io.env, io.cwd), argv: command };
  const launch = launchOf(own, launchFacts(own, io.env, io.cwd));
  const through = moments.some(({ kind }) => kind === 'output');
  const heard = new Map<Moment, () => void>();
  const reached = new Set<Moment>();
  const hear = (line: string): void => {
    for (const one of moments) {
      if (one.kind !== 'output' || reached.has(one) || !one.holds(line)) continue;
      reached.add(one);
      heard.get(one)?.();
    }
  };
  const program = await startProgram(launch, { env: io.env, cwd: io.cwd, through });
  const startedNs = process.hrtime.bigint();
  const [out, err] = program.output;
  const passedOn = Promise.all([
    ...(out === undefined ? [] : [passOn(out, io.out, hear)]),
    ...(err === undefined ? [] : [passOn(err, io.err, hear)]),
  ]);
  return {
    program,
    startedNs,
    passedOn,
    at: (one) =>
      new Promise((resolve) => {
        if (one.kind === 'seconds') {
          const leftMs = one.seconds * 1000 - Number(process.hrtime.bigint() - startedNs) / 1e6;
          setTimeout(resolve, Math.max(0, leftMs)).unref();
        } else if (reached.has(one)) resolve();
        else heard.set(one, resolve);
      }),
  };
}
