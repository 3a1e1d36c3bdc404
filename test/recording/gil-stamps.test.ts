import { describe, expect, it } from 'vitest';
import { gilLine, parseGilStamps } from '../../src/recording/index.js';

const STAMP = {
  startNs: 123_456_789_012_345_680,
  endNs: 123_456_789_012_645_680,
  tid: 11,
  blockedNs: 290_000,
  runnableNs: 10_000,
  caller: -1,
};

describe('the file of who took the GIL', () => {
  it('is read as it was written', () => {
    expect(gilLine({ ...STAMP, startNs: 1000, endNs: 2000, caller: 3 })).toBe(
      '1000\t2000\t11\t290000\t10000\t3\n',
    );
    expect(parseGilStamps(gilLine(STAMP))).toEqual([STAMP]);
  });

  it('may have been cut off, or hold what is no such time', () => {
    expect(parseGilStamps(`${gilLine(STAMP)}1000\t2000\t11\t2900`)).toEqual([STAMP]);
    expect(parseGilStamps('x\n1\t2\t3\t4\t5\n1\t2\t3\t4\t5\t-2\n-1\t2\t3\t4\t5\t0\n\n')).toEqual([]);
  });
});
