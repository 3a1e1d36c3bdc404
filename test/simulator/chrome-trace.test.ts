import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readTables } from '../../src/simulator/index.js';
import { fixtureText } from './fixture.js';

const x = (name: string, ts: number, dur: number, more: object = {}): object => ({
  name,
  cat: 'sim',
  ph: 'X',
  pid: 1,
  tid: 1,
  ts,
  dur,
  ...more,
});
const mark = (ph: 'B' | 'E', ts: number, name?: string, tid = 1): object => ({
  ph,
  pid: 1,
  tid,
  ts,
  ...(name === undefined ? {} : { name }),
});
const tablesOf = (document: unknown): ReturnType<typeof readTables> => readTables(JSON.stringify(document));

it('a trace that py-spy drew from samples is said to be one', () => {
  const [table] = tablesOf([x('step', 0, 10_000, { cat: 'py-spy' })]);
  expect(table?.findings.map(({ id }) => id)).toEqual(['sampled-trace']);
  expect(tablesOf([x('step', 0, 10_000)])[0]?.findings).toEqual([]);
});

describe('durations of a Chrome trace', () => {
  it('are summed by name, what is inside others without them', () => {
    // The parts stand before their whole, as programs write them that write a duration when it ends.
    const [table] = tablesOf({
      displayTimeUnit: 'ns',
      traceEvents: [
        x('collide', 10, 20),
        x('collide', 40, 30),
        x('step', 0, 100),
        x('step', 100, 50),
        x('render', 100, 10, { tid: 2, cat: 'gl' }),
      ],
    });
    expect(table?.kind).toBe('chrome-trace');
    expect(table?.wholeUs).toBe(160);
    expect(table?.restUs).toBe(0);
    expect(table?.rows).toEqual([
      {
        name: 'step',
        path: [],
        role: 'part',
        of: 'sim',
        calls: 2,
        totalUs: 150,
        selfUs: 100,
        meanUs: 75,
        minUs: 50,
        maxUs: 100,
        p50Us: 100,
        p99Us: 100,
        share: 0.625,
      },
      expect.objectContaining({ name: 'collide', calls: 2, totalUs: 50, selfUs: 50, share: 0.3125 }),
      expect.objectContaining({ name: 'render', of: 'gl', totalUs: 10, selfUs: 10, share: 0.0625 }),
    ]);
    expect(table?.findings).toEqual([]);
  });

  it('of a name inside itself count once', () => {
    const [table] = tablesOf([x('tree', 0, 100), x('tree', 10, 80), x('tree', 20, 30)]);
    expect(table?.rows).toMatchObject([{ calls: 3, totalUs: 100, selfUs: 100, minUs: 30, maxUs: 100 }]);
  });

  it('are of categories and threads too, where there is more than one', () => {
    const [, categories, threads] = tablesOf([
      { ph: 'M', name: 'thread_name', pid: 1, tid: 2, args: { name: 'viewer' } },
      x('step', 0, 100),
      x('draw', 10, 30, { cat: 'gl' }),
      x('draw', 0, 40, { cat: 'gl', tid: 2 }),
    ]);
    expect(categories?.rows.map(({ name, calls, selfUs }) => [name, calls, selfUs])).toEqual([
      ['sim', 1, 70],
      ['gl', 2, 70],
    ]);
    expect(threads?.rows.map(({ name, calls, totalUs }) => [name, calls, totalUs])).toEqual([
      ['1/1', 2, 100],
      ['viewer (1/2)', 1, 40],
    ]);
  });

  it('of one name in two categories are two rows', () => {
    const [table] = tablesOf([x('wait', 0, 10), x('wait', 20, 5, { cat: 'io' })]);
    expect(table?.rows.map(({ name, of, totalUs }) => [name, of, totalUs])).toEqual([
      ['wait', 'sim', 10],
      ['wait', 'io', 5],
    ]);
  });

  it('have percentiles of what was there, by number and not by text', () => {
    const [table] = tablesOf(Array.from({ length: 200 }, (_, at) => x('step', at * 1000, at + 1)));
    expect(table?.rows[0]).toMatchObject({ minUs: 1, p50Us: 101, p99Us: 199, maxUs: 200, meanUs: 100.5 });
  });

  it('that start together nest by their length, whichever stands first', () => {
    const [table] = tablesOf([x('collide', 0, 30), x('step', 0, 100)]);
    expect(table?.rows.map(({ name, totalUs, selfUs }) => [name, totalUs, selfUs])).toEqual([
      ['step', 100, 70],
      ['collide', 30, 30],
    ]);
    expect(table?.findings).toEqual([]);
  });

  it('that overlap without nesting are said, and no time counts twice', () => {
    const [table] = tablesOf([x('a', 0, 100), x('b', 60, 100)]);
    expect(table?.wholeUs).toBe(160);
    expect(table?.rows.map(({ name, selfUs }) => [name, selfUs])).toEqual([
      ['b', 100],
      ['a', 60],
    ]);
    expect(table?.findings.map(({ id, what }) => [id, what])).toEqual([
      ['overlapping-events', '1 durations go on after the one in which they began.'],
    ]);
  });

  it('may end a rounding after the one around them', () => {
    const [table] = tablesOf([x('a', 0.4, 99.6), x('b', 50.1, 50)]);
    expect(table?.findings).toEqual([]);
  });
});

describe('beginnings and ends', () => {
  it('are paired by thread, also without names and out of order', () => {
    const [table] = tablesOf([
      mark('B', 0, 'step'),
      mark('B', 5, 'step', 2),
      mark('E', 100),
      mark('B', 10, 'collide'),
      mark('E', 30),
      mark('E', 25, 'step', 2),
    ]);
    expect(table?.rows.map(({ name, calls, totalUs, selfUs }) => [name, calls, totalUs, selfUs])).toEqual([
      ['step', 2, 120, 100],
      ['collide', 1, 20, 20],
    ]);
    expect(table?.rows[0]).not.toHaveProperty('of');
    expect(table?.findings).toEqual([]);
  });

  it('of one moment keep their order', () => {
    const [table] = tablesOf([mark('B', 0, 'a'), mark('E', 10, 'a'), mark('B', 10, 'b'), mark('E', 20, 'b')]);
    expect(table?.rows.map(({ name, selfUs }) => [name, selfUs])).toEqual([
      ['a', 10],
      ['b', 10],
    ]);
  });

  it('without each other are counted and cost the others nothing', () => {
    const [table] = tablesOf([
      mark('E', 0, 'before'),
      mark('B', 0, 'step'),
      mark('B', 10, 'lost'),
      mark('E', 40, 'other'),
      mark('E', 50, 'step'),
      mark('B', 60, 'cut'),
    ]);
    expect(table?.rows.map(({ name, calls, totalUs }) => [name, calls, totalUs])).toEqual([['step', 1, 50]]);
    expect(table?.findings.map(({ id, what }) => [id, what])).toEqual([
      ['unmatched-events', '2 B events have no E, 2 E events no B: they are left out.'],
    ]);
  });

  it('that are open at the end are there until the last that their thread said', () => {
    const [table] = readTables(fixtureText('../chrome-trace/01-chrome-unterminated.json'));
    expect(table?.wholeUs).toBe(60);
    expect(table?.rows.map(({ name, calls, selfUs, totalUs }) => [name, calls, selfUs, totalUs])).toEqual([
      ['mj_step', 1, 50, 50],
      ['step', 1, 10, 60],
    ]);
    expect(table?.findings).toEqual([
      {
        level: 'warning',
        id: 'open-at-end',
        what: '1 B event was open to the end of the trace, and counts up to the last event of the thread.',
        why: 'The program ended, or the recording was stopped, in the middle of them. One whose E was lost earlier looks the same, and is too long.',
      },
    ]);
    const [other] = tablesOf([mark('B', 0, 'step'), x('inner', 5, 20), mark('B', 90, 'far', 2)]);
    expect(other?.rows.map(({ name, totalUs }) => [name, totalUs])).toEqual([
      ['inner', 20],
      ['step', 25],
    ]);
    expect(other?.findings.map(({ id, what }) => [id, what.slice(0, 40)])).toEqual([
      ['unmatched-events', '1 B events have no E, 0 E events no B: t'],
      ['open-at-end', '1 B event was open to the end of the tra'],
    ]);
  });
});

describe('what is no duration', () => {
  it('is passed over and counted', () => {
    const [table] = tablesOf([
      x('step', 0, 10),
      { ph: 'C', name: 'fps', pid: 1, tid: 1, ts: 1, args: { fps: 3 } },
      { ph: 'i', name: 'tick', pid: 1, tid: 1, ts: 1, s: 'g' },
      { ph: 'i', name: 'tick', pid: 1, tid: 1, ts: 2 },
      { ph: 'Q', name: 'new', ts: 2 },
      x('bad', 0, -1),
      x('bad', Number.NaN, 1),
      { name: 'no phase' },
      7,
    ]);
    expect(table?.rows.map(({ name }) => name)).toEqual(['step']);
    expect(table?.findings.map(({ id, what }) => [id, what])).toEqual([
      ['unreadable-events', '4 of 9 events have no phase, no time or no valid duration: they are left out.'],
      [
        'skipped-events',
        'Events without a duration of a thread are passed over: 1 of phase C, 2 of phase i, 1 of phase Q.',
      ],
    ]);
  });

  it('only makes a finding, no error', () => {
    const [table, ...others] = tablesOf({ traceEvents: [{ ph: 'i', name: 'tick', ts: 1 }] });
    expect(others).toEqual([]);
    expect(table?.rows).toEqual([]);
    expect(table).not.toHaveProperty('wholeUs');
    expect(table?.findings.map(({ id }) => id)).toEqual(['no-durations', 'skipped-events']);
    expect(tablesOf({ traceEvents: [] })[0]?.findings.map(({ id }) => id)).toEqual(['no-durations']);
  });

  it('times may be texts', () => {
    expect(tablesOf([x('step', 0, 0, { ts: '12.5', dur: '2.25' })])[0]?.rows[0]?.totalUs).toBe(2.25);
  });

  it.each([[{ a: 1 }], [[1, 2]], [{ traceEvents: 'x' }], [[{ name: 'x' }]]])('%j is no trace', (document) => {
    expect(tablesOf(document)).toEqual([]);
  });
});

describe('a trace that does not parse', () => {
  const whole = JSON.stringify({
    traceEvents: [x('Schritt 1 – \u00E4 } "', 0, 100), x('collide', 10, 20), x('step', 100, 50)],
    displayTimeUnit: 'ms',
  });

  it('is read up to its last whole event, wherever it was cut', () => {
    const counts = new Set<number>();
    for (let length = 0; length < whole.length; length += 1) {
      const [table] = readTables(whole.slice(0, length));
      const calls = (table?.rows ?? []).reduce((sum, row) => sum + (row.calls ?? 0), 0);
      counts.add(calls);
      if (calls > 0) {
        const [finding] = table?.findings ?? [];
        expect(finding?.id).toBe('trace-cut-off');
      }
    }
    expect([...counts]).toEqual([0, 1, 2, 3]);
  });

  it('says at which byte, not at which letter', () => {
    const at = whole.indexOf(',{"name":"collide"');
    const [table] = readTables(whole.slice(0, at + 20));
    expect(table?.findings[0]?.what).toBe(
      `The trace breaks off after byte ${Buffer.byteLength(whole.slice(0, at))}: the 1 whole events up to there are read.`,
    );
    expect(Buffer.byteLength(whole.slice(0, at))).toBe(at + 3);
  });

  it('may be a bare list without its end: the format allows it', () => {
    const [table] = readTables(
      `[\n${JSON.stringify(x('step', 0, 10))},\n${JSON.stringify(x('step', 10, 10))},\n`,
    );
    expect(table?.rows).toMatchObject([{ name: 'step', calls: 2, totalUs: 20 }]);
    expect(table?.findings).toEqual([]);
    expect(table?.lines).toEqual({ from: 1, to: 3 });
  });

  it('loses only the event with a NaN of Python', () => {
    const [table] = readTables(
      `{"traceEvents": [{"ph":"X","name":"a","ts":1,"dur":2}, {"ph":"X","name":"b","ts":NaN,"dur":2}, {"ph":"X","name":"a","ts":5,"dur":2}]}`,
    );
    expect(table?.rows).toMatchObject([{ name: 'a', calls: 2 }]);
    expect(table?.findings.map(({ id, what }) => [id, what])).toEqual([
      ['trace-damaged', 'The trace is no valid JSON: 1 of its events cannot be read, and are left out.'],
    ]);
  });

  it('is not what a log is that begins with a bracket', () => {
    expect(readTables('[INFO] [17.1] [sim]: {"traceEvents":[{"ph":"X"}')).toEqual([]);
    expect(readTables('[{"level": "info"},\n{"level": "info"}')).toEqual([]);
  });
});

it('names with numbers in them make no endless table, and the rest is said', () => {
  const [table] = tablesOf(Array.from({ length: 10_002 }, (_, at) => x(`job ${at}`, at * 10, 5)));
  expect(table?.rows).toHaveLength(10_000);
  expect(table?.restUs).toBe(10);
  expect(table?.findings.map(({ id }) => id)).toEqual(['too-many-names']);
});

it('a million nested events do not overflow the stack', () => {
  const events = Array.from({ length: 1_000_000 }, (_, at) =>
    at < 500_000 ? mark('B', at, 'f') : mark('E', at),
  );
  const [table] = tablesOf(events);
  expect(table?.rows).toMatchObject([
    { name: 'f', calls: 500_000, totalUs: 999_999, selfUs: 999_999, minUs: 1, maxUs: 999_999 },
  ]);
});

it('reads what py-spy 0.4.2 wrote', () => {
  const file = new URL('../fixtures/simulator/pyspy.chrometrace.json', import.meta.url);
  const [table, ...others] = readTables(readFileSync(file, 'utf8'));
  expect(others).toEqual([]);
  expect(table?.wholeUs).toBe(1_194_576);
  expect(table?.rows.map(({ name, calls, totalUs, selfUs }) => [name, calls, totalUs, selfUs])).toEqual([
    ['step', 13, 583_982, 583_982],
    ['wait', 12, 325_738, 325_738],
    ['cast', 7, 284_856, 284_856],
    ['<module>', 1, 1_194_576, 0],
    ['main', 32, 1_194_576, 0],
  ]);
  expect(table?.findings.map(({ id }) => id)).toEqual(['sampled-trace']);
});
