import { closeSync, openSync, writeSync } from 'node:fs';
import { execa } from 'execa';
import type { Backend, PlannedSlice } from './backends/index.js';

/** How one run of the sampler went. Stamps are CLOCK_MONOTONIC nanoseconds. */
export interface SamplerRun {
  /** When it said that it samples; undefined if it never did. */
  readonly startNs: bigint | undefined;
  /** When it said that it was done, or ended. */
  readonly endNs: bigint;
  readonly exit: number | string;
  readonly samples?: number;
  readonly errors?: number;
  readonly behindS?: number;
  /** It says itself that the target is gone. */
  readonly targetEnded: boolean;
  /** All it said, its last part if that is long. */
  readonly talk: string;
  /** Error code of our own writing of its log, `ENOSPC` for a full disk. */
  readonly logError?: string;
}

/** A sampler at work. */
export interface RunningSampler {
  readonly pid: number | undefined;
  /** Resolves with the stamp when it begins to sample, or with undefined when it ends without having sampled. */
  readonly started: Promise<bigint | undefined>;
  /** Resolves when it no longer samples; its file may not be written yet. */
  readonly stopped: Promise<bigint>;
  readonly done: Promise<SamplerRun>;
  /** Asks it to end and to write its file; it is killed if it does not within seconds. */
  readonly interrupt: () => void;
}

const TALK_KEPT = 16_384;
/** Writing a large file to a slow disk takes a while; a sampler that hangs must not keep us. */
const PATIENCE_MS = 10_000;

interface Settable<T> {
  readonly promise: Promise<T>;
  readonly set: (value: T) => void;
}

function settable<T>(): Settable<T> {
  let set: ((value: T) => void) | undefined;
  const promise = new Promise<T>((resolve) => {
    set = resolve;
  });
  return { promise, set: (value) => set?.(value) };
}

/** A log that never throws: what cannot be written is told once, in `error`. */
function openLog(path: string): {
  write: (chunk: string) => void;
  close: () => void;
  error: () => string | undefined;
} {
  let error: string | undefined;
  let fd: number | undefined;
  const attempt = (action: () => void): void => {
    try {
      action();
    } catch (cause) {
      error ??= cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    }
  };
  attempt(() => {
    fd = openSync(path, 'w', 0o600);
  });
  return {
    write: (chunk) => attempt(() => fd !== undefined && writeSync(fd, chunk)),
    close: () => attempt(() => fd !== undefined && closeSync(fd)),
    error: () => error,
  };
}

/** Starts one planned slice. `folder` is the recording's. Never throws: a binary that cannot be started has an `exit` that says so. */
export function startSampler(
  backend: Backend,
  slice: PlannedSlice,
  folder: string,
  clock: () => bigint,
): RunningSampler {
  const [file = '', ...args] = slice.argv;
  const child = execa(file, args, {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    buffer: false,
    reject: false,
    env: { RUST_BACKTRACE: '0' },
  });
  const log = openLog(`${folder}/${slice.log}`);
  const started = settable<bigint | undefined>();
  const stopped = settable<bigint>();
  let facts: Pick<SamplerRun, 'samples' | 'errors' | 'behindS'> = {};
  let startNs: bigint | undefined;
  let endNs: bigint | undefined;
  let targetEnded = false;
  let talk = '';
  let pending = '';

  const finish = (atNs: bigint): void => {
    endNs ??= atNs;
    stopped.set(endNs);
  };
  const take = (line: string, atNs: bigint): void => {
    const said = backend.readLine(line);
    if (said?.kind === 'started') {
      startNs ??= atNs;
      started.set(startNs);
    } else if (said?.kind === 'stopped') {
      targetEnded ||= said.because === 'target-ended';
      finish(atNs);
    } else if (said?.kind === 'written') {
      facts = { ...facts, samples: said.samples, errors: said.errors };
      finish(atNs);
    } else if (said?.kind === 'behind') {
      facts = { ...facts, behindS: Math.max(facts.behindS ?? 0, said.seconds) };
    }
  };
  const keep = (chunk: string): void => {
    log.write(chunk);
    talk = (talk + chunk).slice(-TALK_KEPT);
  };
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk: string) => {
    // The stamp comes first: everything else can wait.
    const atNs = clock();
    keep(chunk);
    const lines = (pending + chunk).split('\n');
    pending = (lines.pop() ?? '').slice(-TALK_KEPT);
    for (const line of lines) take(line, atNs);
  });
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', keep);

  let impatient: NodeJS.Timeout | undefined;
  let ended = false;
  const done = child.then((result): SamplerRun => {
    const atNs = clock();
    ended = true;
    clearTimeout(impatient);
    if (pending !== '') take(pending, atNs);
    finish(atNs);
    started.set(startNs);
    const error = result.code === undefined || result.exitCode !== undefined ? undefined : result.code;
    if (error !== undefined) keep(`${error}: ${result.originalMessage ?? file}\n`);
    log.close();
    const logError = log.error();
    return {
      startNs,
      endNs: endNs ?? atNs,
      exit: result.exitCode ?? result.signal ?? error ?? 'unknown',
      ...facts,
      targetEnded,
      talk,
      ...(logError === undefined ? {} : { logError }),
    };
  });
  const interrupt = (): void => {
    if (ended) return;
    // Never SIGTERM: py-spy would end without writing its file.
    child.kill('SIGINT');
    impatient ??= setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  };
  return { pid: child.pid, started: started.promise, stopped: stopped.promise, done, interrupt };
}
