import { describe, expect, it } from 'vitest';
import { PERF_HZ, perfRate, rateMoved } from '../../src/capture/perf-rate.js';

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
    expect(perfRate(wanted)).toBe(given);
  });

  it('is moved with a word, and only then', () => {
    expect(rateMoved(500).map(({ id, what }) => [id, what])).toEqual([
      ['rate-moved', 'perf samples at 499 Hz instead of 500 Hz.'],
    ]);
    expect([...rateMoved(PERF_HZ), ...rateMoved(undefined)]).toEqual([]);
  });
});
