import { errorCode } from '../model/index.js';
import { closeSync, openSync, writeSync } from 'node:fs';
import type { Route } from '../target/index.js';
import type { SamplerFacts, StateCounts } from './backends/cpython/protocol.js';
import type { Backend, PlannedSlice } from './backends/index.js';

/** How one run of the sampler went. Stamps are CLOCK_MONOTONIC nanoseconds. */
export interface SamplerRun {
  /** When it said that it samples; undefined if it never did. */
  readonly startNs: bigint | undefined;
  /** When it said that it was done, or ended. */
  readonly endNs: bigint;
  readonly exit: number | string;
  /** It said that its samples are written. */
  readonly written: boolean;
  readonly samples?: number;
  readonly errors?: number;
  readonly behindS?: number;
  /** Looks by state, where its samples know theirs; by host thread id. */
  readonly threads?: Readonly<Record<string, StateCounts>>;
  /** What it says of itself. */
  readonly facts?: SamplerFacts;
  /** It says itself that the target is gone. */
  readonly targetEnded: boolean;
  /** All it said, its last part if that is long. */
  readonly talk: string;
  /** Error code of our own writing of its log, `ENOSPC` for a full disk. */
  readonly logError?: string;
}

/** A sampler at work. */
export interface RunningSampler {
  /** The sampler's own, as soon as it is known. */
  readonly pid: Promise<number | undefined>;
  /** Resolves with the stamp when it begins to sample, or with undefined when it ends without having sampled. */
  readonly started: Promise<bigint | undefined>;
  /** Resolves when it no longer samples; its file may not be written yet. */
  readonly stopped: Promise<bigint>;
  readonly done: Promise<SamplerRun>;
  /** Asks it to end and to write its file; it is killed if it does not within seconds. */
  readonly interrupt: () => void;
  /** Ends it without its samples. Given up (`exit` is `unresponsive`) where that has no effect, as in a frozen container. */
  readonly kill: () => void;
}

const TALK_KEPT = 16_384;
/** Bytes of the samples that are looked at where the sampler failed. */
const HEAD_KEPT = 4096;
/** Writing a large file to a slow disk takes a while; a sampler that hangs must not keep us. */
const PATIENCE_MS = 10_000;
/** A killed process is gone at once, unless something holds it that a signal does not reach. */
const KILLED_MS = 3000;

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

function writeAll(fd: number, chunk: string | Uint8Array): void {
  let rest = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest));
}

/** A log that never throws: what cannot be written is told once, in `error`. */
function openLog(path: string): {
  write: (chunk: string | Uint8Array) => void;
  close: () => void;
  error: () => string | undefined;
} {
  let error: string | undefined;
  let fd: number | undefined;
  const attempt = (action: () => void): void => {
    try {
      action();
    } catch (cause) {
      error ??= errorCode(cause) ?? 'unknown';
    }
  };
  attempt(() => {
    fd = openSync(path, 'w', 0o600);
  });
  return {
    write: (chunk) => attempt(() => fd !== undefined && writeAll(fd, chunk)),
    close: () => attempt(() => fd !== undefined && closeSync(fd)),
    error: () => error,
  };
}

/** Starts one planned slice by its route. `folder` is the recording's. Never throws: what cannot be started has an `exit` that says so. */
export function startSampler(
  backend: Backend,
  slice: PlannedSlice,
  where: { readonly folder: string; readonly route: Route },
  clock: () => bigint,
): RunningSampler {
  const child = where.route.start(slice.args);
  const log = openLog(`${where.folder}/${slice.log}`);
  const samples = where.route.output === 'stderr' ? openLog(`${where.folder}/${slice.file}`) : undefined;
  const started = settable<bigint | undefined>();
  const stopped = settable<bigint>();
  let facts: Pick<SamplerRun, 'samples' | 'errors' | 'behindS' | 'threads' | 'facts'> = {};
  let startNs: bigint | undefined;
  let endNs: bigint | undefined;
  let targetEnded = false;
  let written = false;
  let talk = '';
  let pending = '';
  let ended = false;

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
      const { kind: _, ...counted } = said;
      facts = { ...facts, ...counted };
      written = true;
      finish(atNs);
    } else if (said?.kind === 'behind') {
      facts = { ...facts, behindS: Math.max(facts.behindS ?? 0, said.seconds) };
    }
  };
  const keep = (chunk: string): void => {
    log.write(chunk);
    talk = (talk + chunk).slice(-TALK_KEPT);
  };
  child[backend.talk].setEncoding('utf8').on('data', (chunk: string) => {
    // The stamp comes first: everything else can wait.
    const atNs = clock();
    if (ended) return;
    keep(chunk);
    const lines = (pending + chunk).split('\n');
    pending = (lines.pop() ?? '').slice(-TALK_KEPT);
    for (const line of lines) take(line, atNs);
  });
  // Where the samples come by this pipe, an error does too: its beginning is kept for that.
  let head = '';
  if (samples === undefined) {
    const other = backend.talk === 'stdout' ? child.stderr : child.stdout;
    other.setEncoding('utf8').on('data', (chunk: string) => ended || keep(chunk));
  } else {
    child.stderr.on('data', (chunk: Buffer) => {
      if (ended) return;
      samples.write(chunk);
      if (head.length < HEAD_KEPT) head += chunk.toString('utf8', 0, HEAD_KEPT);
    });
  }

  let impatient: NodeJS.Timeout | undefined;
  let hopeless: NodeJS.Timeout | undefined;
  const givenUp = settable<'unresponsive'>();
  const finished = async (): Promise<SamplerRun> => {
    const exit = await Promise.race([child.exit, givenUp.promise]);
    const atNs = clock();
    ended = true;
    clearTimeout(impatient);
    clearTimeout(hopeless);
    if (pending !== '') take(pending, atNs);
    finish(atNs);
    started.set(startNs);
    samples?.close();
    // Without a word that it wrote its samples, what came by their pipe is what went wrong.
    if (samples !== undefined && !written) keep(head);
    if (typeof exit === 'string' && !exit.startsWith('SIG')) keep(`${exit}\n`);
    log.close();
    const logError = samples?.error() ?? log.error();
    return {
      startNs,
      endNs: endNs ?? atNs,
      exit,
      written,
      ...facts,
      targetEnded,
      talk,
      ...(logError === undefined ? {} : { logError }),
    };
  };
  const done = finished();
  const kill = (): void => {
    if (ended) return;
    child.kill();
    hopeless ??= setTimeout(() => givenUp.set('unresponsive'), KILLED_MS);
  };
  const interrupt = (): void => {
    if (ended) return;
    // Never SIGTERM: py-spy would end without writing its file.
    child.interrupt();
    impatient ??= setTimeout(kill, PATIENCE_MS);
  };
  return { pid: child.pid, started: started.promise, stopped: stopped.promise, done, interrupt, kill };
}
