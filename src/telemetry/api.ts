/// <reference lib="esnext.disposable" preserve="true" />
/** What a program sees. All times are in milliseconds unless a name says otherwise. */

export interface TelemetryOptions {
  /** Telemetries of one name share what they measure, in all threads and in all copies of this package. */
  readonly name?: string;
  /** How many of the last durations are kept, by category and thread. */
  readonly capacity?: number;
  /** What is beyond goes into one category more. */
  readonly maxCategories?: number;
  /** Threads that have ended and are kept apart; older ones are put together. */
  readonly endedThreads?: number;
  /** Milliseconds, as `performance.now` has them; a monotonic one of the host if there is none. */
  readonly clock?: () => number;
  /** Without it nothing is measured, and a call costs next to nothing. */
  readonly enabled?: boolean;
  /** Node: the main thread writes Pyrite's report there when the program exits. */
  readonly saveOnExit?: string;
}

export interface Span {
  /** Once, and after all that began in it. */
  end(): void;
  [Symbol.dispose](): void;
}

/** A decorator of methods as the language has it (stage 3). */
export type ProfiledDecorator = <This, Args extends unknown[], Return>(
  method: (this: This, ...args: Args) => Return,
  context: { readonly kind: string; readonly name: string | symbol },
) => (this: This, ...args: Args) => Return;

export interface Saved {
  readonly isSaved: boolean;
  /** One line that says where, or why not. */
  readonly line: string;
}

/** What measures. In a browser this is all, and what writes it down are functions, so that a page loads no more than it calls. */
export interface SpanRecording {
  readonly enabled: boolean;
  /** Calls `fn` and hands on what it returns or throws; a promise is timed until it has settled. */
  measure<T>(category: string, fn: () => T): T;
  span(category: string): Span;
  /** Files a method under a category, or under its own name. */
  profiled(category?: string): ProfiledDecorator;
  startFrame(): void;
  /** Without a start it does nothing. */
  endFrame(): void;
  /** A duration that was measured elsewhere. */
  record(category: string, ms: number): void;
  snapshot(): TelemetrySnapshot;
}

export interface Telemetry extends SpanRecording {
  /** For people. */
  report(): string;
  /** The text format of Prometheus, in seconds. */
  prometheus(): string;
  /** Through the program's own OpenTelemetry; the answer undoes it. */
  toOpenTelemetry(meter: Meter): () => void;
  /** The text of `profiling_results.json`, as Pyrite's profiler writes it. */
  pyriteReport(): string;
  /** That text into a file, whole or not at all. Never throws. */
  saveReport(path: string): Saved;
}

export interface CategoryFigures {
  readonly name: string;
  /** How many threads called it. */
  readonly threads: number;
  readonly calls: number;
  /** Of all calls; moments in which several were open count for each. */
  readonly sumMs: number;
  /** Moments in which at least one call was open, by thread. */
  readonly totalMs: number;
  /** Without what was measured inside, over the calls of which that is known. */
  readonly ownMs: number;
  readonly ownUnknownCalls: number;
  readonly ownUnknownMs: number;
  readonly meanMs: number;
  readonly minMs: number;
  readonly maxMs: number;
  /** The first call of a thread, the longest of them; the mean is of all others. */
  readonly firstMs: number;
  readonly meanOfOthersMs: number;
  /** Over the whole run, from a histogram: right to 0.8 %. */
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  /** The last durations that are kept, and their P99 as NumPy counts it. */
  readonly kept: number;
  readonly keptP99Ms: number;
  /** Begun and not ended. */
  readonly open: number;
  readonly illPaired: number;
  readonly clockBack: number;
  readonly untouchedPromises: number;
  readonly refused: number;
  /** Threads that ended in the middle of a write, or wrote too fast to be read. */
  readonly torn: number;
}

export interface ThreadFigures {
  readonly thread: string;
  readonly hasEnded: boolean;
  readonly categories: readonly CategoryFigures[];
}

export interface TelemetrySnapshot {
  readonly name: string;
  /** Of all threads together. */
  readonly categories: readonly CategoryFigures[];
  readonly threads: readonly ThreadFigures[];
  /** What is to be known before these numbers are believed. */
  readonly notes: readonly string[];
  readonly bytes: number;
}

/** What a callback of OpenTelemetry is given. */
export interface MeterResult {
  observe(instrument: never, value: number, attributes?: Record<string, string>): void;
}

type InstrumentOptions = { readonly description: string; readonly unit: string };
type MeterCallback = (result: MeterResult) => void;

/** The part of `Meter` of `@opentelemetry/api` that is used: only its shape, so that none has to be installed. */
export interface Meter {
  createObservableCounter(name: string, options: InstrumentOptions): unknown;
  createObservableGauge(name: string, options: InstrumentOptions): unknown;
  addBatchObservableCallback(callback: MeterCallback, instruments: never[]): void;
  removeBatchObservableCallback(callback: MeterCallback, instruments: never[]): void;
}
