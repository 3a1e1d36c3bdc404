import { describe, expect, it } from 'vitest';
import { tableChangesCsv, tableChangesJson, tableChangesText } from '../../src/report/index.js';
import { compareTables, readTables } from '../../src/simulator/index.js';

const log = (...rows: readonly string[]): string =>
  ['per-plugin hook timing (avg \u00B5s/call):', ...rows].join('\n');
const BEFORE = readTables(
  `${log('  Lidar post_step 300.00 \u00B5s', '  =Arm pre_step 20.00 \u00B5s', '  Old\u001Bname pre_step 1.00 \u00B5s')}\nload-phase timing (totals, ms):\n  compile 10.0`,
);
const NOW = readTables(log('  Lidar post_step 200.00 \u00B5s', '  =Arm pre_step 25.00 \u00B5s'));
const COMPARED = { source: 'new.log', against: 'old.log', compared: compareTables(BEFORE, NOW) };
const STYLE = { width: 80, color: false };

describe('the screen of compared tables', () => {
  it('has both figures of each row, the largest change first, and names what is new or gone', () => {
    expect(tableChangesText(COMPARED, STYLE).split('\n')).toEqual([
      '  roqsim: hooks of plugins · new.log, lines 1–3, against old.log, lines 1–4',
      '  321 µs → 225 µs in all for each step (-29.9 %).',
      '  row          of         per    before      now    change',
      '  Lidar        post_step  step   300 µs   200 µs   -100 µs  -33.3 %',
      '  =Arm         pre_step   step  20.0 µs  25.0 µs  +5.00 µs  +25.0 %',
      '  Old\\x1bname  pre_step   step  1.00 µs           -1.00 µs     gone',
      '  Note: What physics costs, and the intrinsic real-time factor, are in neither',
      '    table: they hold no wall time and no number of steps. Two runs of different',
      '    length tell them: what more is simulated over what more is waited, start-up',
      '    cancels.',
      '    -> profiler rtf --runs SIM:WALL,SIM:WALL',
      '',
      '  No longer there: roqsim: start-up (old.log, lines 5–6).',
      '  Note: What simulators print has no interval: two runs of one program differ as',
      '    well. A change counts when it comes again in more runs of each.',
      '',
    ]);
  });

  it('says how much rows changed at most that it leaves out', () => {
    expect(tableChangesText({ ...COMPARED, top: 1 }, STYLE)).toContain(
      '  … 2 more rows, each changed by 5.00 µs at most (--top 3 shows all).\n',
    );
  });
});

it('has all of it as CSV and JSON', () => {
  expect(tableChangesCsv(COMPARED).split('\r\n')).toEqual([
    'kind,row,parts_of,of,per,before_us,now_us,change_us,change',
    'roqsim-hooks,Lidar,,post_step,step,300,200,-100,-0.333333',
    "roqsim-hooks,'=Arm,,pre_step,step,20,25,5,0.25",
    'roqsim-hooks,Old\\x1bname,,pre_step,step,1,,-1,',
    '',
  ]);
  const { kind, tables, onlyBefore } = JSON.parse(tableChangesJson(COMPARED));
  expect([kind, tables[0].whole, tables[0].rows[0], onlyBefore[0].title]).toEqual([
    'tables-comparison',
    { per: 'step', beforeUs: 321, afterUs: 225 },
    {
      name: 'Lidar',
      path: [],
      of: 'post_step',
      per: 'step',
      beforeUs: 300,
      afterUs: 200,
      changeUs: -100,
      change: -0.333333,
    },
    'roqsim: start-up',
  ]);
});
