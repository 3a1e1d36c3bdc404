import { describe, expect, it } from 'vitest';
import { type ThreadEstimate, agreement, estimateThread } from '../../src/stats/index.js';
import { ids, percents, sleep, work } from './fixtures.js';

describe('sleeping samples against the kernel (C1)', () => {
  const waits = { on: 20, rq: 7, gil: 12, sleep: 61, other: 0 };

  it('allows a wait for the GIL after a sleep to stand on the sleeping line', () => {
    // Three quarters of 5000 samples slept: inside 61 to 80 % with GIL wait, 7 points outside 61 to 68 % without.
    const found = agreement({ sleepSamples: 3750, samples: 5000, lost: 0, totals: percents(waits) })!;
    expect(found).toMatchObject({ sampled: 0.75, points: 0, side: 'inside', agrees: true });
    expect(found.high).toBeCloseTo(0.8, 12);
    const blind = agreement({
      sleepSamples: 3750,
      samples: 5000,
      lost: 0,
      totals: percents({ ...waits, gil: 0 }),
    })!;
    expect(blind.points).toBeCloseTo(7, 9);
    expect(blind.agrees).toBe(false);
  });

  it('excuses counting noise and one point', () => {
    const totals = percents({ on: 25, rq: 0, gil: 0, sleep: 75, other: 0 });
    const at = (sleepSamples: number): boolean =>
      agreement({ sleepSamples, samples: 5000, lost: 0, totals })!.agrees;
    // 2 * sqrt(p (1 - p) / 5000) + 1 point: about 2.2 points.
    expect([at(3640), at(3637), at(3859), at(3862)]).toEqual([true, false, true, false]);
  });

  it('does not blame the sampler for samples that it lost', () => {
    const totals = percents({ on: 25, rq: 0, gil: 0, sleep: 75, other: 0 });
    const facts = { sleepSamples: 3750, samples: 4600, totals };
    expect(agreement({ ...facts, lost: 400 })!.agrees).toBe(true);
    expect(agreement({ ...facts, lost: 0 })!.agrees).toBe(false);
    // 70 % of the others sleep; if all 400 lost ones did too, 72.4 % of all.
    const few = { sleepSamples: 3150, samples: 4500, totals };
    expect(agreement({ ...few, lost: 400 })!.points).toBeCloseTo(75 - 355000 / 4900, 9);
    expect(agreement({ ...few, lost: 0 })!.points).toBeCloseTo(5, 9);
  });

  it('knows the upper end alone where blocked time is not split', () => {
    const totals = percents({ on: 25, rq: 5 });
    expect(agreement({ sleepSamples: 0, samples: 100, lost: 0, totals })!.points).toBe(0);
    expect(agreement({ sleepSamples: 90, samples: 100, lost: 0, totals })!.points).toBeCloseTo(15, 9);
  });

  it('turns into a warning with the values', () => {
    const estimate = estimateThread({
      counts: [work('physics', 500), sleep('pacer', 4500)],
      totals: percents({ on: 25, rq: 1, gil: 0, sleep: 74, other: 0 }),
      lostTicks: 0,
      priority: 'fifo',
    });
    expect(estimate.findings).toMatchObject([
      {
        level: 'warning',
        id: 'sampler-starved',
        what: '90.0 % of the samples sleep, but the kernel allows 74.0 % to 75.0 %.',
      },
    ]);
    expect(estimate.agreement!.points).toBeCloseTo(15, 9);
  });
});

const UNPACED = {
  totals: percents({ on: 95, rq: 5, gil: 0, sleep: 0, other: 0 }),
  priority: 'fifo',
} as const;

function outOf10000(samples: number): string[] {
  return ids(
    estimateThread({ ...UNPACED, counts: [work('physics', samples)], lostTicks: 0, expectedSamples: 10_000 }),
  );
}

describe('missing samples (S2)', () => {
  // Lost samples in percent, as measured with py-spy: only unpaced loops fail.
  it.each([
    ['realtime', 0.5, false],
    ['unpaced', 3.7, true],
    ['spinning thread, paced', 0.3, false],
    ['spinning thread, unpaced', 2.4, true],
    ['CPU hogs', 0.2, false],
    ['rendering', 0.1, false],
    ['heavy, unpaced', 1.9, true],
  ])('%s with %s %% lost', (_name, lost, flagged) => {
    const lostTicks = lost * 50;
    const estimate = estimateThread({ ...UNPACED, counts: [work('physics', 5000 - lostTicks)], lostTicks });
    expect(ids(estimate).includes('short-functions-undercounted')).toBe(flagged);
  });

  it.each([
    [1.9, 'note'],
    [3.0, 'note'],
    [3.1, 'warning'],
  ])('makes %s %% lost a %s', (lost, level) => {
    const lostTicks = lost * 50;
    const { findings } = estimateThread({
      ...UNPACED,
      counts: [work('physics', 5000 - lostTicks)],
      lostTicks,
    });
    expect(findings.find(({ id }) => id === 'short-functions-undercounted')?.level).toBe(level);
  });

  it('flags samples that never came, beyond the noise of a random sampler', () => {
    expect(outOf10000(9600)).toEqual([]);
    expect(outOf10000(9599)).toEqual(['short-functions-undercounted']);
  });
});

describe('a sampler of normal priority', () => {
  const loop = {
    counts: [work('physics', 1300), sleep('pacer', 3700)],
    totals: percents({ on: 25, rq: 1, gil: 0, sleep: 74, other: 0 }),
    lostTicks: 0,
  };

  it('may be off by 20 points, and the intervals widen', () => {
    const normal = estimateThread({
      ...loop,
      priority: 'other',
      priorityFix: 'sudo profiler attach --pid 7',
    });
    expect(normal.findings).toMatchObject([
      { level: 'warning', id: 'sampler-normal-priority', fix: 'sudo profiler attach --pid 7' },
    ]);
    expect(normal.findings[0]!.what).toContain('20 points');
    const fifo = estimateThread({ ...loop, priority: 'fifo' });
    expect(normal.rows[1]!.high - fifo.rows[1]!.high).toBeCloseTo(0.05 - 0.01, 12);
  });

  it('is suspected where the priority was not read back, but not in a bare file', () => {
    expect(ids(estimateThread({ ...loop, priority: 'unknown' }))).toEqual(['sampler-normal-priority']);
    expect(ids(estimateThread({ counts: loop.counts, lostTicks: 0, priority: 'unknown' }))).toEqual([
      'totals-unavailable',
    ]);
  });
});

function stolen(points: number, samples = { atWork: 1300, asleep: 3700 }): ThreadEstimate {
  return estimateThread({
    counts: [work('physics', samples.atWork), sleep('pacer', samples.asleep)],
    totals: percents({ on: 24, rq: 1, gil: 0, sleep: 75, other: 0, stolen: points }),
    lostTicks: 0,
    priority: 'fifo',
  });
}

describe('time that the host of a virtual machine took', () => {
  it('is a warning with its size, a note below 3 %, and no word below 1 %', () => {
    expect(stolen(8).findings).toMatchObject([
      {
        level: 'warning',
        id: 'cpu-stolen',
        what: 'The host of this virtual machine took 25.0 % of the CPU time that was in use here (steal in /proc/stat).',
        why: expect.stringContaining("Up to 8.0 % of this thread's time"),
      },
    ]);
    expect(stolen(2).findings).toMatchObject([{ level: 'note', id: 'cpu-stolen' }]);
    expect(stolen(0.9).findings).toEqual([]);
  });

  it('widens work upwards and sleep downwards, each by all of it', () => {
    const [without, much] = [stolen(0.5).rows, stolen(8).rows];
    const moved = (bucket: string, end: 'low' | 'high'): number =>
      (much.find((row) => row.bucket === bucket)?.[end] ?? 0) -
      (without.find((row) => row.bucket === bucket)?.[end] ?? 0);
    expect(moved('physics', 'high')).toBeCloseTo(0.075, 9);
    expect(moved('physics', 'low')).toBeCloseTo(0, 9);
    expect(moved('pacer', 'low')).toBeCloseTo(-0.075, 9);
    expect(moved('pacer', 'high')).toBeCloseTo(0, 9);
  });

  it('excuses samples that sleep less than the kernel says, and is no sleep that the rules do not know', () => {
    const fewer = { atWork: 1650, asleep: 3350 };
    expect(ids(stolen(0.5, fewer))).toEqual(['sleep-not-recognised']);
    expect(ids(stolen(8, fewer))).toEqual(['cpu-stolen']);
  });
});
