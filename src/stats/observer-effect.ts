import type { LoopRate } from '../model/index.js';
import { studentT95 } from './student-t.js';

/** Change of the loop's rate while it was recorded, as a part of its rate before and after: -0.02 is 2 % slower. */
export interface ObserverEffect {
  readonly change: number;
  /** 95 % interval. */
  readonly low: number;
  readonly high: number;
  /** `cpu`: the loop never sleeps, its rate was not seen itself; show the interval, claim nothing. */
  readonly measure: LoopRate['measure'];
}

/**
 * Welch's interval for the ratio of two means, on the values of each second. Undefined with fewer than two seconds on
 * either side, or a loop that stood still before and after.
 */
export function observerEffect(rate: LoopRate): ObserverEffect | undefined {
  const base = sampleOf([...rate.before, ...rate.after]);
  const during = sampleOf(rate.during);
  if (base === undefined || during === undefined || !(base.mean > 0)) return undefined;
  const change = during.mean / base.mean - 1;
  // Variances of the two means as parts of the base (delta method for the ratio).
  const a = during.variance / base.mean ** 2;
  const b = (base.variance * during.mean ** 2) / base.mean ** 4;
  const degrees = a + b > 0 ? (a + b) ** 2 / (a ** 2 / (during.n - 1) + b ** 2 / (base.n - 1)) : Infinity;
  const margin = a + b > 0 ? studentT95(degrees) * Math.sqrt(a + b) : 0;
  // A loop cannot lose more than all of its rate.
  return { change, low: Math.max(-1, change - margin), high: change + margin, measure: rate.measure };
}

/** Mean, and variance of the mean. */
function sampleOf(values: readonly number[]): { n: number; mean: number; variance: number } | undefined {
  const n = values.length;
  if (n < 2) return undefined;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { n, mean, variance: squares / (n - 1) / n };
}
