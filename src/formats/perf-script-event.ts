import type { Frame } from '../model/index.js';

/** What every line of `perf script` may tell first. Fields that were not printed (`-F`) are absent. */
export interface PerfPlace {
  /** Name of the thread at that time. Raw: blanks, digits, `;` and what looks like other fields are part of it. */
  readonly comm?: string;
  readonly pid?: number;
  /** Where perf printed one number it is taken for the thread's, as that is perf's default. */
  readonly tid?: number;
  readonly cpu?: number;
  /** perf's clock in nanoseconds, as printed; exact up to 104 days after boot, to 2 ns beyond. */
  readonly timeNs?: number;
}

/** One event with its stack. */
export interface PerfSample extends PerfPlace {
  readonly kind: 'sample';
  /** As printed, with its modifiers: `cpu-clock:ppp`, `sched:sched_switch`. */
  readonly event?: string;
  readonly period?: number;
  /** Text after the event's name, blanks trimmed: the arguments of a tracepoint. */
  readonly args?: string;
  /** Root first. Equal lines of the input give the same object. */
  readonly frames: readonly Frame[];
  /** The stack stands on the event's own line: there is no call graph. */
  readonly oneLine: boolean;
}

/** A thread went onto a CPU or off it (`--show-switch-events`). */
export interface PerfSwitch extends PerfPlace {
  readonly kind: 'switch';
  readonly direction: 'in' | 'out';
  /** It could have run on: it now waits for a CPU. */
  readonly preempted: boolean;
  /** The thread before or after it, where perf recorded whole CPUs. */
  readonly other?: { readonly pid: number; readonly tid: number };
}

/** The kernel dropped this many events. */
export interface PerfLost extends PerfPlace {
  readonly kind: 'lost';
  readonly count: number;
}

/** Sampling was paused because it took too much time (`on`), or goes on. */
export interface PerfThrottle extends PerfPlace {
  readonly kind: 'throttle';
  readonly on: boolean;
}

/** Any other record: `COMM`, `MMAP2`, `FORK`, `EXIT`, with the text after its name. */
export interface PerfRecord extends PerfPlace {
  readonly kind: 'record';
  readonly record: string;
  readonly text: string;
}

/** A line that is none of perf's, or cannot be used. `lostData`: perf's own words for data that is gone. */
export interface PerfNoise {
  readonly kind: 'noise';
  readonly lineNo: number;
  readonly reason: string;
  /** Up to 200 characters. */
  readonly text: string;
  readonly lostData: boolean;
}

/** The input ends within this line, or before the stack of its last event. That event is not given. */
export interface PerfCut {
  readonly kind: 'cut';
  readonly lineNo: number;
  readonly text: string;
}

export type PerfEvent = PerfSample | PerfSwitch | PerfLost | PerfThrottle | PerfRecord | PerfNoise | PerfCut;
