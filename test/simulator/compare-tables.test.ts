import { describe, expect, it } from 'vitest';
import { compareTables, readTables } from '../../src/simulator/index.js';
import type { CostTable } from '../../src/simulator/index.js';
import { fixtureText } from './fixture.js';

const hooks = (...rows: readonly (readonly [name: string, hook: string, us: number])[]): string =>
  [
    'per-plugin hook timing (avg \u00B5s/call):',
    ...rows.map(([name, hook, us]) => `  ${name} ${hook} ${us.toFixed(2)} \u00B5s`),
  ].join('\n');

const OLD = readTables(
  hooks(
    ['Lidar', 'post_step', 300],
    ['Lidar', 'build', 5000],
    ['Bridge', 'post_step', 100],
    ['Gone', 'pre_step', 20],
  ),
);
const NEW = readTables(
  hooks(
    ['Lidar', 'post_step', 200],
    ['Lidar', 'build', 9000],
    ['Bridge', 'post_step', 110],
    ['New', 'pre_step', 50],
  ),
);

const counted = (calls: number): CostTable => ({
  kind: 'mujoco-timers',
  title: 'MuJoCo timers',
  lines: { from: 1, to: 1 },
  rows: [{ name: 'STEP', path: [], role: 'step', calls }],
  findings: [],
});
const refused = (before: readonly CostTable[], after: readonly CostTable[]): unknown => {
  try {
    return compareTables(before, after);
  } catch (error) {
    return error;
  }
};
const run = (steps: number, seconds: number): readonly CostTable[] =>
  readTables(
    `Simulated ${steps} steps in ${seconds.toFixed(3)}s (${Math.round(steps / seconds)} steps/s, ${((steps * 0.002) / seconds).toFixed(2)}x realtime, end-to-end incl. observation recording and rendering).`,
  );

describe('two tables of hooks', () => {
  const [change] = compareTables(OLD, NEW).changes;

  it('are matched row by row, what a step costs first and the largest change before the others', () => {
    expect(change?.rows).toEqual([
      { name: 'Lidar', path: [], of: 'post_step', per: 'step', beforeUs: 300, afterUs: 200, changeUs: -100 },
      { name: 'New', path: [], of: 'pre_step', per: 'step', afterUs: 50, changeUs: 50 },
      { name: 'Gone', path: [], of: 'pre_step', per: 'step', beforeUs: 20, changeUs: -20 },
      { name: 'Bridge', path: [], of: 'post_step', per: 'step', beforeUs: 100, afterUs: 110, changeUs: 10 },
      { name: 'Lidar', path: [], of: 'build', per: 'call', beforeUs: 5000, afterUs: 9000, changeUs: 4000 },
    ]);
    expect(change?.whole).toEqual({ per: 'step', beforeUs: 420, afterUs: 360 });
  });

  it('do not tell the intrinsic factor, and say what does', () => {
    expect(change?.intrinsic).toBeUndefined();
    expect(change?.findings.map(({ id, fix }) => [id, fix])).toEqual([
      ['no-intrinsic-in-hooks', 'profiler rtf --runs SIM:WALL,SIM:WALL'],
    ]);
  });
});

it('holds the tables of each kind against each other in turn, and names those without a like', () => {
  const load = readTables('load-phase timing (totals, ms):\n  compile 10.0\n  setup_total 12.0');
  const { changes, onlyBefore, onlyAfter } = compareTables([...OLD, ...load, ...OLD], [...NEW]);
  expect(changes.map(({ after }) => after.kind)).toEqual(['roqsim-hooks']);
  expect([onlyBefore.map(({ kind }) => kind), onlyAfter]).toEqual([['roqsim-load', 'roqsim-hooks'], []]);
});

const load = (count: number, total: number): readonly CostTable[] =>
  readTables(
    `load-phase timing (totals, ms):\n  setup_total 90.0\nper-plugin build/configure (count / total ms / max ms):\n  box build ${count} ${total.toFixed(1)} 9.0`,
  );

it('compares what is done once by its total, however many did it', () => {
  expect(compareTables(load(1, 10), load(4, 40)).changes[0]?.rows[0]).toMatchObject({
    name: 'box',
    per: 'run',
    beforeUs: 10_000,
    afterUs: 40_000,
  });
});

it('holds no mission of raccoon against another', () => {
  const report = readTables(fixtureText('raccoon-report.txt'));
  const other = readTables(fixtureText('raccoon-report.txt').replaceAll('M010Drive', 'M020Lift'));
  expect(compareTables(report, report).changes).toHaveLength(report.length);
  expect(() => compareTables(report, other)).toThrow('No two tables are of one kind');
});

it('holds the timers of two releases of MuJoCo against each other', () => {
  const [change] = compareTables(
    readTables(fixtureText('mujoco-3.16/timer-step.json')),
    readTables(fixtureText('mujoco-4.0/timer-step.json')),
  ).changes;
  expect(change?.rows).toHaveLength(14);
  expect(change?.rows[0]).toMatchObject({ name: 'mjTIMER_STEP', per: 'step' });
});

it('names rows that have no time to compare', () => {
  const [change] = compareTables([counted(1)], [counted(2)]).changes;
  expect([change?.rows, change?.incomparable]).toEqual([[], ['STEP']]);
});

describe('tables that are not to be compared', () => {
  const [step] = readTables(fixtureText('mujoco-4.0/timer-step.json'));
  if (step === undefined) throw new Error('no table');

  it('are those of different kinds', () => {
    expect(refused(OLD, [step])).toMatchObject({
      finding: {
        id: 'different-kinds',
        what: 'No two tables are of one kind: mujoco-timers MuJoCo timers against roqsim-hooks roqsim: hooks of plugins.',
      },
    });
  });

  it('are those of different timesteps, stated or by their own figures', () => {
    const { timestepS = 0, ...unstated } = step;
    expect(timestepS).toBe(0.002);
    const twice = { ...step, timestepS: 0.004 };
    expect(refused([twice], [step])).toMatchObject({
      finding: {
        id: 'different-timestep',
        what: 'The timestep differs: 0.004 against 0.002 s (MuJoCo 4.0.0 timers (EULER, NEWTON)).',
      },
    });
    expect(refused([twice], [unstated])).toMatchObject({ finding: { id: 'different-timestep' } });
    expect(refused([step], [unstated])).toMatchObject({ onlyBefore: [] });
  });
});

describe('two runs of a loop that are not as long', () => {
  it('tell how fast it runs once it runs: 6.3 s of start-up cancel', () => {
    // 10,000 steps of 2 ms in 26.3 s, 20,000 in 36.1 s: 2.04 times real time.
    const [change] = compareTables(run(10_000, 26.3), run(20_000, 36.1)).changes;
    expect(change?.intrinsic?.stepsPerS).toBeCloseTo(1020.408, 3);
    expect(change?.intrinsic?.realTimeFactor).toBeCloseTo(2.044, 3);
    expect(change?.intrinsic?.error).toBeCloseTo(0.0001, 4);
  });

  it('tell nothing where they are about as long, or the longer one took less', () => {
    expect(compareTables(run(10_000, 26.3), run(11_000, 27.3)).changes[0]?.intrinsic).toBeUndefined();
    expect(compareTables(run(10_000, 26.3), run(20_000, 20)).changes[0]?.intrinsic).toBeUndefined();
  });
});
