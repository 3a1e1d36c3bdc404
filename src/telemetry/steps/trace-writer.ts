import * as fs from 'node:fs';
import { Worker } from 'node:worker_threads';
import { appendTrace } from './append-trace.js';
import type { TraceAppend } from './append-trace.js';

/** One append and what came of it. */
export interface WriteRequest extends TraceAppend {
  /** The length of the file, or why it is what it was. */
  result?: number | Error;
}

/** Writes one thing after the other. */
export interface TraceWriter {
  /** Never rejects: the result is in the request. */
  readonly append: (request: WriteRequest) => Promise<void>;
  /** From here on nothing is written by anyone else: the program ends, and the rest is written at once. False where the disk hangs. */
  readonly takeOver: () => boolean;
  /** There is nothing to write for now. */
  readonly rest: () => void;
}

/** What the worker shares with us. Free, writing, and taken over for good. */
const [FREE, WRITING, TAKEN] = [0, 1, 2];
const PATIENCE_MS = 2000;
/** Workers that one request may see die. */
const MAX_DEATHS = 2;

/** The program of the worker. Its state says what it does, so that the main thread can take over in the moment in which the program ends. */
function workerProgram(): string {
  return `
const fs = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
const state = new Int32Array(workerData, 0, 2);
const size = new Float64Array(workerData, 8, 1);
const append = ${String(appendTrace)};
parentPort.on('message', ({ id, request }) => {
  if (Atomics.compareExchange(state, 0, ${FREE}, ${WRITING}) !== ${FREE}) return;
  const answer = { id };
  try {
    answer.bytes = append(fs, request);
  } catch (error) {
    answer.error = error instanceof Error ? error.message : String(error);
  }
  size[0] = answer.bytes ?? -1;
  state[1] = id;
  Atomics.store(state, 0, ${FREE});
  Atomics.notify(state, 0);
  parentPort.postMessage(answer);
});
`;
}

interface Waiting {
  readonly request: WriteRequest;
  readonly done: () => void;
  deaths: number;
}

export type StartWorker = (program: string, shared: SharedArrayBuffer) => WritingWorker;

/** What is asked of a worker of Node. By its shape: types that a program gets of us ask for no others. */
export interface WritingWorker {
  readonly postMessage: (value: unknown) => void;
  readonly terminate: () => unknown;
  readonly ref: () => void;
  readonly unref: () => void;
  readonly on: (event: 'message' | 'error' | 'exit', listener: (value: unknown) => void) => unknown;
}

/** Without what the program gave itself by options and environment: nothing else is to be loaded into it. */
export const startWorker: StartWorker = (program, shared) =>
  new Worker(program, { eval: true, workerData: shared, execArgv: [], env: {}, name: 'sim-profiler trace' });

/** Writes in a worker thread, so that a slow disk does not hold up the event loop. It lives while there is something to write. */
export class WorkerWriter implements TraceWriter {
  readonly #start: StartWorker;
  readonly #waiting: Waiting[] = [];
  #worker: WritingWorker | undefined;
  #shared = new SharedArrayBuffer(16);
  #id = 0;
  #isTaken = false;

  constructor(start: StartWorker = startWorker) {
    this.#start = start;
  }

  append(request: WriteRequest): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ request, done: resolve, deaths: 0 });
      if (this.#waiting.length === 1) this.#send();
    });
  }

  takeOver(): boolean {
    this.#isTaken = true;
    if (this.#worker === undefined) return true;
    const state = new Int32Array(this.#shared, 0, 2);
    // A disk that hangs must not hold up the end of the program for good.
    if (Atomics.compareExchange(state, 0, FREE, TAKEN) !== FREE) {
      Atomics.wait(state, 0, WRITING, PATIENCE_MS);
      Atomics.compareExchange(state, 0, FREE, TAKEN);
    }
    if (Atomics.load(state, 0) !== TAKEN) return false;
    const first = this.#waiting[0];
    if (first !== undefined && state[1] === this.#id) {
      const bytes = new Float64Array(this.#shared, 8, 1)[0] ?? -1;
      first.request.result = bytes >= 0 ? bytes : new Error('the disk took no more');
    }
    return true;
  }

  rest(): void {
    if (this.#waiting.length > 0) return;
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }

  #send(): void {
    const first = this.#waiting[0];
    if (this.#isTaken) return;
    if (first === undefined) {
      // It must not keep the program alive.
      this.#worker?.unref();
      return;
    }
    const { path, at, text } = first.request;
    try {
      this.#worker ??= this.#started();
      this.#worker.ref();
      this.#id += 1;
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is of windows
      this.#worker.postMessage({ id: this.#id, request: { path, at, text } });
    } catch {
      // No worker may be started here, as where Node was told to forbid it.
      this.#finish(writtenHere(first.request));
    }
  }

  #started(): WritingWorker {
    this.#shared = new SharedArrayBuffer(16);
    const worker = this.#start(workerProgram(), this.#shared);
    worker.on('message', (answer: unknown) => this.#answered(worker, answer));
    // It is followed by `exit`.
    worker.on('error', () => undefined);
    worker.on('exit', () => this.#died(worker));
    return worker;
  }

  #answered(worker: WritingWorker, answer: unknown): void {
    const { id, bytes, error } = answer as {
      readonly id: number;
      readonly bytes?: number;
      readonly error?: string;
    };
    if (worker !== this.#worker || id !== this.#id) return;
    this.#finish(bytes ?? new Error(error ?? 'the trace could not be written'));
  }

  #died(worker: WritingWorker): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    const first = this.#waiting[0];
    if (first === undefined || this.#isTaken) return;
    first.deaths += 1;
    // Written again from where it began, whatever of it is there; and not for ever.
    if (first.deaths <= MAX_DEATHS) this.#send();
    else this.#finish(writtenHere(first.request));
  }

  #finish(result: number | Error): void {
    const first = this.#waiting.shift();
    if (first === undefined) return;
    first.request.result = result;
    first.done();
    this.#send();
  }
}

/** On this thread, at once. */
export function writtenHere(request: TraceAppend): number | Error {
  try {
    return appendTrace(fs, request);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
