import { describe, expect, it } from 'vitest';
import { NO_STATES } from '../../src/model/index.js';
import type { Bucket, StateWeights } from '../../src/model/index.js';
import { estimateByStates, poolShare, stateLeaves } from '../../src/stats/index.js';
import type { StateCount, StatesInput, ThreadEstimate } from '../../src/stats/index.js';
import { ids, percents, row, sumOf } from './fixtures.js';

function seen(bucket: Bucket, states: Partial<StateWeights>): StateCount {
  return { bucket, states: { ...NO_STATES, ...states } };
}

/** A paced loop beside a thread that holds the GIL: 30 % on a CPU, 10 % without one, 60 % blocked. */
const COUNTS = [
  seen('physics', { running: 200, 'gil-wait': 100, 'cpu-wait': 60 }),
  seen('publishing', { running: 100, blocked: 100 }),
  seen('pacer', { sleep: 400, 'cpu-wait': 40 }),
];
const TOTALS = percents({ on: 30, rq: 10 });

function estimate(part: Partial<StatesInput> = {}): ThreadEstimate {
  return estimateByStates({ counts: COUNTS, lost: NO_STATES, totals: TOTALS, priority: 'fifo', ...part });
}

/** A paced loop, in so many thousands of samples. */
function thousands(times: number): StateCount[] {
  return [seen('physics', { running: 385 * times }), seen('pacer', { sleep: 615 * times })];
}

function shares(of: ThreadEstimate): Record<string, number> {
  return Object.fromEntries(
    of.rows.map(({ bucket, kind, share }) => [
      kind === undefined ? bucket : `${bucket}/${kind}`,
      Number(share.toFixed(9)),
    ]),
  );
}

describe('a thread whose samples know their state', () => {
  it('has the CPU time that its functions used and the time that they were blocked; waits are rows of their own', () => {
    const found = estimate();
    expect(found.mode).toBe('net');
    expect(shares(found)).toEqual({
      pacer: 0.4,
      physics: 0.2,
      publishing: 0.2,
      'gil-wait': 0.1,
      'cpu-wait': 0.1,
    });
    expect(sumOf(found)).toBeCloseTo(1, 12);
    expect(row(found, 'cpu-wait')).toMatchObject({
      exact: true,
      low: 0.1,
      high: 0.1,
      samples: 100,
      rawShare: 0.1,
    });
    expect([found.totals?.gilWait, found.totals?.sleep, found.totals?.otherBlocked]).toEqual([
      expect.closeTo(0.1, 12),
      expect.closeTo(0.4, 12),
      expect.closeTo(0.1, 12),
    ]);
    expect(found.samples).toBe(1000);
    expect(ids(found)).toEqual([]);
  });

  it('gives sleep calls their own CPU time back, unless most switches are for the GIL', () => {
    const counts = thousands(1);
    const totals = { ...percents({ on: 40, rq: 0 }), voluntaryPerS: 1000 };
    const found = estimate({ counts, totals });
    expect(shares(found)).toEqual({ pacer: 0.615, physics: 0.385, 'gil-wait': 0, 'cpu-wait': 0 });
    expect(sumOf(found)).toBeCloseTo(1, 12);
    // At most half of what there is.
    const little = estimate({
      counts: [seen('physics', { running: 1 }), seen('pacer', { sleep: 999 })],
      totals: { ...percents({ on: 2, rq: 0 }), voluntaryPerS: 1000 },
    });
    expect(shares(little)['physics']).toBe(0.01);
    const asleep = estimate({
      counts: [seen('pacer', { sleep: 600 })],
      totals: { ...percents({ on: 0.1, rq: 0 }), voluntaryPerS: 20 },
    });
    expect(sumOf(asleep)).toBeCloseTo(1, 12);
    const waits = [...counts, seen('physics', { 'gil-wait': 100 })];
    expect(shares(estimate({ counts: waits, totals }))['physics']).toBe(0.4);
  });

  it('believes its samples of what a sleep call takes as far as there are many', () => {
    const totals = { ...percents({ on: 45, rq: 0 }), voluntaryPerS: 1000 };
    const half = estimate({ counts: thousands(1), totals });
    expect(shares(half)['pacer']).toBeCloseTo(0.55 + 0.03931, 5);
    const many = estimate({ counts: thousands(1000), totals });
    // Not more than any machine was seen to take.
    expect(shares(many)['pacer']).toBeCloseTo(0.55 + 0.06, 9);
    const few = estimate({ counts: thousands(1), totals: { ...totals, voluntaryPerS: 50 } });
    expect(shares(few)['pacer']).toBeCloseTo(0.55 + 0.0009, 5);
  });

  it('says how far that may be off', () => {
    const totals = { ...percents({ on: 40, rq: 0 }), voluntaryPerS: 1000 };
    const { share, low, high } = row(estimate({ counts: thousands(1), totals }), 'pacer');
    const counted = 1e6 / ((0.385 * 0.615 + 1 / 1004) / 1000);
    const margin = Math.hypot(1960 / Math.sqrt(1 / 225e-12 + counted), 0.01);
    expect([share - low, high - share]).toEqual([expect.closeTo(margin, 12), expect.closeTo(margin, 12)]);
  });

  it('stays net however much it waits', () => {
    const counts = [
      seen('physics', { running: 100, 'gil-wait': 500, 'cpu-wait': 350 }),
      seen('pacer', { sleep: 50 }),
    ];
    const found = estimate({ counts, totals: percents({ on: 10, rq: 35 }) });
    expect(found.mode).toBe('net');
    expect(shares(found)).toEqual({ 'gil-wait': 0.5, 'cpu-wait': 0.35, physics: 0.1, pacer: 0.05 });
    expect(row(found, 'physics').ofWork).toBeCloseTo(1, 12);
  });

  it('has intervals by counting in both parts, with the bias that was measured', () => {
    const { share, low, high } = row(estimate(), 'publishing');
    const running = 1.96 * 0.3 * Math.sqrt(((1 / 3) * (2 / 3) + 1 / 304) / 300);
    const blocked = 1.96 * 0.6 * Math.sqrt(((1 / 6) * (5 / 6) + 1 / 604) / 600);
    const margin = Math.hypot(running, blocked, 0.01);
    expect([share - low, high - share]).toEqual([expect.closeTo(margin, 12), expect.closeTo(margin, 12)]);
    const gil = row(estimate(), 'gil-wait');
    expect(gil.high - gil.share).toBeCloseTo(Math.hypot(blocked, 0.01), 12);
  });

  it('of an unpaced loop or a sampler of normal priority allows for more', () => {
    const counts = [seen('physics', { running: 990 }), seen('publishing', { running: 10 })];
    const totals = percents({ on: 100, rq: 0 });
    const half = 1.96 * Math.sqrt((0.0099 + 1 / 1004) / 1000);
    const { share, high } = row(estimate({ counts, totals }), 'publishing');
    expect(high - share).toBeCloseTo(Math.hypot(half, 0.02), 12);
    const other = row(estimate({ counts, totals, priority: 'other' }), 'publishing');
    expect(other.high - other.share).toBeCloseTo(Math.hypot(half, 0.05), 12);
  });

  it('prints lost samples by their states and never spreads them', () => {
    const lost = { ...NO_STATES, running: 100, sleep: 50, 'gil-wait': 150 };
    const found = estimate({ lost });
    // 400 ran, 800 were blocked.
    expect(shares(found)).toEqual({
      pacer: 0.3,
      physics: 0.15,
      publishing: 0.15,
      'unclassified/lost': 0.1125,
      'gil-wait': 0.1875,
      'cpu-wait': 0.1,
    });
    expect(sumOf(found)).toBeCloseTo(1, 12);
    expect(found.lost).toBe(300);
    expect(row(found, 'unclassified/lost').samples).toBe(150);
    // They may have been anyone's that ran.
    const { share, low, high } = row(found, 'physics');
    expect(high - share - (share - low)).toBeCloseTo(0.075, 12);
  });

  it('says what no sample stands for', () => {
    const found = estimate({ counts: [seen('pacer', { sleep: 60 })] });
    expect(shares(found)).toMatchObject({
      pacer: 0.6,
      'unclassified/not-sampled': 0.3,
      'cpu-wait': 0.1,
      'gil-wait': 0,
    });
    const busy = estimate({ counts: [seen('physics', { running: 60 })] });
    expect(shares(busy)).toEqual({ 'unclassified/not-sampled': 0.6, physics: 0.3, 'cpu-wait': 0.1 });
    expect(busy.totals?.gilWait).toBeUndefined();
    const none = estimate({ counts: [] });
    expect(shares(none)).toEqual({ 'unclassified/not-sampled': 0.9, 'cpu-wait': 0.1 });
  });

  it('does not count samples of unknown state for anyone', () => {
    const counts = [...COUNTS, seen('render', { unknown: 40 })];
    const found = estimate({ counts });
    expect(shares(found)).toEqual(shares(estimate()));
    expect(found.findings.map(({ id, what }) => [id, what])).toEqual([
      [
        'states-unknown',
        'What the thread did is not known of 40 samples (3.8 %): they count for no function.',
      ],
    ]);
  });

  it('gives any set of its samples the same worth, waits apart', () => {
    const { pools, perSample } = estimate();
    const leaves = stateLeaves({ ...NO_STATES, running: 20, 'gil-wait': 50, sleep: 40, 'cpu-wait': 9 });
    expect(poolShare(pools, leaves).share).toBeCloseTo(0.02 + 0.04, 12);
    expect(perSample).toEqual({
      work: expect.closeTo(0.001, 12),
      sleep: expect.closeTo(0.001, 12),
      wait: 0,
      gil: 0,
    });
  });
});

describe('without accounting of the kernel', () => {
  it('shares are of the samples, by their states', () => {
    const found = estimateByStates({
      counts: COUNTS,
      lost: { ...NO_STATES, running: 250 },
      priority: 'unknown',
    });
    expect(found.mode).toBe('samples');
    expect(shares(found)).toEqual({
      pacer: 0.32,
      'unclassified/lost': 0.2,
      physics: 0.16,
      publishing: 0.16,
      'gil-wait': 0.08,
      'cpu-wait': 0.08,
    });
    expect(sumOf(found)).toBeCloseTo(1, 12);
    expect(row(found, 'cpu-wait').exact).toBe(false);
    expect(found.perSample).toEqual({ work: 1 / 1250, sleep: 1 / 1250, wait: 0, gil: 0 });
    expect(found.totals).toBeUndefined();
    expect(ids(found)).toEqual(['short-functions-undercounted', 'totals-unavailable']);
  });

  it('nothing is known of nothing', () => {
    expect(estimateByStates({ counts: [], lost: NO_STATES, priority: 'unknown' }).rows).toEqual([]);
  });
});

/** 10000 samples, of which so many run and wait for a CPU. */
function at(running: number, waiting: number, part: Partial<StatesInput> = {}): ThreadEstimate {
  const states = { running, 'cpu-wait': waiting, sleep: 10_000 - running - waiting };
  return estimate({ counts: [seen('physics', states)], ...part });
}

describe('checks of states', () => {
  it.each([
    [3000, 1000, 'fifo', []],
    [2750, 1390, 'fifo', []],
    [2749, 1000, 'fifo', ['sampler-displaces-target']],
    [3000, 1401, 'fifo', ['sampler-displaces-target']],
    [3251, 1000, 'fifo', ['sampler-starved']],
    [3000, 599, 'fifo', ['sampler-starved']],
    [2500, 1000, 'other', ['sampler-starved', 'sampler-normal-priority']],
  ] as const)('S1: %i of 10000 run and %i wait, at priority %s', (running, waiting, priority, expected) => {
    expect(ids(at(running, waiting, { priority }))).toEqual(expected);
  });

  it('S1 names the rate to record at', () => {
    const [finding] = at(2500, 1000, { rateHz: 500 }).findings;
    expect(finding).toMatchObject({
      level: 'warning',
      what: '25.0 % of the samples run and 10.0 % wait for a CPU, but the kernel counted 30.0 % and 10.0 %.',
      fix: 'profiler attach … -r 250',
    });
    expect(at(2500, 1000).agreement).toMatchObject({ agrees: false, points: expect.closeTo(5, 9) });
    expect(at(2900, 1000).agreement).toMatchObject({ agrees: true, points: expect.closeTo(1, 9) });
  });

  it('S1 allows a short recording its noise', () => {
    const counts = [seen('physics', { running: 26, 'cpu-wait': 10, sleep: 64 })];
    expect(ids(estimate({ counts }))).toEqual([]);
  });

  it.each([
    [30, 'none'],
    [31, 'note'],
    [90, 'note'],
    [91, 'warning'],
  ])('S2: %i of 3000 samples that run have no stack', (running, level) => {
    const counts = [seen('physics', { running: 3000 - running, 'cpu-wait': 1000, sleep: 6000 })];
    const found = estimate({ counts, lost: { ...NO_STATES, running } });
    expect(found.findings[0]?.level ?? 'none').toBe(level);
    expect(ids(found)).toEqual(level === 'none' ? [] : ['short-functions-undercounted']);
  });

  it('S2: stacks that are lost while the thread is blocked are no short functions', () => {
    const found = estimate({
      lost: { ...NO_STATES, 'gil-wait': 500 },
      totals: percents({ on: 20, rq: 6.7 }),
    });
    expect(ids(found)).toEqual([]);
  });

  it('S2: fewer looks than were due', () => {
    expect(ids(estimate({ expectedSamples: 1200 }))).toEqual(['short-functions-undercounted']);
    expect(ids(estimate({ expectedSamples: 1020 }))).toEqual([]);
  });

  it('time that the host took widens the intervals and is said', () => {
    const totals = percents({ on: 30, rq: 10, stolen: 4 });
    const found = estimate({ totals });
    expect(ids(found)).toEqual(['cpu-stolen']);
    expect(row(found, 'physics').high - row(estimate(), 'physics').high).toBeCloseTo((0.04 * 200) / 300, 12);
    expect(row(estimate(), 'pacer').low - row(found, 'pacer').low).toBeCloseTo((0.04 * 400) / 600, 12);
  });
});
