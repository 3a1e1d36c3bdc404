import type { AsyncCall, AsyncStorage } from './async-call.js';
import type { Category } from './category.js';

/** The open calls of a thread, as calls need them that do not end when they return. */
export interface OpenCalls {
  readonly times: Float64Array;
  /** By level its start, and the sum of children then. */
  readonly frames: Float64Array;
  readonly clock: () => number;
  readonly storage: AsyncStorage | undefined;
  /** Asynchronous calls that have not settled: without any, the storage is not asked. */
  asyncOpen: number;
  /** The level of the nearest handle below. What begins right on top of it may be in another turn of the event loop, and asks the storage. */
  topHandle: number;
  enter(category: Category): number;
  leave(category: Category, level: number, top: number): void;
  stop(category: Category, level: number, top: number): void;
  giveWay(level: number, top: number): void;
  parent(): AsyncCall | undefined;
  doubtHandle(): void;
}

/** A duration that can be one, or -1: the clock may go back, or be no clock. */
export function durationOf(start: number, end: number): number {
  const took = end - start;
  return took >= 0 && took < Infinity ? took : -1;
}
