import { StepTraces } from '../../../src/telemetry/steps/step-traces.js';
import type { StepHost } from '../../../src/telemetry/steps/step-options.js';
import { writtenHere } from '../../../src/telemetry/steps/trace-writer.js';
import type { TraceWriter } from '../../../src/telemetry/steps/trace-writer.js';

/** A world whose time passes only when it is told to. */
export class ManualHost implements StepHost {
  ms = 1000;
  readonly printed: string[] = [];
  readonly warnings: string[] = [];
  readonly #timers = new Map<number, () => void>();
  #count = 0;
  readonly watchGc = undefined;
  readonly watchDelay = undefined;
  readonly traces: StepTraces;
  /** What a program does when it ends. */
  readonly exits = new Set<() => void>();

  constructor(writer: TraceWriter = HERE, maxBytes?: number) {
    this.traces = new StepTraces({
      warn: this.warn,
      writer,
      exiting: {
        onExit: (call) => void this.exits.add(call),
        offExit: (call) => void this.exits.delete(call),
      },
      ...(maxBytes === undefined ? {} : { maxBytes }),
    });
  }

  readonly clock = (): number => this.ms;
  readonly print = (text: string): void => void this.printed.push(text);
  readonly warn = (line: string): void => void this.warnings.push(line);
  readonly timers = {
    setTimeout: (call: () => void): number => {
      this.#count += 1;
      this.#timers.set(this.#count, call);
      return this.#count;
    },
    clearTimeout: (timer: unknown): void => void this.#timers.delete(timer as number),
  };

  pass(ms: number): void {
    this.ms += ms;
  }

  /** Every timer that waits is due after so many milliseconds. */
  wake(ms: number): void {
    this.pass(ms);
    const due = [...this.#timers.values()];
    this.#timers.clear();
    for (const call of due) call();
  }

  get waiting(): number {
    return this.#timers.size;
  }
}

/** On this thread, but only after the caller has gone on, as with a worker. */
export const HERE: TraceWriter = {
  append: async (request) => {
    await Promise.resolve();
    request.result = writtenHere(request);
  },
  takeOver: () => true,
  rest: () => undefined,
};

/** A promise that is kept when the test says so. */
export function held<Value>(): {
  readonly promise: Promise<Value>;
  readonly keep: (value: Value) => void;
  readonly fail: (error: unknown) => void;
} {
  let keep: ((value: Value) => void) | undefined;
  let fail: ((error: unknown) => void) | undefined;
  const promise = new Promise<Value>((resolve, reject) => {
    [keep, fail] = [resolve, reject];
  });
  return { promise, keep: (value) => keep?.(value), fail: (error) => fail?.(error) };
}
