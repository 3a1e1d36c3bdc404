import { describe, expect, it } from 'vitest';
import { heaviest } from '../../src/model/index.js';

const rows = (...weights: number[]): { weight: number }[] => weights.map((weight) => ({ weight }));

describe('the heaviest rows', () => {
  it('are as many as asked for, in the order given', () => {
    expect(heaviest(rows(1, 5, 2, 9, 3), 2)).toEqual(rows(5, 9));
  });

  it('hold all that tie with the last', () => {
    expect(heaviest(rows(2, 5, 2, 9, 2, 1), 3)).toEqual(rows(2, 5, 2, 9, 2));
  });

  it('are all or none where more or none are asked for', () => {
    expect(heaviest(rows(1, 2), 2)).toEqual(rows(1, 2));
    expect(heaviest(rows(1, 2), Number.POSITIVE_INFINITY)).toEqual(rows(1, 2));
    expect(heaviest(rows(1, 2), 0)).toEqual([]);
    expect(heaviest(rows(1, 2), -3)).toEqual([]);
  });
});
