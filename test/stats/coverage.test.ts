import { describe, expect, it } from 'vitest';
import type { Bucket } from '../../src/model/index.js';
import { countingHalfWidth, estimateThread } from '../../src/stats/index.js';
import type { SampleCount } from '../../src/rules/index.js';
import type { ThreadEstimate } from '../../src/stats/index.js';
import { generator, percents, row } from './fixtures.js';

const RUNS = 500;
const RATE_HZ = 250;
const SECONDS = 20;

interface State {
  readonly bucket: Bucket;
  readonly leaf: SampleCount['leaf'];
  /** True part of wall time that shows this stack, waiting included. */
  readonly seen: number;
}

/** A loop with known truth, looked at after exponential intervals: what a sampler of real-time priority does. */
function sampled(states: readonly State[], random: () => number): SampleCount[] {
  const counts = states.map((state) => ({ bucket: state.bucket, leaf: state.leaf, samples: 0 }));
  for (let at = gap(random); at < SECONDS; at += gap(random)) {
    let left = random();
    const found = counts.find((_, i) => (left -= states[i]!.seen) < 0) ?? counts[0]!;
    found.samples++;
  }
  return counts;
}

function gap(random: () => number): number {
  return -Math.log(1 - random()) / RATE_HZ;
}

/** Wall shares seen; a wait for a CPU after a wake-up (3 points) still shows the sleeping line. */
const PACED: readonly State[] = [
  { bucket: 'physics', leaf: 'work', seen: 0.12 },
  { bucket: 'raycast', leaf: 'work', seen: 0.04 },
  { bucket: 'publishing', leaf: 'work', seen: 0.02 },
  { bucket: 'plugin', leaf: 'work', seen: 0.06 },
  { bucket: 'pacer', leaf: 'sleep', seen: 0.76 },
];
/** Sleeps 73 points, waits for a CPU 3; 24 on a CPU. No CPU in the sleep call, so that the truth is simple. */
const PACED_TOTALS = percents({ on: 24, rq: 3, gil: 0, sleep: 73, other: 0, perS: 0 });
const PACED_TRUTH = { physics: 0.12, raycast: 0.04, publishing: 0.02, plugin: 0.06, pacer: 0.73 };

function runs(
  states: readonly State[],
  estimate: (counts: SampleCount[]) => ThreadEstimate,
): ThreadEstimate[] {
  return Array.from({ length: RUNS }, (_, seed) => estimate(sampled(states, generator(seed + 1))));
}

function meanError(all: readonly ThreadEstimate[], physics: (estimate: ThreadEstimate) => number): number {
  return Math.abs(
    all.reduce((sum, estimate) => sum + physics(estimate) - PACED_TRUTH.physics, 0) / all.length,
  );
}

/** Samples at work scaled to the 27 % that are running or waiting for a CPU. */
function naiveShare(estimate: ThreadEstimate): number {
  return (0.27 * row(estimate, 'physics').samples) / estimate.pools.work.samples;
}

describe(`over ${RUNS} simulated recordings`, () => {
  const paced = runs(PACED, (counts) =>
    estimateThread({ counts, totals: PACED_TOTALS, lostTicks: 0, priority: 'fifo' }),
  );

  it.each(Object.entries(PACED_TRUTH))('the printed interval of %s holds the truth', (bucket, truth) => {
    const held = paced.filter((estimate) => {
      const { low, high } = row(estimate, bucket);
      return low <= truth && truth <= high;
    });
    expect(held.length / RUNS).toBeGreaterThanOrEqual(0.93);
  });

  it.each(['physics', 'raycast', 'publishing', 'plugin'] as const)(
    'counting noise alone, without floor and bias, holds the truth of %s in 93 to 99 %%',
    (bucket) => {
      const held = paced.filter((estimate) => {
        const found = row(estimate, bucket);
        const width = countingHalfWidth(found.samples, estimate.pools.work.samples, 0.24);
        return Math.abs(found.share - PACED_TRUTH[bucket]) <= width;
      });
      expect(held.length / RUNS).toBeGreaterThanOrEqual(0.93);
      expect(held.length / RUNS).toBeLessThanOrEqual(0.99);
    },
  );

  it('the mean error of a bucket is far below that of scaling samples to running and waiting time', () => {
    expect(meanError(paced, (estimate) => row(estimate, 'physics').share)).toBeLessThan(0.0005);
    expect(meanError(paced, naiveShare)).toBeGreaterThan(0.01);
  });

  it('the sampler is not blamed for noise', () => {
    const flagged = paced.filter((estimate) => estimate.findings.length > 0);
    expect(flagged.length).toBeLessThanOrEqual(RUNS / 100);
  });

  it('wall shares hold the truth of wall time under contention', () => {
    const states: readonly State[] = [
      { bucket: 'physics', leaf: 'work', seen: 0.3 },
      { bucket: 'plugin', leaf: 'work', seen: 0.33 },
      { bucket: 'publishing', leaf: 'work', seen: 0.37 },
    ];
    const totals = percents({ on: 73, rq: 4, gil: 23, sleep: 0, other: 0, perS: 9000 });
    const all = runs(states, (counts) => estimateThread({ counts, totals, lostTicks: 0, priority: 'fifo' }));
    for (const state of states) {
      const held = all.filter((estimate) => {
        const { low, high } = row(estimate, state.bucket);
        return low <= state.seen && state.seen <= high;
      });
      expect(held.length / RUNS).toBeGreaterThanOrEqual(0.93);
    }
  });

  it('a bare file holds the truth of its samples', () => {
    const all = runs(PACED, (counts) => estimateThread({ counts, lostTicks: 0, priority: 'unknown' }));
    const held = all.filter((estimate) => {
      const { low, high } = row(estimate, 'physics');
      return low <= 0.12 && 0.12 <= high;
    });
    expect(held.length / RUNS).toBeGreaterThanOrEqual(0.93);
  });
});
