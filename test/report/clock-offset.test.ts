import { describe, expect, it } from 'vitest';
import { findOffset, isOfLength } from '../../src/report/corroborate/clock-offset.js';
import type { LookedAt } from '../../src/report/corroborate/held-stretches.js';
import { randomNumbers } from './timed-samples.js';

/** In microseconds. */
type Block = readonly [fromUs: number, toUs: number];

const EACH_US = 2000;

/** A sampler that looks each 2 ms, from one moment to another of the program's clock. */
function lookOf(blocks: readonly Block[], fromUs: number, toUs: number): LookedAt {
  const moment = (us: number) => {
    const lowUs = Math.floor(us / EACH_US) * EACH_US - fromUs;
    return { lowUs, highUs: lowUs + EACH_US };
  };
  const inside = blocks.filter(([from, to]) => from >= fromUs && to <= toUs);
  return {
    gaps: [],
    unitUs: EACH_US,
    stretches: inside.map(([from, to]) => ({ rows: [], start: moment(from), end: moment(to) })),
    fromUs: 0,
    toUs: toUs - fromUs,
    intervalUs: EACH_US,
  };
}

/** Blocks at random times, and so long. */
function blocksAt(random: () => number, perS: number, lengthUs: () => number): readonly Block[] {
  const blocks: Block[] = [];
  for (let us = 0; ;) {
    us += 10_000 - (Math.log(1 - random()) * 1e6) / perS;
    const to = us + lengthUs();
    if (to > 20e6) return blocks;
    blocks.push([us, to]);
    us = to;
  }
}

/** As a monitor that sleeps 5 ms sees them. */
const spikesOf = (blocks: readonly Block[], random: () => number) =>
  blocks.map(([from, to]) => ({ atUs: to + random() * 500, lagUs: to - from - random() * 5000 }));

const LENGTHS: readonly (readonly [string, (random: () => number) => number])[] = [
  ['of one length', () => 50_000],
  ['of many lengths', (random) => 20_000 + random() * 70_000],
  ['of few samples', (random) => 8000 + random() * 14_000],
];

describe('the offset between two clocks', () => {
  it.each(LENGTHS)('is found by random spikes %s, and never another one', (_, lengthOf) => {
    let found = 0;
    for (let seed = 0; seed < 40; seed += 1) {
      const random = randomNumbers(seed);
      const blocks = blocksAt(random, 3, () => lengthOf(random));
      const each = spikesOf(blocks, random);
      // The recording is the middle half of the trace.
      const { offset } = findOffset({ each, intervalUs: 5000 }, lookOf(blocks, 5e6, 15e6));
      if (offset === undefined) continue;
      found += 1;
      expect(Math.abs(offset.us + 5e6)).toBeLessThan(4000);
    }
    expect(found).toBe(40);
  });

  it.each(LENGTHS)(
    'is not believed of two runs that have nothing to do with each other, %s',
    (_, lengthOf) => {
      for (let seed = 0; seed < 40; seed += 1) {
        const random = randomNumbers(seed);
        const [ours, others] = [0, 1].map(() => blocksAt(random, 3, () => lengthOf(random)));
        const each = spikesOf(ours ?? [], random);
        const { offset } = findOffset({ each, intervalUs: 5000 }, lookOf(others ?? [], 5e6, 15e6));
        expect(offset).toBeUndefined();
      }
    },
  );

  it.each([3, 5, 9, 40])('is not believed of %i spikes that come periodically', (count) => {
    const random = randomNumbers(count);
    const blocks = Array.from({ length: count }, (_, at): Block => {
      const from = 1e6 + at * 3e5 + random() * 2000;
      return [from, from + 50_000];
    });
    const each = spikesOf(blocks, random);
    const whole = findOffset({ each, intervalUs: 5000 }, lookOf(blocks, 0, 2e6 + count * 3e5));
    expect(whole).toMatchObject({ fits: count, inside: count });
    expect(whole.offset).toBeUndefined();
  });
});

describe('the length of a stretch', () => {
  /** The first sample in it came at 10 ms, the last at 50 ms, each 2 ms from one outside. */
  const stretch = {
    start: { lowUs: 8000, highUs: 10_000 },
    end: { lowUs: 50_000, highUs: 52_000 },
  };

  it('is from what it is at least to what it is at most, with the sleep of the monitor and 2 ms', () => {
    const fitting = [32_999, 33_000, 40_000, 46_000, 46_001].map((lagUs) => isOfLength(stretch, lagUs, 5000));
    expect(fitting).toEqual([false, true, true, true, false]);
  });
});
