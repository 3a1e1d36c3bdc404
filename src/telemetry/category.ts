/**
 * What is kept of one category of one thread: numbers over the whole run, a histogram, and the last durations. All of it is one buffer that
 * another thread may read at any moment, so its layout is a contract between threads (and between two copies of this package): a change of
 * it changes `LAYOUT`. The thread that it belongs to is the only one that writes.
 */
import { BUCKETS } from './durations.js';

export const LAYOUT = 2;

/** Index among the 32-bit words: odd while a duration is being written. */
export const SEQUENCE = 0;
export const UNUSED = 1;
/** Indices among the doubles; all times are milliseconds. */
export const COUNT = 1;
export const SUM = 2;
/** Every moment counted once, however many calls were open in it. */
export const COVERED = 3;
export const OWN = 4;
export const MIN = 5;
export const MAX = 6;
export const FIRST = 7;
/** Calls that have begun and not ended. */
export const OPEN = 8;
/** Up to when `COVERED` has been counted, while calls are open. */
export const MARK = 9;
/** Calls whose own time is not known, and how long they took: `OWN` is of the others. */
export const UNKNOWN = 10;
export const UNKNOWN_TIME = 11;
/** Durations that the clock made negative, or no number: counted as 0. */
export const CLOCK_BACK = 12;
/** Promises with something of their own, which are handed on untouched: timed until they were returned. */
export const UNTOUCHED = 13;
/** Ends without a beginning, second ends, ends out of order. */
export const ILL_PAIRED = 14;
/** Durations that `record` was given and that are none. */
export const REFUSED = 15;
/** Sum of first calls and number of threads: more than one of each where ended threads were put together. */
export const FIRST_SUM = 16;
export const THREADS = 17;
export const HEADER = 18;
/** The last durations; behind them, at the same places, when each ended. */
export const RING: number = HEADER + BUCKETS;

export function bytesOf(capacity: number): number {
  return (RING + 2 * capacity) * 8;
}

export class Category {
  readonly cells: Float64Array;
  readonly words: Int32Array;
  /** Where the next duration goes in the ring. */
  next = 0;
  /** A plain function of this category has returned a promise: the next one is called as an asynchronous one. */
  isAsync = false;
  readonly name: string;
  readonly capacity: number;
  readonly buffer: ArrayBufferLike;

  constructor(name: string, capacity: number, buffer: ArrayBufferLike) {
    this.name = name;
    this.capacity = capacity;
    this.buffer = buffer;
    this.cells = new Float64Array(buffer);
    this.words = new Int32Array(buffer);
  }
}
