import { describe, expect, it } from 'vitest';
import { BUCKETS, bucketOf, linearPercentile, quantileOf } from '../../src/telemetry/durations.js';

const upper = (value: number): number => new Int32Array(new Float64Array([value]).buffer)[1]!;

describe('the histogram', () => {
  it('has buckets of at most 1.6 %, from a nanosecond to 37 hours', () => {
    expect(BUCKETS).toBe(3008);
    let from = 2 ** -20;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      expect(bucketOf(upper(from))).toBe(bucket);
      const to = from + 2 ** Math.floor(Math.log2(from)) / 64;
      expect(bucketOf(upper(to * (1 - 2 ** -30)))).toBe(bucket);
      expect(to / from).toBeLessThanOrEqual(1 + 1 / 64);
      from = to;
    }
    expect(from).toBe(2 ** 27);
  });

  it('has a place for what is shorter or longer', () => {
    expect([0, 1e-9, 2 ** -21].map((ms) => bucketOf(upper(ms)))).toEqual([0, 0, 0]);
    expect([2 ** 27, 1e300].map((ms) => bucketOf(upper(ms)))).toEqual([BUCKETS - 1, BUCKETS - 1]);
  });

  it('gives quantiles that are right to 0.8 %', () => {
    const counts = new Float64Array(BUCKETS);
    const values = Array.from({ length: 100_000 }, (_, i) => 0.001 * 1.0001 ** i);
    for (const value of values) counts[bucketOf(upper(value))]!++;
    for (const q of [0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1]) {
      const exact = values[Math.ceil(q * values.length) - 1]!;
      const told = quantileOf(counts, q, values[0]!, values.at(-1)!);
      expect(Math.abs(told / exact - 1)).toBeLessThanOrEqual(1 / 128);
    }
  });

  it('never tells more than the largest or less than the least', () => {
    const counts = new Float64Array(BUCKETS);
    counts[bucketOf(upper(5))]! += 2;
    expect([0.5, 0.99].map((q) => quantileOf(counts, q, 5, 5))).toEqual([5, 5]);
    counts[0] = 10;
    expect(quantileOf(counts, 0.5, 0, 5)).toBe(0);
    counts[BUCKETS - 1] = 100;
    expect(quantileOf(counts, 0.999, 0, 1e300)).toBe(1e300);
  });
});

describe('the percentile of NumPy', () => {
  // numpy.percentile(values, 99) of NumPy 2.
  it.each([
    [[100.12345, 300.34567], 298.3434478],
    [[1], 1],
    [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 9.91],
    [Array.from({ length: 101 }, (_, i) => i * i), 9801],
    [Array.from({ length: 100 }, (_, i) => 1 / (100 - i)), 0.5050000000000026],
  ])('of case %#', (values, expected) => {
    expect(linearPercentile(Float64Array.from(values), 0.99)).toBe(expected);
  });

  it('is the same in whatever order the values are', () => {
    let seed = 1;
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    for (const size of [2, 3, 100, 101, 9999]) {
      const values = Float64Array.from({ length: size }, () => Math.floor(random() * size) / 7);
      const sorted = Float64Array.from(values).sort();
      const at = (size - 1) * 0.99;
      const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
      const part = at - Math.floor(at);
      const expected = part < 0.5 ? low + (high - low) * part : high - (high - low) * (1 - part);
      expect(linearPercentile(values, 0.99)).toBe(expected);
      expect(values.toSorted()).toEqual(sorted);
    }
  });

  it('of nothing is 0', () => {
    expect(linearPercentile(new Float64Array(0), 0.99)).toBe(0);
  });
});
