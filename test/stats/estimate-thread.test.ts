import { describe, expect, it } from 'vitest';
import { estimateThread, leafKind, poolShare } from '../../src/stats/index.js';
import type { SampleCount } from '../../src/rules/index.js';
import type { EstimateInput } from '../../src/stats/index.js';
import { ids, percents, row, sleep, sumOf, work } from './fixtures.js';

/** A paced loop: 24 % on CPU, 2 % waiting for a CPU, 74 % asleep, 500 sleeps a second, 5000 samples. */
const PACED: EstimateInput = {
  counts: [work('physics', 600), work('plugin', 500), work('pacer', 100), sleep('pacer', 3800)],
  totals: percents({ on: 24, rq: 2, gil: 0, sleep: 74, other: 0, perS: 500 }),
  lostTicks: 0,
  expectedSamples: 5000,
  priority: 'fifo',
};

describe('net shares (F1)', () => {
  it('splits CPU time by the samples at work and gives the sleep call its own CPU time', () => {
    const estimate = estimateThread(PACED);
    expect(estimate.mode).toBe('net');
    // c = 25 us * 500 = 1.25 points: (24 - 1.25) * 600/1200 and so on.
    expect(row(estimate, 'physics').share).toBeCloseTo(0.11375, 12);
    expect(row(estimate, 'plugin').share).toBeCloseTo((0.2275 * 500) / 1200, 12);
    expect(row(estimate, 'pacer').share).toBeCloseTo(0.74 + 0.0125 + (0.2275 * 100) / 1200, 12);
    expect(row(estimate, 'cpu-wait')).toMatchObject({
      share: 0.02,
      low: 0.02,
      high: 0.02,
      exact: true,
      samples: 0,
    });
    expect(row(estimate, 'gil-wait')).toMatchObject({ share: 0, exact: true });
    expect(sumOf(estimate)).toBeCloseTo(1, 12);
    expect(estimate.rows.map((r) => r.bucket)).toEqual([
      'pacer',
      'physics',
      'plugin',
      'cpu-wait',
      'gil-wait',
    ]);
    expect(row(estimate, 'physics').rawShare).toBe(0.12);
    expect(ids(estimate)).toEqual([]);
  });

  it('does not scale samples at work to running plus waiting', () => {
    // Scaled so, physics would be 26 points times 600/1200.
    expect(row(estimateThread(PACED), 'physics').share).not.toBeCloseTo(0.13, 3);
  });

  it('takes at most half of the CPU time for the sleep call, and nothing under GIL wait', () => {
    const counts = [work('physics', 50), work('plugin', 50), sleep('pacer', 4900)];
    const busy = {
      ...PACED,
      counts,
      totals: percents({ on: 2, rq: 0, gil: 0, sleep: 98, other: 0, perS: 5000 }),
    };
    expect(row(estimateThread(busy), 'physics').share).toBeCloseTo(0.01 * 0.5, 12);
    const contended = {
      ...PACED,
      totals: percents({ on: 24, rq: 2, gil: 5, sleep: 69, other: 0, perS: 500 }),
    };
    expect(row(estimateThread(contended), 'physics').share).toBeCloseTo(0.12, 12);
    expect(row(estimateThread(contended), 'gil-wait').share).toBe(0.05);
  });

  it('prints the interval of F4 with one point of bias for a paced loop', () => {
    const { share, low, high } = row(estimateThread(PACED), 'physics');
    const counting = 1.96 * 0.2275 * Math.sqrt((0.25 + 1 / 1204) / 1200);
    expect(high - share).toBeCloseTo(counting + 0.003 + 0.01, 12);
    expect(share - low).toBeCloseTo(counting + 0.003 + 0.01, 12);
  });

  it('prints two points of bias for a loop that does not sleep', () => {
    const estimate = estimateThread({
      counts: [work('physics', 2500), work('plugin', 2500)],
      totals: percents({ on: 95, rq: 5, gil: 0, sleep: 0, other: 0, perS: 10 }),
      lostTicks: 0,
      priority: 'fifo',
    });
    const { share, high } = row(estimate, 'physics');
    expect(share).toBeCloseTo(0.475, 12);
    expect(high - share).toBeCloseTo(1.96 * 0.95 * Math.sqrt((0.25 + 1 / 5004) / 5000) + 0.003 + 0.02, 12);
  });

  it('keeps other blocked time with the stacks it happened in', () => {
    // A render blocked on driver threads: 28 % on CPU, 30 % other blocked, 37 % sleep.
    const estimate = estimateThread({
      counts: [work('render', 2200), work('plugin', 700), work('physics', 300), sleep('pacer', 1800)],
      totals: percents({ on: 28, rq: 5, gil: 0, sleep: 37, other: 30, perS: 0 }),
      lostTicks: 0,
      priority: 'fifo',
    });
    expect(estimate.mode).toBe('net');
    expect(row(estimate, 'render').share).toBeCloseTo((0.58 * 2200) / 3200, 12);
    expect(row(estimate, 'pacer').share).toBeCloseTo(0.37, 12);
  });

  it('says part of the work and the unpaced ceiling, for work only', () => {
    const estimate = estimateThread({
      counts: [work('physics', 287), work('plugin', 143), sleep('pacer', 570)],
      totals: percents({ on: 43, rq: 0, gil: 0, sleep: 57, other: 0 }),
      lostTicks: 0,
      priority: 'fifo',
    });
    const physics = row(estimate, 'physics');
    expect(physics.ofWork).toBeCloseTo(0.287 / 0.43, 12);
    expect(physics.ceiling).toBeCloseTo(0.43 / 0.143, 12);
    expect(Object.keys(row(estimate, 'pacer'))).not.toContain('ceiling');
    expect(Object.keys(row(estimate, 'cpu-wait'))).not.toContain('ofWork');
  });

  it('leaves an infinite ceiling out', () => {
    const estimate = estimateThread({
      counts: [work('physics', 500)],
      totals: percents({ on: 100, rq: 0 }),
      lostTicks: 0,
      priority: 'fifo',
    });
    expect(row(estimate, 'physics').ofWork).toBe(1);
    expect('ceiling' in row(estimate, 'physics')).toBe(false);
  });

  it('makes one row of the sleeping and the computing leaves of a bucket, and keeps sub-kinds apart', () => {
    const counts: SampleCount[] = [
      { bucket: 'publishing', kind: 'read', leaf: 'work', samples: 10 },
      { bucket: 'publishing', kind: 'message-build', leaf: 'work', samples: 10 },
      { bucket: 'publishing', kind: 'message-build', label: 'Odometry', leaf: 'work', samples: 10 },
      { bucket: 'physics', leaf: 'work', samples: 10 },
    ];
    const input = { totals: percents({ on: 100, rq: 0 }), lostTicks: 0, priority: 'fifo' } as const;
    const names = (list: SampleCount[]): string[] =>
      estimateThread({ ...input, counts: list }).rows.map((r) => [r.bucket, r.kind, r.label].join('|'));
    const order = [
      'physics||',
      'publishing|message-build|',
      'publishing|message-build|Odometry',
      'publishing|read|',
    ];
    expect(names(counts).slice(0, 4)).toEqual(order);
    expect(names(counts.toReversed()).slice(0, 4)).toEqual(order);
  });
});

describe('order of rows', () => {
  it('is by bucket where shares are equal, however the samples come', () => {
    const counts = (['plugin', 'raycast', 'executor', 'physics'] as const).map((bucket) => work(bucket, 25));
    const input = { totals: percents({ on: 100, rq: 0 }), lostTicks: 0, priority: 'fifo' } as const;
    for (const list of [counts, counts.toReversed()]) {
      const { rows } = estimateThread({ ...input, counts: list });
      expect(rows.map((r) => r.bucket)).toEqual(['physics', 'raycast', 'plugin', 'executor', 'cpu-wait']);
    }
  });
});

describe('wall shares (F3)', () => {
  const contended: EstimateInput = {
    counts: [work('physics', 1590), work('plugin', 3410)],
    totals: percents({ on: 73, rq: 4.4, gil: 22.6, sleep: 0, other: 0, perS: 9000 }),
    lostTicks: 0,
    priority: 'fifo',
  };

  it('never puts wall shares in one column with waiting: the sum would be 127 %', () => {
    const estimate = estimateThread(contended);
    expect(estimate.mode).toBe('wall');
    expect(estimate.rows.map((r) => r.bucket)).toEqual(['plugin', 'physics']);
    expect(row(estimate, 'physics').share).toBeCloseTo(0.318, 12);
    expect(sumOf(estimate)).toBeCloseTo(1, 12);
    expect(sumOf(estimate) + 0.226 + 0.044).toBeCloseTo(1.27, 12);
    expect(ids(estimate)).toEqual(['shares-include-waiting']);
  });

  // on, run queue, GIL, other blocked of the measured worlds.
  it.each([
    ['realtime', 24, 2, 0, 0, 'net'],
    ['unpaced', 94, 5, 0, 0, 'net'],
    ['spinning thread beside a paced loop', 20, 7, 12, 0, 'net'],
    ['spinning thread beside an unpaced loop', 73, 4, 23, 0, 'wall'],
    ['two CPU hogs', 17, 14, 0, 0, 'net'],
    ['rendering', 28, 5, 0, 30, 'net'],
    ['hogs that take half of the machine', 20, 44, 0, 0, 'wall'],
    ['two hogs beside a paced loop', 29, 30, 0, 0, 'wall'],
    ['just below the limit', 29, 20, 0, 0, 'net'],
    ['just above it', 29, 21, 0, 0, 'wall'],
  ])('%s: %s / %s / %s / %s is %s', (_name, on, rq, gil, other, mode) => {
    const totals = percents({ on, rq, gil, other, sleep: 100 - on - rq - gil - other });
    expect(estimateThread({ ...contended, totals }).mode).toBe(mode);
  });

  it('allows for late wake-ups in a fast paced loop', () => {
    const paced = {
      ...contended,
      counts: [work('physics', 2000), sleep('pacer', 3000)],
      totals: percents({ on: 20, rq: 40, gil: 0, sleep: 40, other: 0 }),
    };
    const width = (loopRateHz?: number): number => {
      const rate = loopRateHz === undefined ? {} : { loopRateHz };
      const { share, high } = row(estimateThread({ ...paced, ...rate }), 'physics');
      return high - share;
    };
    expect(width(1000) - width()).toBeCloseTo(0.06 - 0.01, 12);
    expect(width(200)).toBe(width());
  });
});

describe('lost samples', () => {
  it('are a row of their own, taken from the time at work and never spread', () => {
    const estimate = estimateThread({ ...PACED, lostTicks: 24 });
    const lost = row(estimate, 'unclassified/lost');
    expect(lost.share).toBeCloseTo((0.2275 * 24) / 1224, 12);
    expect(lost.samples).toBe(24);
    expect(row(estimate, 'physics').share).toBeCloseTo((0.2275 * 600) / 1224, 12);
    expect(sumOf(estimate)).toBeCloseTo(1, 12);
    expect(estimate.rows.reduce((sum, r) => sum + r.rawShare, 0)).toBeCloseTo(1, 12);
    expect('ceiling' in lost).toBe(false);
  });

  it('may all belong to one bucket: its upper end allows for them', () => {
    const { share, low, high } = row(estimateThread({ ...PACED, lostTicks: 24 }), 'physics');
    expect(high - share - (share - low)).toBeCloseTo((0.2275 * 24) / 1224, 12);
  });

  it('are not all at work when most of the sleep is missing from the samples', () => {
    // A tick lost because of another thread: 40 % of all samples, whatever this thread did.
    const estimate = estimateThread({
      counts: [work('physics', 720), sleep('pacer', 2280)],
      totals: percents({ on: 24, rq: 0, gil: 0, sleep: 76, other: 0 }),
      lostTicks: 2000,
      priority: 'fifo',
    });
    // All 2000 at work would leave physics 6.4 points of its 24; with the missing sleep counted it keeps over 12.
    expect(row(estimate, 'physics').share).toBeGreaterThan(0.12);
    expect(row(estimate, 'pacer').share).toBeCloseTo(0.76, 12);
    expect(sumOf(estimate)).toBeCloseTo(1, 12);
  });

  it('count in wall shares and in a bare file alike', () => {
    const bare = estimateThread({ counts: [work('physics', 90)], lostTicks: 10, priority: 'unknown' });
    expect(bare.rows.map((r) => [r.bucket, r.kind, r.share])).toEqual([
      ['physics', undefined, 0.9],
      ['unclassified', 'lost', 0.1],
    ]);
  });
});

describe('what was not sampled', () => {
  const totals = percents({ on: 1, rq: 0, gil: 0, sleep: 99, other: 0, perS: 10 });

  it('is CPU time of a thread that was only ever seen asleep', () => {
    const estimate = estimateThread({ counts: [sleep('idle', 100)], totals, lostTicks: 0, priority: 'fifo' });
    expect(row(estimate, 'idle').share).toBeCloseTo(0.99 + 25e-6 * 10, 12);
    expect(row(estimate, 'unclassified/not-sampled')).toMatchObject({ exact: true, samples: 0, rawShare: 0 });
    expect(sumOf(estimate)).toBeCloseTo(1, 12);
  });

  it('is everything but the waits for a thread without samples', () => {
    const estimate = estimateThread({ counts: [], totals, lostTicks: 0, priority: 'fifo' });
    expect(row(estimate, 'unclassified/not-sampled').share).toBeCloseTo(1, 12);
    expect(sumOf(estimate)).toBeCloseTo(1, 12);
    expect(estimate.agreement).toBeUndefined();
  });

  it('is sleep when the sampler skipped it', () => {
    const skipped = percents({ on: 30, rq: 0, gil: 0, sleep: 70, other: 0 });
    const counts = [work('physics', 300)];
    const estimate = estimateThread({
      counts,
      totals: skipped,
      lostTicks: 0,
      expectedSamples: 1000,
      priority: 'fifo',
    });
    expect(row(estimate, 'physics').share).toBeCloseTo(0.3, 12);
    expect(row(estimate, 'unclassified/not-sampled').share).toBeCloseTo(0.7, 12);
    expect(ids(estimate)).toContain('sampler-starved');
    expect(ids(estimate)).toContain('short-functions-undercounted');
  });

  it('is nothing when the samples stand on a line that no rule knows to sleep', () => {
    const unknown = percents({ on: 30, rq: 0, gil: 0, sleep: 70, other: 0, perS: 500 });
    const counts = [work('physics', 300), work('python', 700)];
    const estimate = estimateThread({
      counts,
      totals: unknown,
      lostTicks: 0,
      expectedSamples: 1000,
      priority: 'fifo',
    });
    expect(row(estimate, 'physics').share).toBeCloseTo(0.3, 12);
    expect(row(estimate, 'python').share).toBeCloseTo(0.7, 12);
    expect(ids(estimate)).toEqual(['sleep-not-recognised']);
  });

  it('is the whole window under contention without a single sample', () => {
    const contended = percents({ on: 50, rq: 10, gil: 40, sleep: 0, other: 0 });
    const estimate = estimateThread({ counts: [], totals: contended, lostTicks: 0, priority: 'fifo' });
    expect(estimate.rows).toHaveLength(1);
    expect(row(estimate, 'unclassified/not-sampled').share).toBe(1);
  });

  it('says nothing at all of a bare file without samples', () => {
    const estimate = estimateThread({ counts: [], lostTicks: 0, priority: 'unknown' });
    expect(estimate.rows).toEqual([]);
    expect(estimate.perSample).toEqual({ work: 0, sleep: 0, wait: 0, gil: 0 });
  });
});

describe('leaves that wait', () => {
  it('join the sleep when the kernel saw sleep that only they can be', () => {
    const counts: SampleCount[] = [work('executor', 50), { bucket: 'idle', leaf: 'wait', samples: 950 }];
    const totals = percents({ on: 4, rq: 1, gil: 0, sleep: 95, other: 0, perS: 100 });
    const estimate = estimateThread({ counts, totals, lostTicks: 0, priority: 'fifo' });
    expect(row(estimate, 'idle').share).toBeCloseTo(0.95 + 0.0025, 12);
    expect(row(estimate, 'executor').share).toBeCloseTo(0.0375, 12);
    expect(estimate.perSample.wait).toBe(estimate.perSample.sleep);
    expect(ids(estimate)).toEqual([]);
  });

  it('stay with the work when the kernel saw them as other blocked time', () => {
    const counts: SampleCount[] = [work('executor', 50), { bucket: 'idle', leaf: 'wait', samples: 950 }];
    const totals = percents({ on: 4, rq: 1, gil: 0, sleep: 0, other: 95, perS: 100 });
    const estimate = estimateThread({ counts, totals, lostTicks: 0, priority: 'fifo' });
    expect(row(estimate, 'idle').share).toBeCloseTo(0.99 * 0.95, 12);
    expect(estimate.perSample.wait).toBe(estimate.perSample.work);
  });

  it('for the GIL leave their stack and show the kernel total', () => {
    const counts: SampleCount[] = [work('physics', 900), { bucket: 'gil-wait', leaf: 'wait', samples: 100 }];
    const totals = percents({ on: 88, rq: 0, gil: 12, sleep: 0, other: 0 });
    const estimate = estimateThread({ counts, totals, lostTicks: 0, priority: 'fifo' });
    expect(row(estimate, 'physics').share).toBeCloseTo(0.88, 12);
    expect(row(estimate, 'gil-wait')).toMatchObject({
      share: 0.12,
      exact: true,
      samples: 100,
      rawShare: 0.1,
    });
    expect(sumOf(estimate)).toBeCloseTo(1, 12);
  });
});

describe('without the split of blocked time', () => {
  const totals = percents({ on: 24, rq: 2, perS: 500 });

  it('takes sleep from the samples, as far as the kernel saw the thread blocked', () => {
    const estimate = estimateThread({ ...PACED, totals });
    expect(row(estimate, 'pacer').share).toBeCloseTo(0.74 + 0.0125 + (0.2275 * 100) / 1200, 12);
    expect(estimate.rows.map((r) => r.bucket)).not.toContain('gil-wait');
    expect(sumOf(estimate)).toBeCloseTo(1, 12);
    expect(estimate.findings).toMatchObject([{ id: 'gil-unknown', level: 'note' }]);
    expect(estimate.findings[0]!.what).toContain('74.0 %');
  });

  it('leaves the rest with the code around it, and doubts', () => {
    const counts = [work('render', 3000), sleep('pacer', 2000)];
    const estimate = estimateThread({ ...PACED, counts, totals });
    // c = 1.25 points; 34 points of blocked time are not sleep by the samples.
    expect(row(estimate, 'pacer').share).toBeCloseTo(0.4 + 0.0125, 12);
    const { share, high } = row(estimate, 'render');
    expect(share).toBeCloseTo(0.24 - 0.0125 + 0.34, 12);
    // The border between the two is itself counted: C1's tolerance comes on top.
    const border = 2 * Math.sqrt((0.4 * 0.6) / 5000) + 0.01;
    const counting = 1.96 * share * Math.sqrt(1 / 3004 / 3000);
    expect(high - share).toBeCloseTo(counting + 0.003 + 0.01 + border, 12);
    expect(estimate.findings).toMatchObject([{ id: 'gil-unknown', level: 'warning' }]);
  });

  it('is silent about a thread that hardly blocks', () => {
    const busy = percents({ on: 95.5, rq: 4, perS: 5 });
    expect(ids(estimateThread({ ...PACED, counts: [work('physics', 5000)], totals: busy }))).toEqual([]);
  });
});

describe('a bare file', () => {
  it('has the shares of its samples and says that nothing else is known', () => {
    const estimate = estimateThread({ counts: PACED.counts, lostTicks: 0, priority: 'unknown' });
    expect(estimate.mode).toBe('samples');
    expect(row(estimate, 'physics').share).toBe(0.12);
    expect(row(estimate, 'pacer').share).toBe(0.78);
    expect(ids(estimate)).toEqual(['totals-unavailable']);
    expect('totals' in estimate).toBe(false);
  });
});

describe('one sample', () => {
  it.each([
    ['net', PACED],
    ['wall', { ...PACED, totals: percents({ on: 20, rq: 40, gil: 0, sleep: 40, other: 0 }) }],
    ['samples', { counts: PACED.counts, lostTicks: 3, priority: 'unknown' } as const],
    ['net with losses', { ...PACED, lostTicks: 40 }],
  ])('is worth as much in hot as in buckets: %s', (_name, input) => {
    const estimate = estimateThread(input);
    for (const bucket of ['physics', 'plugin', 'pacer']) {
      const worth = input.counts
        .filter((count) => count.bucket === bucket)
        .reduce(
          (sum, count) => sum + count.samples * estimate.perSample[leafKind(count.bucket, count.leaf)],
          0,
        );
      expect(worth).toBeCloseTo(row(estimate, bucket).share, 12);
    }
  });

  it('has the interval of its bucket when it is the whole bucket', () => {
    const estimate = estimateThread(PACED);
    const { share, low, high } = row(estimate, 'physics');
    expect(poolShare(estimate.pools, { work: 600, sleep: 0, wait: 0, gil: 0 })).toEqual({ share, low, high });
  });
});
