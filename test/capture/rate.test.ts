import { describe, expect, it } from 'vitest';
import { rateFor, shouldFollow } from '../../src/capture/rate.js';
import type { CaptureRequest } from '../../src/capture/index.js';
import { requestFor } from './live.js';
import { at } from './snapshots.js';

const { rateHz: _, ...UNRATED } = requestFor(process.pid);

/** Two looks half a second apart at thread 7: CPU seconds, waiting seconds and sleeps in between. */
function looks(onS: number, waitS: number, sleeps: number): ReturnType<typeof at>[] {
  return [at(10, { 7: [3, 1, 900] }), at(10.5, { 7: [3 + onS, 1 + waitS, 900 + sleeps] })];
}

/** Thread 8 is there at one end only. */
const GONE = [at(0, { 7: [0, 0, 0], 8: [0, 0, 0] }), at(0.5, { 7: [0.5, 0, 0] })];

describe('keeping the sampler on the CPU of the thread', () => {
  it.each([
    ['never sleeps', 0.5, 0, 0, true],
    ['sleeps 98 times a second', 0.4, 0, 49, true],
    ['sleeps 100 times a second', 0.4, 0, 50, false],
    ['steps at 500 Hz', 0.1, 0, 250, false],
    ['idles', 0, 0, 0, true],
  ])('a thread that %s', (_name, onS, waitS, sleeps, follows) => {
    expect(shouldFollow(looks(onS, waitS, sleeps), 7)).toBe(follows);
  });

  it('is not done for a thread of which too little was seen', () => {
    expect(shouldFollow(GONE, 8)).toBe(false);
    expect(shouldFollow([at(0, { 7: [0, 0, 0] })], 7)).toBe(false);
    expect(shouldFollow([], 7)).toBe(false);
  });
});

describe('the rate', () => {
  it.each([
    ['never sleeps', 0.5, 0, 0, 125],
    ['never sleeps, but waits for a CPU half of the time', 0.25, 0.25, 0, 125],
    ['is blocked 9.6 % of the time', 0.452, 0, 20, 125],
    ['is blocked 10.4 % of the time', 0.448, 0, 20, 250],
    ['hardly blocks, but 100 times a second', 0.49, 0, 50, 250],
    ['steps at 500 Hz', 0.1, 0, 250, 250],
    ['idles', 0, 0, 0, 250],
  ])('of a loop that %s', (_name, onS, waitS, sleeps, hz) => {
    expect(rateFor(UNRATED, looks(onS, waitS, sleeps), 7)).toBe(hz);
  });

  it('is 250 Hz where too little was seen, and with native frames, which stop the target anyway', () => {
    expect(rateFor(UNRATED, GONE, 8)).toBe(250);
    expect(rateFor(UNRATED, [], 7)).toBe(250);
    expect(rateFor({ ...UNRATED, native: true }, looks(0.5, 0, 0), 7)).toBe(250);
  });

  it('is the one that was asked for, whatever the loop does', () => {
    const request: CaptureRequest = { ...UNRATED, rateHz: 97 };
    expect(rateFor(request, looks(0.5, 0, 0), 7)).toBe(97);
    expect(rateFor(request, looks(0.1, 0, 250), 7)).toBe(97);
  });
});
