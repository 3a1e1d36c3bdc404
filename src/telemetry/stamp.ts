/**
 * Reads the clock where a call begins and where it ends, and writes down how long it took. All of that is one function for the sake of V8: it
 * is too large to become a part of whoever calls it, so it is compiled by itself, always with the clock as a part of it, and no number is
 * ever allocated to be handed over. Numbers come and go in arrays for the same reason.
 */
import {
  CLOCK_BACK,
  COUNT,
  COVERED,
  FIRST,
  FIRST_SUM,
  HEADER,
  MARK,
  MAX,
  MIN,
  OPEN,
  OWN,
  RING,
  SEQUENCE,
  SUM,
  THREADS,
  UNKNOWN,
  UNKNOWN_TIME,
} from './category.js';
import type { Category } from './category.js';
import { bucketOf } from './durations.js';

/** Indices of the numbers of a thread: the running sum of the time of children, and what is known of the call that has just ended. */
export const CHILDREN = 0;
export const END = 1;
export const TOOK = 2;
export const OWN_PART = 3;
export const COVER = 4;
export const TIMES = 5;

/** A call begins: its start, and the sum of children then, become its marks. */
export const BEGIN = 0;
/** A call ends whose marks these are; its duration joins those of the children of whoever is around it. */
export const FINISH = 1;
/** `END`, `TOOK`, `OWN_PART` and `COVER` are given, and are to be written down; no number as `END`: it is no stretch of time. */
export const GIVEN = 2;
/** The same, but own time is not known. */
export const GIVEN_IN_PART = 3;

/** Which half of a double is the upper one. */
const UPPER = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 1 : 0;

export function stamp(
  category: Category,
  times: Float64Array,
  clock: () => number,
  kind: number,
  marks: Float64Array,
  at: number,
): void {
  const { cells } = category;
  if (kind <= FINISH) {
    const now = clock();
    if (kind === BEGIN) {
      marks[at] = now;
      marks[at + 1] = times[CHILDREN]!;
      if (cells[OPEN]!++ === 0) cells[MARK] = now;
      return;
    }
    let ran = now - marks[at]!;
    if (!(ran >= 0 && ran < Infinity)) {
      ran = 0;
      cells[CLOCK_BACK]!++;
    }
    const before = marks[at + 1]!;
    const own = ran - (times[CHILDREN]! - before);
    const covered = now - cells[MARK]!;
    cells[MARK] = now;
    cells[OPEN]!--;
    times[CHILDREN] = before + ran;
    times[END] = now;
    times[TOOK] = ran;
    times[OWN_PART] = own > 0 ? own : 0;
    times[COVER] = covered > 0 && covered < Infinity ? covered : 0;
  }
  const took = times[TOOK]!;
  const { words, next } = category;
  // A reader that sees the same even number before and after has seen all of it or nothing.
  const sequence = words[SEQUENCE]!;
  Atomics.store(words, SEQUENCE, sequence + 1);
  // A thread that is killed in here has written a duration into the ring that nobody counts.
  const cell = RING + next;
  cells[cell] = took;
  cells[cell + category.capacity] = times[END]!;
  category.next = next + 1 === category.capacity ? 0 : next + 1;
  const count = cells[COUNT]!;
  if (count === 0) {
    cells[FIRST] = took;
    cells[FIRST_SUM] = took;
    cells[THREADS] = 1;
    cells[MIN] = took;
    cells[MAX] = took;
  } else if (took < cells[MIN]!) cells[MIN] = took;
  else if (took > cells[MAX]!) cells[MAX] = took;
  cells[SUM]! += took;
  cells[COVERED]! += times[COVER]!;
  if (kind === GIVEN_IN_PART) {
    cells[UNKNOWN]!++;
    cells[UNKNOWN_TIME]! += took;
  } else cells[OWN]! += times[OWN_PART]!;
  cells[HEADER + bucketOf(words[2 * cell + UPPER]!)]!++;
  cells[COUNT] = count + 1;
  Atomics.store(words, SEQUENCE, sequence + 2);
}

/** How much time is newly covered, now that a call of the category has ended at `END`. */
export function cover({ cells }: Category, times: Float64Array): void {
  const end = times[END]!;
  const covered = end - cells[MARK]!;
  cells[MARK] = end;
  cells[OPEN]!--;
  times[COVER] = covered > 0 && covered < Infinity ? covered : 0;
}

/** Time of a call that goes on, as a generator does. */
export function addCover({ cells, words }: Category, times: Float64Array): void {
  const sequence = words[SEQUENCE]!;
  Atomics.store(words, SEQUENCE, sequence + 1);
  cells[COVERED]! += times[COVER]!;
  Atomics.store(words, SEQUENCE, sequence + 2);
}
