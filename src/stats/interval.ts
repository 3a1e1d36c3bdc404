/** Two-sided 95 % quantile of the normal distribution. */
const Z95 = 1.96;

/** What is left besides counting: 0.3 points (F4). */
export const FLOOR = 0.003;

/** A share with its 95 % interval, all within 0 and 1. */
export interface Interval {
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Half-width by counting alone of `n` of `total` samples that split `scale` of the wall time (F4): the net interval
 * with `scale` the exact share of the pool, the wall and raw interval with `scale` 1. The `1 / (total + 4)` keeps it
 * from vanishing at no samples and at all of them.
 */
export function countingHalfWidth(n: number, total: number, scale = 1): number {
  if (!(total > 0)) return 0;
  const q = n / total;
  return Z95 * scale * Math.sqrt((q * (1 - q) + 1 / (total + 4)) / total);
}

/**
 * Half-width where samples know their state: counting, what else is off at random, and the sampler's own error on real code, which differs from
 * program to program as if at random. Independent of each other, so joined as such; the last is far above `FLOOR`.
 */
export function joinedHalfWidth(bias: number, ...others: readonly number[]): number {
  return Math.hypot(bias, ...others);
}

/** `share` with `below` and `above` taken as far as 0 and 1 allow. */
export function interval(share: number, below: number, above: number = below): Interval {
  return { share, low: Math.max(0, share - below), high: Math.min(1, share + above) };
}

/** The interval of a bare file, of which nothing is known but its samples: no bias is claimed and none excluded. */
export function rawInterval(n: number, total: number): Interval {
  return interval(total > 0 ? n / total : 0, countingHalfWidth(n, total) + FLOOR);
}
