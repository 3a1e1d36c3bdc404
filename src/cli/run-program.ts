import type { Readable } from 'node:stream';
import { findProgram, launchFacts, launchOf, type Program, startProgram } from '../target/index.js';
import type { Io } from './io.js';
import type { Written } from './keep-printed.js';
import { KeptOutput } from './kept-output.js';
import { lineReader, type Moment } from './moment.js';
import { outputFiles } from './own-output.js';

/** A program that runs, and moments of it. */
export interface RunningProgram {
  readonly program: Program;
  /** CLOCK_MONOTONIC. */
  readonly startedNs: bigint;
  /** Resolves at the moment, or never. */
  readonly at: (moment: Moment) => Promise<void>;
  /** Resolves once all its output was passed on. */
  readonly passedOn: Promise<unknown>;
  /** What it wrote, as far as that can be seen without changing what it writes to. */
  readonly written: readonly Written[];
}

async function passOn(
  stream: Readable,
  write: (chunk: Uint8Array) => unknown,
  onLine: (line: string) => void,
  kept: KeptOutput,
): Promise<void> {
  const read = lineReader(onLine);
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    await write(chunk);
    read(chunk);
    kept.add(chunk);
  }
}

/**
 * Starts a command, found as a shell finds it, with our own standard streams; where a moment is one of its output, or its output is to be looked
 * at, that comes through us unchanged. Throws what `findProgram`, `launchOf` and `startProgram` throw.
 */
export async function runProgram(
  io: Io,
  command: readonly string[],
  moments: readonly Moment[],
  looksAtOutput = false,
): Promise<RunningProgram> {
  const own = { file: findProgram(command[0] ?? '', io.env, io.cwd), argv: command };
  const launch = launchOf(own, launchFacts(own, io.env, io.cwd));
  const through = looksAtOutput || moments.some(({ kind }) => kind === 'output');
  const files = through ? [] : outputFiles();
  const kept = { out: new KeptOutput(), err: new KeptOutput() };
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
    ...(out === undefined ? [] : [passOn(out, io.out, hear, kept.out)]),
    ...(err === undefined ? [] : [passOn(err, io.err, hear, kept.err)]),
  ]);
  return {
    program,
    startedNs,
    passedOn,
    written: through
      ? [
          { source: 'standard output', parts: () => kept.out.parts() },
          { source: 'standard error', parts: () => kept.err.parts() },
        ]
      : files,
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
