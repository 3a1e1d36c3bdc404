import { afterEach, describe, expect, it, vi } from 'vitest';
import { Category, RING, SEQUENCE, bytesOf } from '../../src/telemetry/category.js';
import { INSPECTED, showToInspector } from '../../src/telemetry/inspected.js';
import type { InspectedSource } from '../../src/telemetry/inspected.js';
import { recentSpans } from '../../src/telemetry/recent-spans.js';
import { COVER, END, GIVEN, OWN_PART, TIMES, TOOK, stamp } from '../../src/telemetry/stamp.js';
import { StepProfiler } from '../../src/telemetry/steps/index.js';
import { recentSteps } from '../../src/telemetry/steps/recent-steps.js';
import { byHand } from './hand-clock.js';
import { held, ManualHost } from './steps/manual-host.js';

interface Told {
  readonly id: number;
  readonly kind: string;
  readonly name: string;
  readonly nowMs?: number;
  readonly nowNs?: string;
  readonly categories?: readonly {
    readonly name: string;
    readonly calls: number;
    readonly spans: string;
    readonly unplaced: number;
  }[];
  readonly steps?: readonly {
    readonly signature: string;
    readonly isOpen: boolean;
    readonly startMs: number;
    readonly endMs: number;
  }[];
  readonly what?: string;
}

/** As the inspector asks. */
function asked(agoMs: number | undefined, keepMs = 0): readonly Told[] {
  const inspected = (
    globalThis as unknown as Record<symbol, { answer: (ago?: number, keep?: number) => string }>
  )[Symbol.for(INSPECTED)];
  return (JSON.parse(inspected?.answer(agoMs, keepMs) ?? '{}') as { sources: Told[] }).sources;
}

const named = (name: string, agoMs: number | undefined, keepMs?: number): Told | undefined =>
  asked(agoMs, keepMs).find((one) => one.name === name);

/** End and duration of each, newest first. */
function pairs(base64: string | undefined): number[] {
  const bytes = Buffer.from(base64 ?? '', 'base64');
  return [...new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))];
}

function source(name: string, more: Partial<InspectedSource> = {}): InspectedSource {
  return { kind: 'spans', name, now: () => 5000, since: (ms) => ({ what: `since ${ms}` }), ...more };
}

const failing = (): never => {
  throw new Error('no clock');
};

afterEach(() => vi.restoreAllMocks());

describe('what a profiler sees through the inspector', () => {
  it('is what ended lately, by the clock of whoever measured it', () => {
    const hide = showToInspector(source('one'));
    expect(named('one', 300)).toMatchObject({ kind: 'spans', nowMs: 5000, what: 'since 4700' });
    expect(named('one', undefined)).toMatchObject({ what: 'since Infinity' });
    expect(named('one', undefined)?.nowNs).toMatch(/^\d+$/);
    hide();
    expect(named('one', 300)).toBeUndefined();
  });

  it('is of one that ended meanwhile still there, once', () => {
    const hide = showToInspector(source('ends'));
    expect(named('ends', undefined, 60_000)).toBeDefined();
    hide();
    expect(named('ends', 300, 60_000)).toBeDefined();
    expect(named('ends', 300, 60_000)).toBeUndefined();
  });

  it('is dropped when nobody comes back for it', () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1000);
    const hide = showToInspector(source('left'));
    asked(undefined, 500);
    hide();
    now.mockReturnValue(1600);
    const other = showToInspector(source('other'));
    expect(asked(undefined).map(({ name }) => name)).not.toContain('left');
    other();
  });

  it('has a number for each that no other has, and of a clock that fails only who it is', () => {
    const hides = [showToInspector(source('a')), showToInspector(source('b', { now: failing }))];
    const [a, b] = [named('a', 1), named('b', 1)];
    expect(a?.id).not.toBe(b?.id);
    expect(b).toEqual({ id: b?.id, kind: 'spans', name: 'b' });
    for (const hide of hides) hide();
  });
});

describe('the place that a profiler looks at', () => {
  const store = globalThis as unknown as Record<symbol, unknown>;
  const place = Symbol.for(INSPECTED);
  const before = store[place];
  afterEach(() => {
    store[place] = before;
  });

  it.each([
    ['a number', 5],
    ['an object of another kind', {}],
    [
      'something that fails',
      new Proxy(
        {},
        {
          get: failing,
        },
      ),
    ],
  ])('may be taken by %s: the program is measured all the same', (_, taken) => {
    store[place] = taken;
    const hide = showToInspector(source('unseen'));
    expect(hide()).toBeUndefined();
    expect(store[place]).toBe(taken);
  });

  it('has names of a bounded length', () => {
    delete store[place];
    const long = 'x'.repeat(1000);
    const hide = showToInspector(source(long));
    const { t } = byHand({ name: 'long names' });
    t.record(long, 1);
    expect(asked(100).map(({ name }) => name)).toEqual(['x'.repeat(200), 'long names']);
    expect(named('long names', 100)?.categories?.map(({ name }) => name)).toEqual(['x'.repeat(200)]);
    hide();
  });
});

describe('spans of a telemetry', () => {
  it('have an end and a duration each, newest first, where they have a place in time', () => {
    const { t, pass } = byHand({ name: 'looked at' });
    t.measure('Physics', () => pass(2));
    pass(10);
    t.measure('Physics', () => {
      pass(1);
      t.measure('Render', () => pass(4));
    });
    t.record('Physics', 7);
    const told = named('looked at', 5.5);
    expect(told?.nowMs).toBe(1017);
    expect(told?.categories?.map(({ name, calls, unplaced }) => [name, calls, unplaced])).toEqual([
      ['Physics', 3, 1],
      ['Render', 1, 0],
    ]);
    // The first one ended at 1002, before that.
    expect(told?.categories?.map(({ spans }) => pairs(spans))).toEqual([
      [1017, 5],
      [1017, 4],
    ]);
    expect(named('looked at', undefined)?.categories?.map(({ calls, spans }) => [calls, spans])).toEqual([
      [3, ''],
      [1, ''],
    ]);
  });

  it('that are asynchronous, of handles and of frames have theirs', async () => {
    const { t, pass } = byHand({ name: 'all kinds' });
    const handle = t.span('Handle');
    pass(1);
    t.startFrame();
    pass(1);
    t.endFrame();
    handle.end();
    await t.measure('Later', async () => {
      await Promise.resolve();
      pass(8);
    });
    for (const _ of t.measure('Generated', function* () {
      yield pass(1);
      yield pass(1);
    }))
      pass(0);
    const told = named('all kinds', 1000);
    expect(told?.categories?.map(({ name, spans, unplaced }) => [name, pairs(spans), unplaced])).toEqual([
      ['Handle', [1002, 2], 0],
      ['Frame_Total', [1002, 1], 0],
      ['Later', [1010, 8], 0],
      ['Generated', [], 1],
    ]);
  });

  it('are as many as are kept, without the one that is being written', () => {
    const capacity = 4;
    const category = new Category('x', capacity, new ArrayBuffer(bytesOf(capacity)));
    const times = new Float64Array(TIMES);
    const write = (ms: number): void => {
      for (const slot of [TOOK, OWN_PART, COVER]) times[slot] = ms;
      times[END] = 100 + ms;
      stamp(category, times, () => 0, GIVEN, times, 0);
    };
    for (let ms = 1; ms <= 6; ms += 1) write(ms);
    expect(pairs(recentSpans(category, 0).spans)).toEqual([106, 6, 105, 5, 104, 4, 103, 3]);
    expect(category.cells.length).toBe(RING + 8);
    category.words[SEQUENCE]!++;
    expect(pairs(recentSpans(category, 0).spans)).toEqual([106, 6, 105, 5, 104, 4]);
    expect(recentSpans(category, 0, 1)).toMatchObject({ calls: 6 });
    expect(pairs(recentSpans(category, 0, 1).spans)).toEqual([106, 6]);
  });
});

describe('steps of a profiler', () => {
  it('are those that ended lately and those that run, each with its phases', async () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host, mission: 'seen', printReport: false });
    prof.step('early', () => host.pass(10));
    host.pass(100);
    prof.step('late', () => {
      host.pass(5);
      prof.phase('dbRead', () => host.pass(20));
    });
    const { promise, keep: finish } = held<void>();
    const running = prof.step('runs', () => promise, {
      composite: true,
    });
    host.pass(40);
    const told = named('seen', 80);
    expect(told).toMatchObject({ kind: 'steps', nowMs: 175 });
    expect(told?.steps).toEqual([
      {
        signature: 'late',
        path: 'seen',
        composite: false,
        lane: 0,
        startMs: 110,
        endMs: 135,
        isOpen: false,
        phases: [['db_read', 115, 135]],
      },
      {
        signature: 'runs',
        path: 'seen',
        composite: true,
        lane: 0,
        startMs: 135,
        endMs: 175,
        isOpen: true,
        phases: [],
      },
    ]);
    expect(named('seen', undefined)).toMatchObject({ steps: [], leftOut: 0 });
    finish();
    await running;
    await prof.close();
    expect(named('seen', 80)).toBeUndefined();
  });

  it('are the newest where there are more than can be told', () => {
    const samples = Array.from({ length: 20_005 }, (_, at) => ({
      signature: `step ${at}`,
      path: '',
      composite: false,
      tid: 0,
      ts: at,
      total: 1,
      phases: [],
    }));
    const history = { samples, open: () => [] } as never;
    const { steps, leftOut } = recentSteps(history, 0, 30_000_000);
    expect([steps.length, steps[0]?.signature, leftOut]).toEqual([20_000, 'step 5', 5]);
  });

  it('are before all others those that run, and have their phases from the newest on', () => {
    const samples = Array.from({ length: 20_005 }, (_, at) => ({
      signature: at === 0 ? 'y'.repeat(1000) : `step ${at}`,
      path: 'z'.repeat(1000),
      composite: at === 0,
      tid: 0,
      ts: at,
      total: 1,
      phases: Array.from({ length: 3 }, () => ({ label: 'w'.repeat(1000), ts: at, dur: 1 })),
    }));
    const history = { samples, open: () => samples.slice(0, 1) } as never;
    const { steps, leftOut } = recentSteps(history, 0, 30_000_000);
    expect(steps.length).toBe(20_000);
    expect(steps[0]).toMatchObject({ signature: 'y'.repeat(200), path: 'z'.repeat(200), isOpen: true });
    expect(steps.slice(1).every(({ signature }, at) => signature === `step ${at + 6}`)).toBe(true);
    const phases = steps.map((step) => step.phases.length);
    expect([phases[0], phases[3333], phases[3334], phases.at(-1)]).toEqual([0, 2, 3, 3]);
    expect(steps.at(-1)?.phases[0]?.[0]).toBe('w'.repeat(200));
    expect(leftOut).toBe(5 + 10_000);
  });
});
