import type { Profile } from '../model/index.js';
import { SAMPLE_NS } from './cpuprofile-own.js';
import { leftHeavy } from './left-heavy.js';

/** Samples of one thread as stretches of time that never overlap, earliest first. */
export interface ThreadSpans {
  /** Index into the profile's threads. */
  readonly thread: number;
  /** Row of the stack table; -1: no usable stack. */
  readonly stack: Int32Array;
  /** Whole nanoseconds since the window began. */
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  /** In the unit of the profile. */
  readonly weight: Float64Array;
  /** Index into `SAMPLE_STATES`; absent where the source has no states. */
  readonly state?: Uint8Array;
}

export interface Spans {
  /** Times are those of the source; else they mean nothing, and the stacks lie end to end, as a flame graph. */
  readonly timed: boolean;
  /** Threads that have samples, in the order of the profile. */
  readonly threads: readonly ThreadSpans[];
}

/** A stretch without a sample that is longer than this many usual ones is a gap: of random ones, one in 500 million is. */
const GAP_IN_USUAL = 20;

/**
 * When each stack stood. Measured times are kept to the nanosecond: the spans of a thread are as long together as its samples. A counted
 * sample with a time stands until the next look at its thread; before a gap, and at the end, as long as is usual. Counted samples without
 * times last 1 / `rateHz` each, or 1 ms.
 */
export function spansOf(profile: Profile, rateHz?: number): Spans {
  const { timeNs } = profile.samples;
  if (timeNs === undefined) return { timed: false, threads: withoutTimes(profile, rateHz) };
  const rows = rowsByThread(profile, timeNs);
  const measured = profile.unit === 'nanoseconds';
  // Where states are known, one look is at all threads: one that is not seen had no Python frame.
  const looks = profile.samples.state === undefined ? undefined : distinctTimes(timeNs);
  const threads = rows.flatMap((own, thread) => {
    if (own.length === 0) return [];
    return [
      measured
        ? measuredSpans(profile, thread, own, timeNs)
        : countedSpans(profile, thread, own, timeNs, looks),
    ];
  });
  return { timed: true, threads };
}

function rowsByThread({ samples, threads }: Profile, timeNs: Float64Array): readonly number[][] {
  const rows: number[][] = threads.map(() => []);
  for (let row = 0; row < samples.length; row += 1) {
    if ((samples.weight[row] as number) > 0) rows[samples.thread[row] as number]?.push(row);
  }
  for (const own of rows) own.sort((a, b) => (timeNs[a] as number) - (timeNs[b] as number) || a - b);
  return rows;
}

function distinctTimes(timeNs: Float64Array): Float64Array {
  const sorted = timeNs.toSorted();
  return sorted.filter((time, at) => at === 0 || time !== sorted[at - 1]);
}

/** @param ends of each row, not before the row's time. */
function spansFrom(
  profile: Profile,
  thread: number,
  rows: readonly number[],
  starts: Float64Array,
  ends: Float64Array,
): ThreadSpans {
  const { samples } = profile;
  const state = profile.samples.state;
  return {
    thread,
    stack: Int32Array.from(rows, (row) => samples.stack[row] as number),
    startNs: starts.map(Math.round),
    endNs: ends.map(Math.round),
    weight: Float64Array.from(rows, (row) => samples.weight[row] as number),
    ...(state === undefined ? {} : { state: Uint8Array.from(rows, (row) => state[row] as number) }),
  };
}

/** What begins before the one before it has ended begins when that ends: no time is lost, and none is counted twice. */
function measuredSpans(
  profile: Profile,
  thread: number,
  rows: readonly number[],
  timeNs: Float64Array,
): ThreadSpans {
  const starts = new Float64Array(rows.length);
  const ends = new Float64Array(rows.length);
  let end = Number.NEGATIVE_INFINITY;
  for (const [at, row] of rows.entries()) {
    starts[at] = Math.max(end, timeNs[row] as number);
    end = (starts[at] as number) + (profile.samples.weight[row] as number);
    ends[at] = end;
  }
  return spansFrom(profile, thread, rows, starts, ends);
}

function countedSpans(
  profile: Profile,
  thread: number,
  rows: readonly number[],
  timeNs: Float64Array,
  looks: Float64Array | undefined,
): ThreadSpans {
  const starts = Float64Array.from(rows, (row) => timeNs[row] as number);
  const moments = looks ?? starts;
  const usual = usualGap(moments);
  const ends = new Float64Array(rows.length);
  let look = 0;
  for (const [at, start] of starts.entries()) {
    while (look < moments.length && (moments[look] as number) <= start) look += 1;
    const next = moments[look];
    const isGap = next === undefined || next - start > usual * GAP_IN_USUAL;
    ends[at] = isGap ? start + usual : next;
  }
  shareMoments(starts, ends);
  return spansFrom(profile, thread, rows, starts, ends);
}

/** Samples of one moment share the time that it stands for: none is left out. */
function shareMoments(starts: Float64Array, ends: Float64Array): void {
  for (let first = 0; first < starts.length;) {
    const start = starts[first] as number;
    let after = first + 1;
    while (starts[after] === start) after += 1;
    const each = ((ends[first] as number) - start) / (after - first);
    for (let at = first; at < after; at += 1) {
      starts[at] = start + (at - first) * each;
      ends[at] = start + (at - first + 1) * each;
    }
    first = after;
  }
}

/** Mean of the gaps that are not of another kind: those above 20 times the median are left out. */
function usualGap(moments: Float64Array): number {
  const gaps = moments.subarray(1).map((moment, at) => moment - (moments[at] as number));
  const positive = gaps.filter((gap) => gap > 0).toSorted();
  // Of two, the shorter: the longer one may be the gap.
  const median = positive[(positive.length - 1) >> 1];
  if (median === undefined) return SAMPLE_NS;
  const usual = positive.filter((gap) => gap <= median * GAP_IN_USUAL);
  return usual.reduce((sum, gap) => sum + gap, 0) / usual.length;
}

function withoutTimes(profile: Profile, rateHz: number | undefined): ThreadSpans[] {
  const worth = profile.unit === 'nanoseconds' ? 1 : rateHz === undefined ? SAMPLE_NS : 1e9 / rateHz;
  return leftHeavy(profile).map(({ thread, stack, weight }) => {
    const startNs = new Float64Array(stack.length);
    const endNs = new Float64Array(stack.length);
    let sum = 0;
    for (const [at, amount] of weight.entries()) {
      startNs[at] = Math.round(sum * worth);
      sum += amount;
      endNs[at] = Math.round(sum * worth);
    }
    return { thread, stack, startNs, endNs, weight };
  });
}
