import { FLOOR, countingHalfWidth, interval, joinedHalfWidth, rawInterval } from './interval.js';
import type { Interval } from './interval.js';
import type { LeafCounts, Pools } from './thread-estimate.js';

/**
 * Wall share of some of a thread's samples, with its 95 % interval (F4). Any set of samples will do: a bucket, one
 * stack, one function. Shares of disjoint sets add up.
 *
 * The upper end allows for all samples without a stack to have been these, unless these only sleep.
 */
export function poolShare(pools: Pools, leaves: LeafCounts): Interval {
  const counts = pools.waitsWith === 'nobody' ? { ...leaves, wait: 0, gil: 0 } : leaves;
  const all = counts.work + counts.sleep + counts.wait + counts.gil;
  if (all === 0) return { share: 0, low: 0, high: 0 };
  if (pools.mode === 'samples') {
    const { share, low, high } = rawInterval(all, pools.work.samples);
    return { share, low, high: Math.min(1, high + pools.lost.share) };
  }
  if (pools.mode === 'wall') {
    const margin = countingHalfWidth(all, pools.work.samples) + FLOOR + pools.bias;
    return interval(ratio(all, pools.work.samples), margin, margin + pools.lost.share);
  }
  return netShare(pools, counts);
}

function netShare(pools: Pools, counts: LeafCounts): Interval {
  const atWork = counts.work + (pools.waitsWith === 'work' ? counts.wait : 0);
  const asleep = counts.sleep + (pools.waitsWith === 'sleep' ? counts.wait : 0);
  const share =
    pools.work.share * ratio(atWork, pools.work.samples) +
    pools.sleep.share * ratio(asleep, pools.sleep.samples) +
    pools.gil.share * ratio(counts.gil, pools.gil.samples);
  const widths = [
    atWork > 0 ? countingHalfWidth(atWork, pools.work.samples, pools.work.share) : 0,
    // All of the sleep is exact, whatever the number of samples: only a part of it is counted.
    asleep > 0 && asleep < pools.sleep.samples
      ? countingHalfWidth(asleep, pools.sleep.samples, pools.sleep.share)
      : 0,
    counts.gil > 0 && counts.gil < pools.gil.samples
      ? countingHalfWidth(counts.gil, pools.gil.samples, pools.gil.share)
      : 0,
    // What is no sleep call is work, in the same proportions.
    pools.moved * (ratio(asleep, pools.sleep.samples) - ratio(atWork, pools.work.samples)),
  ];
  const margin =
    pools.waitsWith === 'nobody'
      ? joinedHalfWidth(pools.bias, ...widths)
      : Math.hypot(...widths) + FLOOR + pools.bias + pools.border;
  return interval(
    share,
    margin + pools.stolen * ratio(asleep, pools.sleep.samples),
    margin + pools.stolen * ratio(atWork, pools.work.samples) + (atWork > 0 ? pools.lost.share : 0),
  );
}

/** What one sample is worth in wall share, by the kind of its leaf. */
export function perSample(pools: Pools): LeafCounts {
  const work = ratio(pools.work.share, pools.work.samples);
  const apart = pools.waitsWith === 'nobody';
  if (pools.mode !== 'net') return { work, sleep: work, wait: apart ? 0 : work, gil: apart ? 0 : work };
  const sleep = ratio(pools.sleep.share, pools.sleep.samples);
  if (apart) return { work, sleep, wait: 0, gil: 0 };
  return {
    work,
    sleep,
    wait: pools.waitsWith === 'sleep' ? sleep : work,
    gil: ratio(pools.gil.share, pools.gil.samples),
  };
}

function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}
