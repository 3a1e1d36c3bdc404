import {
  BUCKETS,
  type Bucket,
  type Profile,
  RESTING,
  SAMPLE_STATES,
  type Thread,
  type SampleState,
  waitOfState,
} from '../model/index.js';
import { type Claim, UNCLAIMED } from '../rules/index.js';
import { type Change, changesIn } from './changes.js';
import { Neighbours } from './neighbours.js';
import type { OverTimeRow, TimeBin } from './time-bins.js';

/** What one thread did over the window. Shares are of the samples of each bin, and sum to 1. */
export interface OverTime {
  readonly thread: Thread;
  readonly role: string;
  readonly binS: number;
  readonly bins: readonly TimeBin[];
  /** Those that work, the largest first; then what nothing claimed, then what rests, in the order of all buckets. */
  readonly buckets: readonly OverTimeRow<Bucket>[];
  /** What the kernel said; absent where the source has no states. */
  readonly states?: readonly OverTimeRow<SampleState>[];
  /** What is more than counting explains. */
  readonly changes: readonly Change[];
}

export interface OverTimeFacts {
  readonly profile: Profile;
  /** Index into the profile's threads. */
  readonly thread: number;
  readonly role: string;
  /** By row of the stack table. */
  readonly claims: readonly Claim[];
  /** Seconds since the window began. */
  readonly fromS: number;
  readonly toS: number;
  readonly binS: number;
}

/**
 * The samples of one thread by time and bucket. A sample that waits for the GIL or a CPU is in that bucket, wherever its stack stands. A
 * measured sample counts in every bin that its time reaches into.
 * @throws RangeError where the profile has no times.
 */
export function overTime(facts: OverTimeFacts): OverTime {
  const { profile, thread, fromS, toS, binS } = facts;
  // What is left at the end is a bin where it is half of one: few samples of a short one would be the extremes of every row.
  const count = Math.max(1, Math.round((toS - fromS) / binS));
  const buckets = new Rows(BUCKETS.length, count);
  const states = new Rows(SAMPLE_STATES.length, count);
  const looks = new Float64Array(count);
  const neighbours = new Neighbours(BUCKETS.length, count);
  const state = profile.samples.state;
  for (const { row, bin, weight, isFirst } of stretches(facts, count)) {
    const own = state?.[row];
    const claim = facts.claims[profile.samples.stack[row] as number] ?? UNCLAIMED;
    const bucket = BUCKETS.indexOf(waitOfState(own) ?? claim.bucket);
    buckets.add(bucket, bin, weight);
    if (isFirst) {
      looks[bin] = (looks[bin] as number) + 1;
      neighbours.add(bucket, bin);
    }
    if (own !== undefined) states.add(own, bin, weight);
  }
  const rows = buckets.rows(BUCKETS).toSorted((a, b) => rank(a.id) - rank(b.id) || order(a, b));
  const bins = Array.from(looks, (own, bin) => ({
    fromS: rounded(fromS + bin * binS),
    toS: rounded(Math.min(toS, fromS + (bin + 1) * binS)),
    looks: own,
  }));
  return {
    thread: profile.threads[thread] ?? {},
    role: facts.role,
    binS,
    bins,
    buckets: rows,
    ...(state === undefined ? {} : { states: states.rows(SAMPLE_STATES) }),
    changes: changesIn(bins, rows, (bucket) => neighbours.clustering(BUCKETS.indexOf(bucket))),
  };
}

/** To the microsecond: what is beyond is the rounding of the machine. */
function rounded(seconds: number): number {
  return Number(seconds.toFixed(6));
}

function rank(bucket: Bucket): number {
  if (bucket === 'unclassified') return 1;
  // As in the breakdown: waiting, pacer and idle in their fixed order.
  return RESTING.has(bucket) ? 2 + BUCKETS.indexOf(bucket) : 0;
}

function order(a: OverTimeRow<Bucket>, b: OverTimeRow<Bucket>): number {
  return b.share - a.share || BUCKETS.indexOf(a.id) - BUCKETS.indexOf(b.id);
}

interface Stretch {
  readonly row: number;
  readonly bin: number;
  readonly weight: number;
  /** In the bin in which the sample was taken. */
  readonly isFirst: boolean;
}

function* stretches({ profile, thread, fromS, binS }: OverTimeFacts, count: number): Generator<Stretch> {
  const { samples, unit } = profile;
  const { timeNs } = samples;
  if (timeNs === undefined) throw new RangeError('samples without times are not over time');
  const binNs = binS * 1e9;
  const place = (ns: number): number =>
    Math.min(count - 1, Math.max(0, Math.floor((ns - fromS * 1e9) / binNs)));
  for (const row of inOrder(timeNs, thread, samples.thread)) {
    const start = timeNs[row] as number;
    const weight = samples.weight[row] as number;
    const first = place(start);
    if (unit === 'samples' || !(weight > 0)) {
      yield { row, bin: first, weight, isFirst: true };
      continue;
    }
    for (let bin = first, from = start; from < start + weight; bin += 1) {
      const end =
        bin >= count - 1 ? start + weight : Math.min(start + weight, fromS * 1e9 + (bin + 1) * binNs);
      // A bound that rounding puts before the sample's own begin holds nothing of it.
      if (end > from) yield { row, bin, weight: end - from, isFirst: bin === first };
      from = Math.max(from, end);
    }
  }
}

/** Rows of one thread, earliest first. */
function inOrder(timeNs: Float64Array, thread: number, threads: Int32Array): number[] {
  const rows: number[] = [];
  for (let row = 0; row < threads.length; row += 1) if (threads[row] === thread) rows.push(row);
  return rows.sort((a, b) => (timeNs[a] as number) - (timeNs[b] as number) || a - b);
}

/** Weights by row and bin. */
class Rows {
  readonly #bins: number;
  readonly #weights: Float64Array;
  readonly #totals: Float64Array;

  constructor(height: number, bins: number) {
    this.#bins = bins;
    this.#weights = new Float64Array(height * bins);
    this.#totals = new Float64Array(bins);
  }

  add(row: number, bin: number, weight: number): void {
    const at = row * this.#bins + bin;
    this.#weights[at] = (this.#weights[at] as number) + weight;
    this.#totals[bin] = (this.#totals[bin] as number) + weight;
  }

  /** Those that have something. */
  rows<Id>(ids: readonly Id[]): OverTimeRow<Id>[] {
    const all = this.#totals.reduce((sum, one) => sum + one, 0);
    return ids.flatMap((id, row) => {
      const own = this.#weights.subarray(row * this.#bins, (row + 1) * this.#bins);
      const sum = own.reduce((total, one) => total + one, 0);
      if (!(sum > 0)) return [];
      const shares = Array.from(this.#totals, (total, bin) =>
        total > 0 ? (own[bin] as number) / total : undefined,
      );
      return [{ id, share: sum / all, shares }];
    });
  }
}

/** Lengths of a bin that read well. */
const NICE_S = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200];
/** Below this a bin is a second, or what is more. */
const SHORT_WINDOW_S = 10;
/** Samples that a bin should hold on average: fewer tell next to nothing. */
const LEAST_LOOKS = 50;

/** Length of a bin: a second, more where that makes more than `most` of them, less where the window is short and the samples are many. */
export function binLength(windowS: number, looks: number, most: number): number {
  const least = windowS < SHORT_WINDOW_S ? 0 : 1;
  const fits = NICE_S.find(
    (binS) =>
      binS >= least && windowS / binS <= most && (binS >= 1 || (looks * binS) / windowS >= LEAST_LOOKS),
  );
  return fits ?? Math.ceil(windowS / most);
}
