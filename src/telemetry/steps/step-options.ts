import { NODE_TIMERS } from './lag-monitor.js';
import type { StepTimers } from './lag-monitor.js';
import { watchDelay, watchGc } from './loop-watch.js';
import type { DelayWatch, GcPause } from './loop-watch.js';
import type { StepTraces } from './step-traces.js';

/** Options of raccoon's StepProfiler, with its defaults, and what only this one has. */
export interface StepProfilerOptions {
  /** Where the Chrome trace goes; none without it. */
  readonly tracePath?: string | undefined;
  /** Measure how late the event loop is. Default: true. */
  readonly loopLag?: boolean;
  /** Seconds between two looks. Default: 0.005; Node's timers know no less than 0.001. */
  readonly loopLagInterval?: number;
  /** From here on lag is a spike. Default: 5. */
  readonly lagSpikeMs?: number;
  /** Print the report when the profiler ends. Default: true. */
  readonly printReport?: boolean;
  /** Rows of the tables of the report. Default: 25. */
  readonly top?: number;
  /** Time calls into hardware. Default: true. */
  readonly hal?: boolean;
  /** Tell deliberate sleep from the rest of the body. Default: true. */
  readonly sleepTrack?: boolean;
  /** Calls into hardware and sleeps from here on are in the trace one by one. Default: 1. */
  readonly halSpanMs?: number;
  /** Keep the trace in memory until `flushTraces`. Default: true. */
  readonly deferTrace?: boolean;
  /** Names the trace `STEM.MISSION.json`, and stands first in the paths of steps. */
  readonly mission?: string | undefined;
  /** Samples that are kept; of older ones only the sums. Of the lag ten times as many. Default: 100,000. */
  readonly maxSamples?: number;
  /** What it takes of the world: tests give it one of their own. */
  readonly host?: Partial<StepHost>;
}

export interface StepHost {
  /** Milliseconds. */
  readonly clock: () => number;
  readonly timers: StepTimers;
  readonly print: (text: string) => void;
  readonly warn: (line: string) => void;
  /** In milliseconds of `clock`; returns what ends it. */
  readonly watchGc: ((onPause: (pause: GcPause) => void) => () => void) | undefined;
  readonly watchDelay: ((resolutionMs: number) => DelayWatch) | undefined;
  readonly traces: StepTraces;
}

export type StepSettings = Required<Omit<StepProfilerOptions, 'host' | 'mission' | 'tracePath'>> & {
  readonly tracePath: string | undefined;
  readonly mission: string | undefined;
};

const DEFAULTS: StepSettings = {
  tracePath: undefined,
  loopLag: true,
  loopLagInterval: 0.005,
  lagSpikeMs: 5,
  printReport: true,
  top: 25,
  hal: true,
  sleepTrack: true,
  halSpanMs: 1,
  deferTrace: true,
  mission: undefined,
  maxSamples: 100_000,
};

/** A number that is none counts as not given: a profiler must not fail the program that it measures. */
export function settingsOf(options: StepProfilerOptions): StepSettings {
  return {
    tracePath: options.tracePath === '' ? undefined : options.tracePath,
    loopLag: options.loopLag ?? DEFAULTS.loopLag,
    loopLagInterval: wholeMs(numberOf(options.loopLagInterval, DEFAULTS.loopLagInterval, 0)) / 1000,
    lagSpikeMs: numberOf(options.lagSpikeMs, DEFAULTS.lagSpikeMs, 0),
    printReport: options.printReport ?? DEFAULTS.printReport,
    top: Math.trunc(numberOf(options.top, DEFAULTS.top, 0)),
    hal: options.hal ?? DEFAULTS.hal,
    sleepTrack: options.sleepTrack ?? DEFAULTS.sleepTrack,
    halSpanMs: numberOf(options.halSpanMs, DEFAULTS.halSpanMs, 0),
    deferTrace: options.deferTrace ?? DEFAULTS.deferTrace,
    mission: options.mission === '' ? undefined : options.mission,
    maxSamples: Math.trunc(numberOf(options.maxSamples, DEFAULTS.maxSamples, 1)),
  };
}

function numberOf(value: number | undefined, otherwise: number, least: number): number {
  return value === undefined || !Number.isFinite(value) ? otherwise : Math.max(value, least);
}

/** Node's timers count whole milliseconds, at least one: with any other interval each look would be late by the rest. */
export function wholeMs(seconds: number): number {
  return Math.max(Math.round(seconds * 1000), 1);
}

export function hostOf(own: Partial<StepHost>, programTraces: () => StepTraces): StepHost {
  const clock = own.clock ?? now;
  // Pauses and Node's own histogram are of Node's clock: beside another one they mean nothing.
  const isOwnClock = own.clock !== undefined;
  return {
    clock,
    timers: own.timers ?? NODE_TIMERS,
    print: own.print ?? printed,
    warn: own.warn ?? warned,
    watchGc: own.watchGc ?? (isOwnClock ? undefined : watchGc),
    watchDelay: own.watchDelay ?? (isOwnClock ? undefined : watchDelay),
    traces: own.traces ?? programTraces(),
  };
}

/** Taken when this file is loaded, as the timers are. */
const now = /* @__PURE__ */ performance.now.bind(performance);

function printed(text: string): void {
  write(process.stdout, text);
}

export function warned(line: string): void {
  write(process.stderr, `sim-profiler: ${line}\n`);
}

function ignore(): void {}

/** Whoever reads may be gone: an error of the stream that nobody listens to would end the program. */
function write(stream: NodeJS.WriteStream, text: string): void {
  stream.on('error', ignore);
  stream.write(text, () => setImmediate(() => stream.off('error', ignore)));
}
