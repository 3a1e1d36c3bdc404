import { describe, expect, it } from 'vitest';
import { median, quantile } from '../../src/simulator/quantile.js';

describe('a quantile', () => {
  it.each([
    [[1], 0.5, 1],
    [[1, 2], 0.5, 2],
    [[1, 2, 3, 4], 0.5, 3],
    [Array.from({ length: 100 }, (_, at) => at), 0.99, 99],
    [Array.from({ length: 101 }, (_, at) => at), 0.99, 99],
    [[1, 2, 3], 1, 3],
    [[], 0.5, undefined],
  ])('of %j at %s is one of them', (sorted, q, value) => {
    expect(quantile(sorted, q)).toBe(value);
  });
});

describe('a median', () => {
  it.each([
    [[3, 1, 2], 2],
    [[10, 9, 1, 2], 5.5],
    [[7], 7],
    [[], undefined],
  ])('of %j is %s', (values, value) => {
    expect(median(values)).toBe(value);
  });
});
