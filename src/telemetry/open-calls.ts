import type { AsyncCall, AsyncStorage } from './async-call.js';
import type { Category } from './category.js';

/** The open calls of a thread, as calls need them that do not end when they return. */
export interface OpenCalls {
  readonly times: Float64Array;
  /** By level, two numbers: its start, and the sum of children then. */
  readonly frames: Float64Array;
  readonly clock: () => number;
  readonly storage: AsyncStorage | undefined;
  /** Asynchronous calls that have not settled: without any, the storage is not asked. */
  asyncOpen: number;
  /** The level of the nearest handle below. What begins right on top of it may be in another turn of the event loop, and asks the storage. */
  topHandle: number;
  /** A call begins: the answer is its level. */
  enter(category: Category): number;
  leave(category: Category, level: number, top: number): void;
  /** Takes a call from its level, and says in `times` how long it took; nothing is written down. */
  stop(category: Category, level: number, top: number): void;
  /** The call has returned and goes on; what called it was kept for so long. */
  giveWay(level: number, top: number): void;
  /** The asynchronous call that what begins now is the next inside of, if there is one. */
  parent(): AsyncCall | undefined;
  /** What begins now is asynchronous: of a handle right below it, own time cannot be known. */
  doubtHandle(): void;
}

/** A duration that can be one, or -1: the clock may go back, or be no clock. */
export function durationOf(start: number, end: number): number {
  const took = end - start;
  return took >= 0 && took < Infinity ? took : -1;
}

/** Calls what is asynchronous so that calls inside it find it. Where there is no such thing it is left out, also of what a page loads. */
export type CallAsync = <T>(calls: OpenCalls, storage: AsyncStorage, category: Category, fn: () => T) => T;

export interface AsyncContext {
  readonly storage: AsyncStorage;
  readonly call: CallAsync;
}
