import { describe, expect, it } from 'vitest';
import { displaces, lowered } from '../../../../src/capture/backends/cpython/displacement.js';

/** Looks of which so many found it running and so many waiting for a CPU. */
function seen(ran: number, cpuWait: number, looks: number) {
  return { looks, running: ran + cpuWait, cpuWait, gil: 0, sleep: looks - ran - cpuWait, other: 0, lost: 0 };
}

describe('whether a sampler is in the way of its target', () => {
  it.each([
    [40_000, 10_000, false],
    // More of it running, and less waiting, is none of its doing.
    [45_000, 5000, false],
    [37_600, 10_000, false],
    [37_400, 10_000, true],
    [40_000, 13_900, false],
    [40_000, 14_100, true],
  ])('ran %d, waited %d of 100,000 where the kernel says 40 %% and 10 %%: %s', (ran, waited, isInTheWay) => {
    expect(displaces(seen(ran, waited, 100_000), { on: 0.4, wait: 0.1 })).toBe(isInTheWay);
  });

  it('is told by few looks only where it is plain', () => {
    // Four standard deviations of 2000 looks at 40 % are 4.4 points.
    expect(displaces(seen(720, 0, 2000), { on: 0.4, wait: 0 })).toBe(false);
    expect(displaces(seen(700, 0, 2000), { on: 0.4, wait: 0 })).toBe(true);
    expect(displaces(seen(0, 0, 199), { on: 1, wait: 0 })).toBe(false);
    expect(displaces(seen(0, 0, 200), { on: 1, wait: 0 })).toBe(true);
  });

  it('halves the rate down to 50 a second', () => {
    expect([500, 125, 99, 60, 50, 20].map(lowered)).toEqual([250, 63, 50, 50, 50, 20]);
  });
});
