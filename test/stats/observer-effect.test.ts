import { describe, expect, it } from 'vitest';
import { observerEffect } from '../../src/stats/index.js';

describe('observerEffect', () => {
  it('compares the seconds of the window with those around it', () => {
    const effect = observerEffect({
      measure: 'voluntary-switches',
      before: [500, 502, 498],
      during: [495, 494, 496, 495],
      after: [500, 501, 499],
    })!;
    // Variances of the means: 2/6 around 500, (2/3)/4 around 495; 7 degrees of freedom by Welch.
    expect(effect.change).toBeCloseTo(-0.01, 12);
    const a = 2 / 3 / 4 / 500 ** 2;
    const b = ((2 / 6) * (495 / 500) ** 2) / 500 ** 2;
    const degrees = (a + b) ** 2 / (a ** 2 / 3 + b ** 2 / 5);
    expect(Math.floor(degrees)).toBe(7);
    expect(effect.high - effect.change).toBeCloseTo(2.365 * Math.sqrt(a + b), 12);
    expect(effect.high).toBeLessThan(0);
    expect(effect.measure).toBe('voluntary-switches');
  });

  it('is sure of a loop that never varies', () => {
    const effect = observerEffect({ measure: 'cpu', before: [1, 1, 1], during: [1, 1], after: [] });
    expect(effect).toEqual({ change: 0, low: 0, high: 0, measure: 'cpu' });
  });

  it('widens when before and after differ from each other', () => {
    const drifting = observerEffect({
      measure: 'cpu',
      before: [0.9, 0.9],
      during: [1, 1],
      after: [1.1, 1.1],
    })!;
    expect(drifting.change).toBeCloseTo(0, 12);
    // 3 degrees of freedom: 3.182 times the standard error 0.11547/2 of the base.
    expect(drifting.high).toBeCloseTo(3.182 * (Math.sqrt(0.04 / 3) / 2), 12);
  });

  it('takes no more than all of the rate', () => {
    const torn = observerEffect({ measure: 'cpu', before: [1, 1], during: [0, 0.9], after: [1, 1] })!;
    expect([torn.low, torn.change]).toEqual([-1, expect.closeTo(-0.55, 12)]);
  });

  it('says nothing without a baseline', () => {
    expect(observerEffect({ measure: 'cpu', before: [], during: [1, 1], after: [1] })).toBeUndefined();
    expect(observerEffect({ measure: 'cpu', before: [1, 1], during: [1], after: [1] })).toBeUndefined();
    expect(observerEffect({ measure: 'cpu', before: [0, 0], during: [1, 1], after: [0] })).toBeUndefined();
  });
});
