import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { missionTables, readTables } from '../../src/simulator/index.js';
import type { CostTable } from '../../src/simulator/index.js';

const textOf = (mission: string): string =>
  readFileSync(new URL(`../fixtures/simulator/raccoon-profile.${mission}.json`, import.meta.url), 'utf8');
const DRIVE = textOf('M010Drive');

const titled = (tables: readonly CostTable[], title: string): CostTable | undefined =>
  tables.find((table) => table.title === `raccoon: ${title}`);
const totals = (table: CostTable | undefined): readonly unknown[] =>
  (table?.rows ?? []).map(({ path, name, totalUs }) => [...path, name, totalUs]);

interface Event {
  [key: string]: unknown;
}

const step = (name: string, startMs: number, ms: number, executeMs: number, more: Event = {}): Event => ({
  name,
  cat: 'step',
  ph: 'X',
  pid: 1,
  tid: 0,
  ts: startMs * 1000,
  dur: ms * 1000,
  args: {
    path: 'M',
    execute_ms: executeMs,
    db_write_ms: 0,
    db_read_ms: 0,
    acquire_ms: 0,
    sleep_ms: 0,
    hal_ms: 0,
  },
  ...more,
});
const tablesOf = (...traceEvents: readonly Event[]): readonly CostTable[] =>
  readTables(JSON.stringify({ traceEvents, displayTimeUnit: 'ms' }));

describe('the trace of a mission of raccoon', () => {
  const tables = readTables(DRIVE);

  it('is of raccoon alone, in tables of their own', () => {
    expect(tables.map(({ kind, title }) => `${kind} ${title}`)).toEqual([
      'raccoon-trace raccoon: where the time goes',
      'raccoon-trace raccoon: steps by overhead',
      'raccoon-trace raccoon: composite steps',
      'raccoon-trace raccoon: HAL and transport calls',
      'raccoon-trace raccoon: gaps between steps',
      'raccoon-trace raccoon: tasks',
      'raccoon-trace raccoon: event-loop lag',
    ]);
  });

  it('says where the time goes, with nothing counted twice', () => {
    const where = titled(tables, 'where the time goes');
    // 500 + 600 + 200 + 800 + 510 + 200 ms: the step inside button_gate() is in those 200.
    expect(where?.wholeUs).toBe(2_810_000);
    expect(totals(where)).toEqual([
      ['step body', 2_641_000],
      ['step body', 'deliberate sleep', 2_320_000],
      ['step body', 'HAL/transport calls', 80_400],
      ['step body', 'python compute', 240_600],
      ['overhead', 169_000],
      ['overhead', 'db write', 109_000],
      ['overhead', 'db read', 10_000],
      ['overhead', 'resource acquire', 5000],
      ['overhead', 'other', 45_000],
    ]);
    expect(where?.rows[0]?.share).toBe(2641 / 2810);
    expect(where?.findings.map(({ id, what }) => [id, what])).toEqual([
      ['steps-beside-each-other', 'Steps ran beside each other: 2.810 s of steps in 2.410 s.'],
      ['steps-inside-steps', '1 steps ran other steps in their body without being composites.'],
      ['steps-not-ended', '1 steps had not ended when the profiler did, among them blink().'],
    ]);
  });

  it('has the steps with most overhead first, whole names and all', () => {
    const steps = titled(tables, 'steps by overhead');
    expect(steps?.rows.filter(({ path }) => path.length === 0).map(({ name }) => name)).toEqual([
      'drive_forward(25.0)',
      'set_servo(port=2, position=1024)',
      'follow_line(sensor=left, until=black_line, speed=0.6)',
      'button_gate()',
      'wait_for_button()',
      'wait(0.5)',
    ]);
    expect(steps?.rows[0]).toEqual({
      name: 'drive_forward(25.0)',
      path: [],
      role: 'part',
      totalUs: 1_100_000,
      calls: 2,
      meanUs: 550_000,
      minUs: 500_000,
      maxUs: 600_000,
      p50Us: 600_000,
      p99Us: 600_000,
      share: 110 / 281,
    });
    expect(totals(steps).filter((row) => (row as string[])[0] === 'button_gate()')).toEqual([
      ['button_gate()', 50_000],
      ['button_gate()', 'step body', 40_000],
      ['button_gate()', 'step body', 'python compute', 40_000],
      ['button_gate()', 'overhead', 10_000],
      ['button_gate()', 'overhead', 'db write', 5000],
      ['button_gate()', 'overhead', 'other', 5000],
    ]);
  });

  it('gives composites only the time in which no step of theirs ran, on any task', () => {
    expect(
      titled(tables, 'composite steps')?.rows.map(({ name, totalUs, selfUs }) => [name, totalUs, selfUs]),
    ).toEqual([
      ['seq(5 steps)', 2_400_000, 100_000],
      ['parallel(2 branches)', 850_000, 50_000],
    ]);
  });

  it('knows that only long calls into hardware are there one by one', () => {
    expect(
      titled(tables, 'HAL and transport calls')?.rows.map(({ name, calls, totalUs }) => [
        name,
        calls,
        totalUs,
      ]),
    ).toEqual([
      ['Servo.set_position', 1, 60_000],
      ['(calls too short for the trace)', 82, 20_400],
    ]);
  });

  it('finds the gaps, where no task runs a step', () => {
    const gaps = titled(tables, 'gaps between steps');
    expect(gaps?.wholeUs).toBe(2_410_000);
    expect(gaps?.rows.map(({ name, totalUs, atUs }) => [name, totalUs, atUs])).toEqual([
      ['follow_line(sensor=left, until=black_line, speed=0.6) -> button_gate()', 40_000, 2_160_000],
      ['drive_forward(25.0) -> drive_forward(25.0)', 30_000, 520_000],
      ['(before the first step)', 20_000, 0],
      [
        'set_servo(port=2, position=1024) -> follow_line(sensor=left, until=black_line, speed=0.6)',
        10_000,
        1_350_000,
      ],
    ]);
  });

  it('has tasks by their names', () => {
    expect(titled(tables, 'tasks')?.rows.map(({ name, calls, totalUs }) => [name, calls, totalUs])).toEqual([
      ['main', 5, 1_500_000],
      ['task-1', 1, 800_000],
      ['task-2', 1, 510_000],
    ]);
  });

  it('puts spikes of the lag with the step that ran then, and says what blocked', () => {
    const lag = titled(tables, 'event-loop lag');
    expect(lag?.rows[0]).toMatchObject({ name: 'event-loop lag', calls: 453, maxUs: 70_200, p50Us: 250 });
    expect(
      lag?.rows.slice(1).map(({ path, name, calls, totalUs, atUs }) => [...path, name, calls, totalUs, atUs]),
    ).toEqual([
      ['event-loop lag', 'follow_line(sensor=left, until=black_line, speed=0.6)', 1, 70_200, undefined],
      ['event-loop lag', '(between steps)', 2, 20_400, undefined],
      ['event-loop lag', 'wait_for_button()', 1, 5000, undefined],
      [
        'event-loop lag',
        'follow_line(sensor=left, until=black_line, speed=0.6)',
        'spike',
        undefined,
        70_200,
        1_361_500,
      ],
      ['event-loop lag', '(between steps)', 'spike', undefined, 12_400, 531_200],
      ['event-loop lag', '(between steps)', 'spike', undefined, 8000, 2_410_100],
      ['event-loop lag', 'wait_for_button()', 'spike', undefined, 5000, 2_351_000],
    ]);
    // The step that ran when the monitor woke up is the one after the one that blocked it.
    expect(lag?.rows.map(({ meaning }) => meaning).filter((text) => text?.startsWith('blocked'))).toEqual([
      'blocked by hal:Servo.set_position of set_servo(port=2, position=1024)',
    ]);
  });
});

describe('moments at which the loop was late', () => {
  it('are all spikes in their order, with how long the monitor sleeps', () => {
    expect(titled(readTables(DRIVE), 'event-loop lag')?.late).toEqual({
      each: [
        { atUs: 531_200, lagUs: 12_400 },
        { atUs: 1_361_500, lagUs: 70_200 },
        { atUs: 2_351_000, lagUs: 5000 },
        { atUs: 2_410_100, lagUs: 8000 },
      ],
      intervalUs: 4750,
      untilUs: 2_410_100,
      clocks: 1,
    });
  });

  it('of several missions are on as many clocks', () => {
    const files = ['M000Setup', 'M010Drive'].map((name) => ({ name: `p.${name}.json`, text: textOf(name) }));
    expect(titled(missionTables(files), 'event-loop lag')?.late?.clocks).toBe(2);
  });
});

describe('identities of the profiler', () => {
  it('hold for each run by itself', () => {
    // One run whose body is longer than it, one with 10 ms around it: together they have 10, not 5.
    const tables = tablesOf(step('a', 0, 10, 15), step('a', 20, 20, 10));
    expect(totals(titled(tables, 'where the time goes'))).toEqual([
      ['step body', 25_000],
      ['step body', 'python compute', 25_000],
      ['overhead', 10_000],
      ['overhead', 'other', 10_000],
    ]);
  });

  it('are said not to hold where waits of one body overlap', () => {
    const args = { path: 'M', execute_ms: 100, sleep_ms: 180, hal_ms: 0 };
    const [where] = tablesOf(step('gather()', 0, 110, 100, { args }));
    expect(totals(where)).toEqual([
      ['step body', 100_000],
      ['step body', 'deliberate sleep', 180_000],
      ['overhead', 10_000],
      ['overhead', 'other', 10_000],
    ]);
    expect(where?.findings.map(({ id }) => id)).toEqual(['parts-exceed-body']);
  });
});

describe('what blocked the loop', () => {
  it.each([
    [20, 'blocked by hal:Servo.read of a'],
    [19, undefined],
  ])('is a call of %i of 40 ms: %s', (ms, meaning) => {
    const call = {
      name: 'hal:Servo.read',
      cat: 'phase',
      ph: 'X',
      pid: 1,
      tid: 0,
      ts: 20_000,
      dur: ms * 1000,
    };
    const late = { name: 'loop_lag', ph: 'C', pid: 1, tid: 1, ts: 60_000, args: { ms: 40 } };
    const lag = titled(tablesOf(step('a', 0, 100, 99), call, late), 'event-loop lag');
    expect(lag?.rows.at(-1)).toMatchObject({ name: 'spike', atUs: 60_000, totalUs: 40_000 });
    expect(lag?.rows.at(-1)?.meaning).toBe(meaning);
  });
});

describe('a trace of raccoon that', () => {
  it('has no step still is one', () => {
    const event = { ph: 'M', name: 'thread_name', pid: 1, tid: 1, args: { name: 'event-loop-lag' } };
    const [where, lag] = tablesOf(event);
    expect(where?.kind).toBe('raccoon-trace');
    expect(where?.findings.map(({ id }) => id)).toEqual(['no-steps']);
    expect(lag?.findings.map(({ id }) => id)).toEqual(['lag-not-measured']);
  });

  it('was cut off in the middle of a step has all steps before it, and no lag', () => {
    const at = DRIVE.indexOf('{"name": "wait(0.5)"') + 60;
    const tables = readTables(DRIVE.slice(0, at));
    expect(tables[0]?.findings[0]).toMatchObject({ level: 'warning', id: 'trace-cut-off' });
    expect(tables[0]?.findings[0]?.what).toMatch(new RegExp(`after byte ${at - 62}: the \\d+ whole events`));
    expect(titled(tables, 'where the time goes')?.wholeUs).toBe(2_100_000);
    expect(titled(tables, 'event-loop lag')?.findings.map(({ id }) => id)).toEqual(['lag-not-measured']);
  });

  it('was cut off before its marks still has its spikes', () => {
    const tables = readTables(DRIVE.slice(0, DRIVE.indexOf('{"name": "LAG')));
    expect(titled(tables, 'event-loop lag')?.rows.filter(({ name }) => name === 'spike')).toHaveLength(4);
  });

  it('has events of others says so', () => {
    const [where] = tablesOf(step('a', 0, 10, 9), { ph: 'X', name: 'x', cat: 'y', ts: 1, dur: 1 });
    expect(where?.findings.map(({ id, what }) => [id, what])).toEqual([
      ['unreadable-events', '1 events are none that the profiler writes: they are left out.'],
    ]);
  });
});

describe('missions of one run', () => {
  const files = ['M010Drive-2', 'M010Drive', 'M000Setup'].map((mission) => ({
    name: `logs/raccoon-profile.${mission}.json`,
    text: textOf(mission),
  }));

  it('are one trace, in the order of their names', () => {
    const tables = missionTables(files);
    const missions = titled(tables, 'missions');
    expect(missions?.rows.map(({ path, name, calls, totalUs }) => [...path, name, calls, totalUs])).toEqual([
      ['M000Setup', 1, 1_500_000],
      ['M000Setup', '(before the first step)', undefined, 200_000],
      ['M000Setup', '(after the last step)', undefined, 300_000],
      ['M010Drive', 8, 2_410_100],
      ['M010Drive', '(before the first step)', undefined, 20_000],
      ['M010Drive', '(after the last step)', undefined, 10_100],
      ['M010Drive-2', 1, 160_000],
      ['M010Drive-2', '(before the first step)', undefined, 50_000],
    ]);
    expect(missions?.findings.map(({ id }) => id)).toEqual(['missions-without-common-clock']);
    expect(titled(tables, 'where the time goes')?.wholeUs).toBe(2_810_000 + 1_000_000 + 110_000);
  });

  it('have the standstill between them among the gaps', () => {
    const gaps = titled(missionTables(files), 'gaps between steps');
    expect(gaps?.rows.slice(0, 4).map(({ name, totalUs, atUs }) => [name, totalUs, atUs])).toEqual([
      ['calibrate() -> drive_forward(25.0)', 320_000, 1_200_000],
      ['(before the first step)', 200_000, 0],
      ['button_gate() -> wait(0.1)', 60_100, 3_900_000],
      ['follow_line(sensor=left, until=black_line, speed=0.6) -> button_gate()', 40_000, 3_660_000],
    ]);
  });

  it('have tasks of their own', () => {
    expect(titled(missionTables(files), 'tasks')?.rows.map(({ name }) => name)).toEqual([
      'M010Drive: main',
      'M000Setup: main',
      'M010Drive: task-1',
      'M010Drive: task-2',
      'M010Drive-2: main',
    ]);
  });

  it('count to ten in order, and leave out what is no trace', () => {
    const names = ['p.M-10.json', 'p.M-2.json', 'p.M.json', 'p.A9.json', 'p.A10.json'];
    const text = JSON.stringify({ traceEvents: [step('a', 0, 10, 9)] });
    const [missions] = missionTables([
      ...names.map((name) => ({ name, text })),
      { name: 'x.json', text: '{}' },
    ]);
    expect(missions?.rows.map(({ name }) => name)).toEqual(['A9', 'A10', 'M', 'M-2', 'M-10']);
    expect(missions?.findings.map(({ id, what }) => [id, what])).toContainEqual([
      'no-mission-trace',
      "x.json is no trace of raccoon's StepProfiler.",
    ]);
    expect(missionTables([{ name: 'x.json', text: '{}' }])).toEqual([]);
  });

  it('of which one was cut off are read as far as they go', () => {
    const [first, ...others] = files;
    const cut = { name: 'raccoon-profile.M010Drive-2.json', text: first?.text.slice(0, -20) ?? '' };
    const [missions] = missionTables([cut, ...others]);
    expect(missions?.findings.map(({ id }) => id)).toEqual([
      'trace-cut-off',
      'missions-without-common-clock',
    ]);
    expect(missions?.findings[0]?.what).toMatch(/^raccoon-profile\.M010Drive-2\.json: /);
  });
});
