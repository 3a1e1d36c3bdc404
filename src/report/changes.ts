import type { Bucket } from '../model/index.js';
import type { OverTimeRow, TimeBin } from './time-bins.js';

/**
 * What a bucket did that counting does not explain. `burst`: a few bins in a row are apart from all others. `drift`: it rises or falls from
 * the first to the last third. `uneven`: it goes up and down all over the window.
 */
export type Change =
  | {
      readonly kind: 'burst';
      readonly bucket: Bucket;
      readonly fromS: number;
      readonly toS: number;
      readonly share: number;
      /** In all other bins. */
      readonly elsewhere: number;
    }
  | {
      readonly kind: 'drift';
      readonly bucket: Bucket;
      /** Of the first third of the bins, and of the last. */
      readonly first: number;
      readonly last: number;
    }
  | { readonly kind: 'uneven'; readonly bucket: Bucket; readonly low: number; readonly high: number };

/** Standard deviations beyond which a difference is none of counting: of 600 shares one in 25 recordings is by chance. */
const BEYOND = 4;
/** Less than five points may be a bias of the sampler that changes with the load. */
const LEAST_DIFFERENCE = 0.05;
/** A difference that is worth naming whatever made it. */
const LARGE = 0.4;
/** More bins than this part that are apart are no bursts. */
const MOST_IN_BURSTS = 0.25;
/** Samples below which a share of a bin says nothing. */
const LEAST_LOOKS = 20;

interface Cell {
  readonly bin: number;
  /** Samples that know nothing of each other. */
  readonly looks: number;
  readonly share: number;
}

/**
 * Every change, the largest first; each bucket has one kind alone.
 * @param clustering of each bucket: how many samples tell as much as one that knows nothing of its neighbours; from 1.
 */
export function changesIn(
  bins: readonly TimeBin[],
  rows: readonly OverTimeRow<Bucket>[],
  clustering: (bucket: Bucket) => number,
): readonly Change[] {
  return rows
    .flatMap((row) => changesOf(bins, row, clustering(row.id)))
    .toSorted((a, b) => sizeOf(b) - sizeOf(a));
}

export function sizeOf(change: Change): number {
  if (change.kind === 'burst') return Math.abs(change.share - change.elsewhere);
  return change.kind === 'drift' ? Math.abs(change.last - change.first) : change.high - change.low;
}

function changesOf(
  bins: readonly TimeBin[],
  { id, shares }: OverTimeRow<Bucket>,
  clustering: number,
): Change[] {
  const cells = bins.flatMap(({ looks }, bin): Cell[] => {
    const share = shares[bin];
    return share === undefined || looks < LEAST_LOOKS ? [] : [{ bin, looks: looks / clustering, share }];
  });
  if (cells.length < 3) return [];
  const drift = driftOf(cells);
  if (drift !== undefined) return [{ kind: 'drift', bucket: id, ...drift }];
  const all = sums(cells);
  const apart = cells.filter((cell) => isApart(cell, all, clustering));
  if (apart.length > 0 && apart.length <= cells.length * MOST_IN_BURSTS) {
    return runsOf(apart, all.weight / all.looks).map((run) => {
      const own = sums(run);
      return {
        kind: 'burst',
        bucket: id,
        fromS: bins[run[0]?.bin ?? 0]?.fromS ?? 0,
        toS: bins[run.at(-1)?.bin ?? 0]?.toS ?? 0,
        share: own.weight / own.looks,
        elsewhere: (all.weight - own.weight) / (all.looks - own.looks),
      };
    });
  }
  return isUneven(cells, all) ? [{ kind: 'uneven', bucket: id, ...range(cells) }] : [];
}

interface Sums {
  readonly looks: number;
  /** Samples of the bucket. */
  readonly weight: number;
}

function sums(cells: readonly Cell[]): Sums {
  return {
    looks: cells.reduce((sum, { looks }) => sum + looks, 0),
    weight: cells.reduce((sum, { looks, share }) => sum + looks * share, 0),
  };
}

function range(cells: readonly Cell[]): { readonly low: number; readonly high: number } {
  const shares = cells.map(({ share }) => share);
  return { low: Math.min(...shares), high: Math.max(...shares) };
}

/**
 * One bin against all others: two shares of counted samples, on the scale on which their spread does not depend on them (arcsine). What
 * is large is named even where it may be one long call: that it was there is no matter of counting.
 */
function isApart({ looks, share }: Cell, all: Sums, clustering: number): boolean {
  const rest = all.looks - looks;
  if (!(rest > 0)) return false;
  const others = (all.weight - looks * share) / rest;
  const difference = Math.abs(share - others);
  if (difference < LEAST_DIFFERENCE) return false;
  const distance = 2 * Math.abs(angle(share) - angle(others));
  const spread = Math.sqrt(1 / looks + 1 / rest);
  return distance > (BEYOND * spread) / (difference < LARGE ? 1 : Math.sqrt(clustering));
}

function angle(share: number): number {
  return Math.asin(Math.sqrt(Math.min(1, Math.max(0, share))));
}

/** Of one sample, in the bucket or not. */
function deviation({ looks, weight }: Sums): number {
  const share = weight / looks;
  return Math.sqrt(Math.max(0, share * (1 - share)));
}

/** A third of fewer bins is no more than a burst. */
const LEAST_DRIFT_BINS = 9;

/** The trend of a share over the bins (Cochran and Armitage), and how far it goes. */
function driftOf(cells: readonly Cell[]): { readonly first: number; readonly last: number } | undefined {
  if (cells.length < LEAST_DRIFT_BINS) return undefined;
  const third = Math.floor(cells.length / 3);
  const head = sums(cells.slice(0, third));
  const tail = sums(cells.slice(-third));
  const [first, last] = [head.weight / head.looks, tail.weight / tail.looks];
  if (Math.abs(last - first) < LEAST_DIFFERENCE) return undefined;
  const all = sums(cells);
  const middle = cells.reduce((sum, { bin, looks }) => sum + bin * looks, 0) / all.looks;
  let slope = 0;
  let spread = 0;
  for (const { bin, looks, share } of cells) {
    slope += (bin - middle) * looks * share;
    spread += looks * (bin - middle) ** 2;
  }
  if (!(Math.abs(slope) > BEYOND * deviation(all) * Math.sqrt(spread))) return undefined;
  return isSteady(cells, last > first) ? { first, last } : undefined;
}

/** A burst near an end has a trend, too: a drift is one where the middle third lies between the others, and no third is alone. */
function isSteady(cells: readonly Cell[], rises: boolean): boolean {
  const third = Math.floor(cells.length / 3);
  const medians = [cells.slice(0, third), cells.slice(third, -third), cells.slice(-third)].map(medianOf);
  const [first = 0, middle = 0, last = 0] = rises ? medians : medians.toReversed();
  return first <= middle && middle <= last && last - first >= LEAST_DIFFERENCE;
}

function medianOf(cells: readonly Cell[]): number {
  const shares = cells.map(({ share }) => share).toSorted((a, b) => a - b);
  const middle = shares.length >> 1;
  const upper = shares[middle] ?? 0;
  return shares.length % 2 === 1 ? upper : (upper + (shares[middle - 1] ?? upper)) / 2;
}

/** All bins against their common share: chi-square, whose cube root is close to normal (Wilson and Hilferty). */
function isUneven(cells: readonly Cell[], all: Sums): boolean {
  const { low, high } = range(cells);
  if (high - low < LEAST_DIFFERENCE) return false;
  const variance = deviation(all) ** 2;
  if (!(variance > 0)) return false;
  const mean = all.weight / all.looks;
  const square = cells.reduce((sum, { looks, share }) => sum + (looks * (share - mean) ** 2) / variance, 0);
  const freedom = cells.length - 1;
  const step = 2 / (9 * freedom);
  return Math.cbrt(square / freedom) > 1 - step + BEYOND * Math.sqrt(step);
}

/** Bins next to each other on the same side are one. */
function runsOf(apart: readonly Cell[], mean: number): Cell[][] {
  const runs: Cell[][] = [];
  for (const cell of apart) {
    const last = runs.at(-1);
    const before = last?.at(-1);
    const isNext = before !== undefined && before.bin === cell.bin - 1;
    if (isNext && before.share > mean === cell.share > mean) last?.push(cell);
    else runs.push([cell]);
  }
  return runs;
}
