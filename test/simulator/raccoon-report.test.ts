import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readTables } from '../../src/simulator/index.js';
import type { CostTable } from '../../src/simulator/index.js';

const textOf = (name: string): string =>
  readFileSync(new URL(`../fixtures/simulator/${name}.txt`, import.meta.url), 'utf8');
const REPORT = textOf('raccoon-report');
const PARALLEL = textOf('raccoon-report-parallel');

const ids = (table: CostTable | undefined): readonly string[] | undefined =>
  table?.findings.map(({ id }) => id);

const changed = (from: string | RegExp, to: string): CostTable | undefined =>
  readTables(PARALLEL.replace(from, to))[0];

describe('the report of raccoon', () => {
  const tables = readTables(REPORT);
  const [where, motion, hal, steps, lag] = tables;

  it('has a table for each section, and the mission from the name of its trace', () => {
    expect(tables.map(({ kind, title, lines }) => [kind, title, lines.from, lines.to])).toEqual([
      ['raccoon-report', 'raccoon: where the time goes (M010Drive)', 3, 63],
      ['raccoon-report', 'raccoon: motion on_update() (M010Drive)', 3, 63],
      ['raccoon-report', 'raccoon: HAL and transport calls (M010Drive)', 3, 63],
      ['raccoon-report', 'raccoon: steps by overhead (M010Drive)', 3, 63],
      ['raccoon-report', 'raccoon: event-loop lag (M010Drive)', 3, 63],
    ]);
  });

  it('has the worst moments at which the loop was late', () => {
    expect(tables.find(({ title }) => title.includes('event-loop lag'))?.late).toEqual({
      each: [
        { atUs: 531_000, lagUs: 12_400 },
        { atUs: 1_361_000, lagUs: 70_200 },
        { atUs: 2_351_000, lagUs: 5000 },
        { atUs: 2_410_000, lagUs: 8000 },
      ],
      intervalUs: 5000,
      untilUs: 2_410_000,
      clocks: 1,
    });
  });

  it('says where the time goes', () => {
    expect(where?.wholeUs).toBe(2_410_000);
    expect(where).not.toHaveProperty('restUs');
    expect(
      where?.rows.map(({ path, name, totalUs, share }) => [...path, name, totalUs, share?.toFixed(3)]),
    ).toEqual([
      ['step body', 2_791_000, '1.158'],
      ['step body', 'deliberate sleep', 2_320_000, '0.963'],
      ['step body', 'HAL/transport calls', 80_000, '0.033'],
      ['step body', 'python compute', 391_000, '0.162'],
      ['overhead', 169_000, '0.070'],
      ['overhead', 'db write', 109_000, '0.045'],
      ['overhead', 'db read', 10_000, '0.004'],
      ['overhead', 'resource acquire', 5000, '0.002'],
      ['overhead', 'other', 45_000, '0.019'],
    ]);
    expect(where?.rows[2]?.calls).toBe(83);
  });

  it('is not believed where it may be wrong', () => {
    expect(where?.findings.map(({ id, what }) => [id, what])).toEqual([
      ['shares-pass-wall', 'Steps took 2.960 s of 2.410 s of wall clock: shares pass 100 %.'],
      [
        'trace-may-not-be-written',
        'The report says that raccoon-profile.M010Drive.json is written, but says so before it is.',
      ],
    ]);
  });

  it('counts what stands among its rows and is none, and says so', () => {
    const damaged = REPORT.replace('    20    0.008s     0.400    0.900', '    20    0.008s')
      .replace(/^ {2}blink\(\) +1 /m, '  blink()                             -1 ')
      .replace('  wait(0.5) ', '[bridge] a line of another program\n  wait(0.5) ');
    const [first, , calls, stepRows] = readTables(damaged);
    expect(first?.findings[0]).toEqual({
      level: 'warning',
      id: 'rows-not-read',
      what: '2 lines stand among the rows of calls and steps and cannot be read: they are left out.',
      why: 'They are damaged, of another program, or of another version of raccoon. The first: IOdometry.get_pose                    20    0.008s',
    });
    expect([calls?.rows.length, stepRows?.rows.filter(({ path }) => path.length === 0).length]).toEqual([
      2, 6,
    ]);
  });

  it('has the motions, which are another view of the body', () => {
    expect(motion?.wholeUs).toBe(1_000_000);
    expect(
      motion?.rows.map(({ name, calls, totalUs, meanUs, share }) => [name, calls, totalUs, meanUs, share]),
    ).toEqual([
      ['on_update compute', 80, 40_000, 500, 0.04],
      ['waiting for motion', undefined, 960_000, undefined, 0.96],
    ]);
  });

  it('has the calls into hardware, with cut names', () => {
    expect(
      hal?.rows.map(({ name, calls, totalUs, meanUs, maxUs }) => [name, calls, totalUs, meanUs, maxUs]),
    ).toEqual([
      ['Servo.set_position', 3, 60_000, 20_133, 60_000],
      ['VelocityController.set_target_...', 60, 12_000, 200, 1100],
      ['IOdometry.get_pose', 20, 8000, 400, 900],
    ]);
    expect(ids(hal)).toEqual(['names-cut']);
  });

  it('has the steps by their overhead', () => {
    expect(
      steps?.rows
        .slice(0, 5)
        .map(({ path, name, calls, meanUs, totalUs }) => [...path, name, calls, meanUs, totalUs]),
    ).toEqual([
      ['drive_forward(25.0)', 2, 550_000, undefined],
      ['drive_forward(25.0)', 'step body', 2, 500_000, undefined],
      ['drive_forward(25.0)', 'overhead', 2, 50_000, 100_000],
      ['drive_forward(25.0)', 'overhead', 'db write', 2, 30_000, undefined],
      ['set_servo(port=2, position=1024)', 1, 200_000, undefined],
    ]);
    expect(steps?.rows.filter(({ path }) => path.length === 0).map(({ name }) => name)).toContain(
      'follow_line(sensor=left, until...',
    );
    expect(steps?.findings.map(({ what }) => what)).toEqual(['1 names are cut to 30 letters.']);
  });

  it('has the lag, and what ran near each of its spikes', () => {
    expect(
      lag?.rows.map(({ name, calls, maxUs, p50Us, p99Us, atUs, totalUs, of }) => [
        name,
        calls,
        maxUs,
        p50Us,
        p99Us,
        atUs,
        totalUs,
        of,
      ]),
    ).toEqual([
      ['event-loop lag', 453, 70_200, 200, 400, undefined, undefined, undefined],
      ['spikes', 4, undefined, undefined, undefined, undefined, undefined, undefined],
      [
        'spike',
        undefined,
        undefined,
        undefined,
        undefined,
        1_361_000,
        70_200,
        'follow_line(sensor=left, until=black_line, speed=0.6)',
      ],
      ['spike', undefined, undefined, undefined, undefined, 531_000, 12_400, '(between steps)'],
      ['spike', undefined, undefined, undefined, undefined, 2_410_000, 8000, '(between steps)'],
      ['spike', undefined, undefined, undefined, undefined, 2_351_000, 5000, 'wait_for_button()'],
    ]);
    expect(lag?.rows[1]?.meaning).toBe('of at least 5 ms');
  });
});

describe('a report of steps beside each other', () => {
  const [where, steps, lag, ...others] = readTables(PARALLEL);

  it('has shares of more than the wall clock, and no rest', () => {
    expect(others).toEqual([]);
    expect(where?.title).toBe('raccoon: where the time goes');
    expect(where?.rows[0]).toMatchObject({ name: 'step body', totalUs: 10_800_000, share: 1.8 });
    expect(where).not.toHaveProperty('restUs');
    expect(ids(where)).toEqual(['shares-pass-wall']);
  });

  it('leaves out what it says is 0: it may not have been measured', () => {
    expect(where?.rows.map(({ name }) => name)).toEqual([
      'step body',
      'python compute',
      'overhead',
      'db write',
      'other',
    ]);
  });

  it('says how many steps its table does not have', () => {
    expect(steps?.findings.map(({ id, what }) => [id, what])).toEqual([
      ['rows-left-out', 'The table has 5 of 12 steps.'],
    ]);
  });

  it('does not take a lag that was not measured for none', () => {
    expect(lag?.rows).toEqual([]);
    expect(ids(lag)).toEqual(['lag-not-measured']);
  });
});

describe('identities of a report', () => {
  it('that fall short are told', () => {
    expect(
      changed('other (log/sig/asyncio) :    0.600', 'other (log/sig/asyncio) :    0.590')?.findings[0],
    ).toMatchObject({
      level: 'warning',
      id: 'report-sums-differ',
      what: 'db write, db read, resource acquire, other are 1.190 s of 1.200 s "overhead": they should be all of it.',
    });
    expect(
      ids(changed('python compute / unattrib   :   10.800', 'python compute / unattrib   :   10.700')),
    ).toContain('report-sums-differ');
  });

  it('may be off by what rounding makes', () => {
    expect(ids(changed('other (log/sig/asyncio) :    0.600', 'other (log/sig/asyncio) :    0.598'))).toEqual([
      'shares-pass-wall',
    ]);
  });

  it('that parts exceed are notes: the rest of a step is cut off at 0', () => {
    expect(
      ids(changed('deliberate sleep (awaits)   :    0.000', 'deliberate sleep (awaits)   :    9.000')),
    ).toEqual(['parts-exceed-body', 'shares-pass-wall']);
    expect(ids(changed('resource acquire        :    0.000', 'resource acquire        :    0.300'))).toEqual([
      'parts-exceed-overhead',
      'shares-pass-wall',
    ]);
  });

  it('hold for the share of the overhead too', () => {
    expect(changed('=> 10.0%', '=> 10.3%')?.findings[0]?.what).toBe(
      'It says that 10.3 % of the time of steps is overhead, and its sums that 10.0 % is.',
    );
  });

  it('cannot be checked where a line of them is missing', () => {
    expect(changed(/ {6}resource acquire.*\n/, '')?.findings[0]?.what).toBe(
      'Of the parts of "overhead" 1 are missing.',
    );
  });
});

describe('reports in a log', () => {
  it('are one for each mission, between lines of others', () => {
    const log = `${REPORT}${PARALLEL}`
      .split('\n')
      .flatMap((line) => [`robot-1  | ${line}`, 'robot-1  | [2026-01-01] something else'])
      .join('\r\n');
    const tables = readTables(log);
    expect(tables.map(({ rows }) => rows)).toEqual(
      [...readTables(REPORT), ...readTables(PARALLEL)].map(({ rows }) => rows),
    );
    expect(tables.flatMap(({ findings }) => findings).some(({ id }) => id === 'report-cut-off')).toBe(false);
  });

  it('may have no end, also before the next one', () => {
    const cut = REPORT.slice(0, REPORT.indexOf('  EVENT-LOOP LAG'));
    expect(ids(readTables(cut)[0])?.[0]).toBe('report-cut-off');
    const tables = readTables(`${cut}${PARALLEL.trimStart()}`);
    expect(ids(tables[0])?.[0]).toBe('report-cut-off');
    expect(ids(tables[4])).toEqual(['shares-pass-wall']);
  });

  it('have numbers that fill their columns', () => {
    const rows = [
      '  a                                 12341234.567s1234567.8123456.7 98765.4',
      '  b 2                                 99   1.500s     10.0    15.2     3.0',
    ];
    const text = PARALLEL.replace(/ {2}turn\(0\).*/, rows.join('\n')).replace(/ {2}turn\(.*\n/g, '');
    expect(
      readTables(text)[1]
        ?.rows.filter(({ name }) => name === 'overhead')
        .map(({ path, calls, totalUs, meanUs }) => [...path, calls, totalUs, meanUs]),
    ).toEqual([
      ['a', 1234, 1_234_567_000, 123_456_700],
      ['b 2', 99, 1_500_000, 15_200],
    ]);
  });

  it('say when calls were made outside steps', () => {
    const [, , hal] = readTables(REPORT.replace('<- 83 synchronous', '<- 80 synchronous'));
    expect(hal?.findings[0]).toMatchObject({
      id: 'calls-outside-steps',
      what: '3 of 83 calls were made outside the steps that the report counts.',
    });
  });
});

it('a line of many blanks inside a report once took seconds', () => {
  const text = `${REPORT.slice(0, REPORT.indexOf('  step body'))}  a${' '.repeat(1_000_000)}: 1\n`;
  expect(ids(readTables(text)[0])).toEqual(['report-cut-off']);
});
