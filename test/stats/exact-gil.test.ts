import { describe, expect, it } from 'vitest';
import { type GilAsked, GilTally, type GilWindows } from '../../src/stats/exact-gil.js';

const MS = 1e6;
const TID = 7;
const asked = (startMs: number, lengthMs: number, caller = 0, runnableMs = 0) => ({
  tid: TID,
  startNs: startMs * MS,
  endNs: (startMs + lengthMs + runnableMs) * MS,
  blockedNs: lengthMs * MS,
  runnableNs: runnableMs * MS,
  caller,
});

function exactGil(all: readonly GilAsked[], windows: GilWindows) {
  const tally = new GilTally(windows);
  for (const one of all) tally.add(one);
  return tally.of(TID);
}

describe('the wait for the GIL, each time counted', () => {
  it('is a part of the windows, by who asked', () => {
    const found = exactGil(
      [asked(100, 30), asked(300, 10, 1), asked(400, 80, -1, 20), asked(700, 0), asked(800, 50, 1)],
      [[0, 1000 * MS]],
    );
    expect(found).toEqual({
      share: 0.17,
      cpuWait: 0.02,
      takenPerS: 5,
      waitsPerS: 4,
      medianS: 0.05,
      longestS: 0.08,
      callers: [
        { caller: -1, share: 0.08 },
        { caller: 1, share: 0.06 },
        { caller: 0, share: 0.03 },
      ],
    });
  });

  it('is cut at the edges of windows, and left out between them', () => {
    const windows = [
      [0, 100 * MS],
      [200 * MS, 300 * MS],
    ] as const;
    const found = exactGil([asked(90, 20), asked(120, 20), asked(290, 40)], windows);
    expect(found.share).toBeCloseTo(0.1, 9);
    expect(found.waitsPerS).toBe(10);
    expect(found.longestS).toBe(0.04);
  });

  it('keeps threads apart, and counts what cannot be of one', () => {
    const tally = new GilTally([[0, 1000 * MS]]);
    for (const one of [asked(100, 50), { ...asked(120, 10), tid: 8 }, asked(120, 10), asked(150, 50)])
      tally.add(one);
    expect([tally.of(TID).share, tally.of(8).share, tally.of(9).share, tally.impossible]).toEqual([
      0.1, 0.01, 0, 1,
    ]);
  });

  it('is none where nothing was waited for', () => {
    expect(exactGil([asked(5, 0)], [[0, 1000 * MS]])).toEqual({
      share: 0,
      cpuWait: 0,
      takenPerS: 1,
      waitsPerS: 0,
      medianS: 0,
      longestS: 0,
      callers: [],
    });
  });
});
