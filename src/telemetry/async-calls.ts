/**
 * Calls whose duration goes on after they returned: until their promise has settled. Own time of such a call is the part of it in which none
 * of those that it made itself was open. They are found by the context that Node hands on (`AsyncLocalStorage`), which has to be set before
 * the call: where that was not possible, own time is not known, and counted as such.
 */
import { AsyncCall } from './async-call.js';
import type { AsyncStorage } from './async-call.js';
import { CLOCK_BACK, UNTOUCHED } from './category.js';
import type { Category } from './category.js';
import { durationOf } from './open-calls.js';
import type { OpenCalls } from './open-calls.js';
import { END, GIVEN, GIVEN_IN_PART, OWN_PART, TOOK, cover, stamp } from './stamp.js';

export function callAsync<T>(calls: OpenCalls, storage: AsyncStorage, category: Category, fn: () => T): T {
  const call = new AsyncCall();
  const parent = calls.parent();
  if (parent === undefined) calls.doubtHandle();
  const top = calls.topHandle;
  const level = calls.enter(category);
  const start = calls.frames[2 * level]!;
  parent?.enter(start);
  calls.asyncOpen++;
  // What begins in here asks the storage, as it will after the first `await`.
  calls.topHandle = level;
  const over = (): void => {
    calls.asyncOpen--;
    finish(calls, category, start, call, parent);
  };
  let value: T;
  try {
    value = storage.run(call, fn);
  } catch (error) {
    calls.giveWay(level, top);
    over();
    throw error;
  }
  calls.giveWay(level, top);
  if (typeof value === 'object' && value instanceof Promise && isPlain(value)) return following(value, over);
  if (value instanceof Promise) category.cells[UNTOUCHED]!++;
  over();
  return value;
}

/** A plain function has returned a promise. */
export function settle<T>(
  calls: OpenCalls,
  category: Category,
  level: number,
  top: number,
  value: T & Promise<unknown>,
  parent: AsyncCall | undefined,
): T {
  if (!isPlain(value)) {
    category.cells[UNTOUCHED]!++;
    calls.leave(category, level, top);
    parent?.leave(calls.times[END]!);
    return value;
  }
  // Next time it is known beforehand.
  category.isAsync = calls.storage !== undefined;
  const start = calls.frames[2 * level]!;
  calls.giveWay(level, top);
  if (parent === undefined) calls.doubtHandle();
  return following(value, () => finish(calls, category, start, undefined, parent));
}

function finish(
  calls: OpenCalls,
  category: Category,
  start: number,
  call: AsyncCall | undefined,
  parent: AsyncCall | undefined,
): void {
  const { times } = calls;
  const end = calls.clock();
  let took = durationOf(start, end);
  if (took < 0) {
    took = 0;
    category.cells[CLOCK_BACK]!++;
  }
  call?.close(end);
  times[END] = end;
  times[TOOK] = took;
  times[OWN_PART] = Math.max(0, took - (call?.covered ?? 0));
  cover(category, times);
  stamp(category, times, calls.clock, call === undefined ? GIVEN_IN_PART : GIVEN, times, 0);
  parent?.leave(end);
}

/**
 * A promise that is nothing but one. Some have properties of their own that callers need (`ky`), some are of another class: they are handed on
 * as they are, since to follow them is to handle their rejection, or to start what they stand for.
 */
function isPlain(promise: Promise<unknown>): boolean {
  return (
    Object.getPrototypeOf(promise) === Promise.prototype && Object.getOwnPropertyNames(promise).length === 0
  );
}

/** Settles as the promise does. To watch it from the side would handle its rejection, of which then nobody hears. */
function following<T>(promise: T & Promise<unknown>, over: () => void): T {
  return promise.then(
    (value) => {
      over();
      return value;
    },
    (error: unknown) => {
      over();
      throw error;
    },
  ) as T & Promise<unknown>;
}
