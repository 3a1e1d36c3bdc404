import { describe, expect, it } from 'vitest';
import { countingHalfWidth, rawInterval } from '../../src/stats/index.js';

/** Smallest whole number of seconds at which a half share of a busy thread is known to one point. */
function secondsToOnePoint(on: number, rateHz: number): number {
  for (let seconds = 1; ; seconds++) {
    if (countingHalfWidth((rateHz * seconds * on) / 2, rateHz * seconds * on, on) <= 0.01) return seconds;
  }
}

describe('counting interval', () => {
  // Published next to the formula; the formula's own term for few samples can add a second.
  it.each([
    { on: 0.1, at100: 10, at250: 4, at500: 2 },
    { on: 0.4, at100: 38, at250: 15, at500: 8 },
    { on: 0.8, at100: 77, at250: 31, at500: 15 },
    { on: 1, at100: 96, at250: 38, at500: 19 },
  ])('needs the published time for one point at $on busy', ({ on, at100, at250, at500 }) => {
    const found = [100, 250, 500].map((rate) => secondsToOnePoint(on, rate));
    [at100, at250, at500].forEach((published, i) => {
      expect(found[i]! - published).toBeGreaterThanOrEqual(0);
      expect(found[i]! - published).toBeLessThanOrEqual(1);
    });
  });

  it('is the binomial width of the exact pool, worked by hand', () => {
    // 300 of the 600 samples of a thread that is on a CPU 40 % of the time: 1.96 * 0.4 * sqrt((1/4 + 1/604) / 600).
    expect(countingHalfWidth(300, 600, 0.4)).toBeCloseTo(0.016056, 6);
    expect(countingHalfWidth(60, 600, 0.4)).toBeCloseTo(0.00969, 6);
  });

  it('neither vanishes at the ends nor divides by zero', () => {
    expect(countingHalfWidth(0, 96)).toBeCloseTo((1.96 * Math.sqrt(0.01)) / Math.sqrt(96), 12);
    expect(countingHalfWidth(96, 96)).toBe(countingHalfWidth(0, 96));
    expect(countingHalfWidth(0, 0)).toBe(0);
  });

  it('gives a bare file its share with 0.3 points on top, cut at 0 and 1', () => {
    const { share, low, high } = rawInterval(429, 1496);
    expect(share).toBeCloseTo(0.28676, 5);
    expect(high - share).toBeCloseTo(0.003 + 1.96 * Math.sqrt((share * (1 - share) + 1 / 1500) / 1496), 12);
    expect(share - low).toBeCloseTo(high - share, 12);
    expect(rawInterval(0, 10).low).toBe(0);
    expect(rawInterval(10, 10).high).toBe(1);
    expect(rawInterval(0, 0)).toEqual({ share: 0, low: 0, high: 0.003 });
  });
});
