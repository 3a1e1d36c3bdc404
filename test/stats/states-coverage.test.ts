import { describe, expect, it } from 'vitest';
import { NO_STATES } from '../../src/model/index.js';
import type { Bucket, SampleState } from '../../src/model/index.js';
import { estimateByStates, estimateThread } from '../../src/stats/index.js';
import type { ThreadEstimate } from '../../src/stats/index.js';
import { generator, percents, row } from './fixtures.js';

const RUNS = 500;
const RATE_HZ = 500;
const SECONDS = 10;

/** True parts of wall time of a loop beside a thread that holds the GIL, as real-lab measured one: waits are mostly in one function. */
const TRUTH: readonly (readonly [Bucket | 'lost', SampleState, number])[] = [
  ['physics', 'running', 0.129],
  ['physics', 'gil-wait', 0.173],
  ['physics', 'cpu-wait', 0.02],
  ['plugin', 'running', 0.327],
  ['plugin', 'cpu-wait', 0.01],
  ['publishing', 'running', 0.15],
  ['publishing', 'gil-wait', 0.025],
  ['publishing', 'blocked', 0.02],
  ['pacer', 'running', 0.01],
  ['pacer', 'sleep', 0.1],
  ['pacer', 'gil-wait', 0.03],
  ['lost', 'running', 0.004],
  ['lost', 'gil-wait', 0.002],
];
const NET = { physics: 0.129, plugin: 0.327, publishing: 0.17, pacer: 0.11, 'gil-wait': 0.23 } as const;
const TOTALS = percents({ on: 62, rq: 3 });

type Weights = { -readonly [State in SampleState]: number };

/** Looks after exponential intervals: what a sampler of real-time priority does. */
function recorded(random: () => number): ThreadEstimate {
  const counts = new Map<Bucket | 'lost', Weights>();
  for (let at = gap(random); at < SECONDS; at += gap(random)) {
    let left = random();
    const [bucket, state] = TRUTH.find(([, , share]) => (left -= share) < 0) ?? TRUTH[0]!;
    const states = counts.get(bucket) ?? { ...NO_STATES };
    states[state] += 1;
    counts.set(bucket, states);
  }
  return estimateByStates({
    counts: [...counts].flatMap(([bucket, states]) => (bucket === 'lost' ? [] : [{ bucket, states }])),
    lost: counts.get('lost') ?? NO_STATES,
    totals: TOTALS,
    priority: 'fifo',
  });
}

function gap(random: () => number): number {
  return -Math.log(1 - random()) / RATE_HZ;
}

/** Part of the time that shows a bucket, whatever the thread does. */
function part(bucket: string): number {
  return TRUTH.reduce((sum, [name, , share]) => (name === bucket ? sum + share : sum), 0);
}

function held(all: readonly ThreadEstimate[], holds: (estimate: ThreadEstimate) => boolean): number {
  return all.filter(holds).length / all.length;
}

describe(`over ${RUNS} simulated recordings whose samples know their state`, () => {
  const all = Array.from({ length: RUNS }, (_, seed) => recorded(generator(seed + 1)));

  it('the truth adds up', () => {
    expect(TRUTH.reduce((sum, [, , share]) => sum + share, 0)).toBeCloseTo(1, 12);
  });

  it.each(Object.entries(NET))('the printed interval of %s holds the truth', (bucket, truth) => {
    expect(
      held(all, (estimate) => {
        const { low, high } = row(estimate, bucket);
        return low <= truth && truth <= high;
      }),
    ).toBeGreaterThanOrEqual(0.93);
  });

  it.each(Object.entries(NET))(
    'counting alone, without bias, holds the truth of %s in 93 to 98 %%',
    (bucket, truth) => {
      const covered = held(all, (estimate) => {
        const found = row(estimate, bucket);
        const { bias, lost } = estimate.pools;
        const reaches = bucket === 'gil-wait' ? 0 : lost.share;
        const counted = Math.sqrt((found.high - found.share - reaches) ** 2 - bias ** 2);
        return Math.abs(found.share - truth) <= counted;
      });
      expect(covered).toBeGreaterThanOrEqual(0.93);
      expect(covered).toBeLessThanOrEqual(0.98);
    },
  );

  it('no bucket is off on average, whatever waits', () => {
    for (const [bucket, truth] of Object.entries(NET)) {
      const mean = all.reduce((sum, estimate) => sum + row(estimate, bucket).share, 0) / RUNS;
      expect(Math.abs(mean - truth)).toBeLessThan(0.0008);
    }
  });

  it('the same samples without their states take waits for work', () => {
    const counts = (['physics', 'plugin', 'publishing'] as const).map(
      (bucket) => ({ bucket, leaf: 'work', samples: Math.round(5000 * part(bucket)) }) as const,
    );
    const found = estimateThread({ counts, totals: TOTALS, lostTicks: 0, priority: 'fifo' });
    expect(row(found, 'physics').share - NET.physics).toBeGreaterThan(0.1);
  });

  it('the sampler is not blamed for noise', () => {
    expect(held(all, (estimate) => estimate.findings.length === 0)).toBeGreaterThanOrEqual(0.99);
  });
});

describe.each([6, 15, 40])(
  'over simulated recordings of a loop whose sleep calls take %i µs unseen',
  (us) => {
    const SLEEPS_PER_S = 1000;
    const call = (us / 1e6) * SLEEPS_PER_S;
    const truth = { physics: 0.3, pacer: 0.7 } as const;
    const all = Array.from({ length: RUNS }, (_, seed) => {
      const random = generator(seed + 1);
      const seen = { running: 0, sleep: 0, own: 0 };
      for (let at = gap(random); at < SECONDS; at += gap(random)) {
        const place = random();
        // The pacer runs a little that is seen.
        if (place < truth.physics) seen.running += 1;
        else if (place < truth.physics + 0.02) seen.own += 1;
        else seen.sleep += 1;
      }
      return estimateByStates({
        counts: [
          { bucket: 'physics', states: { ...NO_STATES, running: seen.running } },
          { bucket: 'pacer', states: { ...NO_STATES, running: seen.own, sleep: seen.sleep } },
        ],
        lost: NO_STATES,
        totals: {
          ...percents({ on: 100 * (truth.physics + 0.02 + call), rq: 0 }),
          voluntaryPerS: SLEEPS_PER_S,
        },
        priority: 'fifo',
      });
    });

    it.each(Object.entries(truth))(
      'the interval of %s holds the truth without the bias of real code',
      (bucket, is) => {
        expect(
          held(all, (estimate) => {
            const { low, high } = row(estimate, bucket);
            const counted = Math.sqrt(((high - low) / 2) ** 2 - estimate.pools.bias ** 2);
            return Math.abs((high + low) / 2 - is) <= counted;
          }),
        ).toBeGreaterThanOrEqual(0.93);
      },
    );

    it('most of them are given back', () => {
      const error = all.reduce((sum, estimate) => sum + row(estimate, 'pacer').share - truth.pacer, 0) / RUNS;
      // Nothing given back: low by all of them.
      expect(Math.abs(error)).toBeLessThan(0.25 * call + 0.003);
    });
  },
);
