import { describe, expect, it } from 'vitest';
import { parseStepStamps, stepLine } from '../../src/recording/index.js';

const rowsOf = (text: string): readonly (readonly number[])[] => {
  const { ns, tid, world } = parseStepStamps(text);
  return Array.from(ns, (one, row) => [one, tid[row] ?? -1, world[row] ?? -1]);
};

describe('the file of steps', () => {
  it('is read as it was written, in order of time', () => {
    const lines = [stepLine(86_554_883_996_000, 7, 0), stepLine(86_554_883_995_000, 8, 12)];
    expect(lines[0]).toBe('86554883996000\t7\t0\n');
    expect(rowsOf(lines.join(''))).toEqual([
      [86_554_883_995_000, 8, 12],
      [86_554_883_996_000, 7, 0],
    ]);
  });

  it('is of a machine that has been up for years, too', () => {
    expect(rowsOf(stepLine(123_456_789_012_345_680, 7, 0))).toEqual([[123_456_789_012_345_680, 7, 0]]);
  });

  it('may have been cut off, or hold what is no step', () => {
    expect(rowsOf('1000\t7\t0\n2000\t7\t')).toEqual([[1000, 7, 0]]);
    expect(rowsOf('1000\t7\t0\n2000\t7\t1')).toEqual([[1000, 7, 0]]);
    expect(rowsOf('x\n-1\t7\t0\n1e9\t7\t0\n\n1\t2\n3000\t7\t0\t9\n')).toEqual([]);
    expect(rowsOf('')).toEqual([]);
  });
});
