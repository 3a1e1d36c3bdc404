import { describe, expect, it } from 'vitest';
import { PERF_HZ, rateMoved, unlockedRate, v8Rate, V8_HZ } from '../../src/capture/exact-rate.js';

describe('the rate of perf', () => {
  it.each([
    [500, 499],
    [1000, 997],
    [250, 251],
    [100, 101],
    [50, 47],
    [60, 59],
    [499, 499],
    [99, 97],
    [4, 3],
    [2, 2],
    [1, 1],
  ])('%i Hz becomes %i Hz', (wanted, given) => {
    expect(unlockedRate(wanted)).toBe(given);
  });

  it('is moved with a word, and only then', () => {
    expect(rateMoved('perf', 500).map(({ id, what }) => [id, what])).toEqual([
      ['rate-moved', 'perf samples at 499 Hz instead of 500 Hz.'],
    ]);
    expect([...rateMoved('perf', PERF_HZ), ...rateMoved('perf', undefined)]).toEqual([]);
  });
});

describe('the rate of V8', () => {
  it.each([
    [V8_HZ, 3984],
    [3984, 3984],
    [1000, 1003],
    [500, 500],
    [8000, 7874],
  ])('%i Hz becomes %i Hz: a prime number of microseconds', (wanted, given) => {
    expect(v8Rate(wanted)).toBe(given);
  });

  it('is moved with a word', () => {
    expect(rateMoved('V8', 1000).map(({ what }) => what)).toEqual([
      'V8 samples at 1003 Hz instead of 1000 Hz.',
    ]);
    expect(rateMoved('V8', 3984)).toEqual([]);
  });
});
