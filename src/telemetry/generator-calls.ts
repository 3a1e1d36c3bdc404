/**
 * Generators: to call one runs nothing, so a call lasts from the first resumption to the end, and took as long as it ran: what its consumer
 * did between two values is not part of it. One that is never run to its end is not counted.
 */
import { AsyncCall } from './async-call.js';
import { CLOCK_BACK } from './category.js';
import type { Category } from './category.js';
import { durationOf } from './open-calls.js';
import type { OpenCalls } from './open-calls.js';
import { COVER, END, GIVEN, GIVEN_IN_PART, OWN_PART, TOOK, addCover, cover, stamp } from './stamp.js';

const RESUMPTIONS = ['next', 'return', 'throw'] as const;
type Resume = (...args: unknown[]) => unknown;

/** The generator itself, with its three methods timed: whoever tests what it is finds the same. */
export function watchGenerator<T>(calls: OpenCalls, category: Category, fn: () => T): T {
  let took = 0;
  let own = 0;
  let isRunning = false;
  let isOver = false;
  const { times } = calls;
  return watched(fn(), (generator, resume, args) => {
    if (isOver || isRunning) return resume.apply(generator, args);
    const parent = calls.parent();
    const top = calls.topHandle;
    const level = calls.enter(category);
    parent?.enter(calls.frames[2 * level]!);
    isRunning = true;
    isOver = true;
    try {
      const result = resume.apply(generator, args);
      isOver = isDone(result);
      return result;
    } finally {
      isRunning = false;
      calls.stop(category, level, top);
      parent?.leave(times[END]!);
      took += times[TOOK]!;
      own += times[OWN_PART]!;
      cover(category, times);
      addCover(category, times);
      if (isOver) write(calls, category, took, own, true);
    }
  });
}

export function watchAsyncGenerator<T>(calls: OpenCalls, category: Category, fn: () => T): T {
  const { times, storage } = calls;
  const call = storage === undefined ? undefined : new AsyncCall();
  let took = 0;
  let mark = 0;
  let pending = 0;
  let isOver = false;
  return watched(fn(), (generator, resume, args) => {
    if (isOver) return resume.apply(generator, args);
    const parent = calls.parent();
    if (parent === undefined) calls.doubtHandle();
    const top = calls.topHandle;
    const level = calls.enter(category);
    const start = calls.frames[2 * level]!;
    parent?.enter(start);
    if (pending++ === 0) mark = start;
    if (call !== undefined) {
      calls.asyncOpen++;
      calls.topHandle = level;
    }
    const run = (): unknown => resume.apply(generator, args);
    const promise = (call === undefined ? run() : storage?.run(call, run)) as Promise<unknown>;
    calls.giveWay(level, top);
    const settled = (isLast: boolean): void => {
      const end = calls.clock();
      const ran = durationOf(mark, end);
      if (ran < 0) category.cells[CLOCK_BACK]!++;
      else took += ran;
      mark = end;
      pending--;
      if (call !== undefined) calls.asyncOpen--;
      times[END] = end;
      cover(category, times);
      addCover(category, times);
      parent?.leave(end);
      if (!isLast || isOver) return;
      isOver = true;
      call?.close(end);
      write(calls, category, took, Math.max(0, took - (call?.covered ?? 0)), call !== undefined);
    };
    return promise.then(
      (result) => {
        settled(isDone(result));
        return result;
      },
      (error: unknown) => {
        settled(true);
        throw error;
      },
    );
  });
}

function write(calls: OpenCalls, category: Category, took: number, own: number, isOwnKnown: boolean): void {
  const { times, clock } = calls;
  // What its consumer did lies between: there is no one stretch of time.
  times[END] = NaN;
  times[TOOK] = took;
  times[OWN_PART] = own;
  // Has been added bit by bit.
  times[COVER] = 0;
  stamp(category, times, clock, isOwnKnown ? GIVEN : GIVEN_IN_PART, times, 0);
}

function isDone(result: unknown): boolean {
  return (result as IteratorResult<unknown>).done === true;
}

function watched<T>(
  generator: T,
  timed: (generator: unknown, resume: Resume, args: unknown[]) => unknown,
): T {
  for (const name of RESUMPTIONS) {
    const resume = (generator as Record<string, Resume>)[name]!;
    Object.defineProperty(generator, name, {
      configurable: true,
      writable: true,
      value(this: unknown, ...args: unknown[]) {
        return this === generator ? timed(generator, resume, args) : resume.apply(this, args);
      },
    });
  }
  return generator;
}
