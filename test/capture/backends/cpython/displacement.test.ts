import { describe, expect, it } from 'vitest';
import { agreesWithKernel, lowered } from '../../../../src/capture/backends/cpython/displacement.js';

/** A thousand looks of which so many found it running and so many waiting for a CPU. */
function seen(ran: number, cpuWait: number, looks = 1000) {
  return { looks, running: ran + cpuWait, cpuWait, gil: 0, sleep: looks - ran - cpuWait, other: 0, lost: 0 };
}

describe('whether a sampler is in the way of its target', () => {
  it.each([
    [400, 100, true],
    [424, 139, true],
    [376, 61, true],
    [426, 100, false],
    [374, 100, false],
    [400, 141, false],
    [400, 59, false],
  ])('ran %d, waited %d where the kernel says 40 %% and 10 %%: %s', (ran, waited, agrees) => {
    expect(agreesWithKernel(seen(ran, waited), { on: 0.4, wait: 0.1 })).toBe(agrees);
  });

  it('is not told by few looks', () => {
    expect(agreesWithKernel(seen(0, 0, 199), { on: 1, wait: 0 })).toBe(true);
    expect(agreesWithKernel(seen(0, 0, 200), { on: 1, wait: 0 })).toBe(false);
  });

  it('halves the rate down to 50 a second', () => {
    expect([500, 125, 99, 60, 50, 20].map(lowered)).toEqual([250, 63, 50, 50, 50, 20]);
  });
});
