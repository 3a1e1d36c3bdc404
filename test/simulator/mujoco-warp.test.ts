import { describe, expect, it } from 'vitest';
import { readTables } from '../../src/simulator/index.js';
import { findingIds, fixtureText, rowOf, tablesOf, treeOf } from './fixture.js';

describe('testspeed of MuJoCo Warp 4.0, for people', () => {
  const [table] = tablesOf('mujoco-warp-4.0/human.txt', 'mujoco-warp');

  it('says how fast all worlds are, and what one step of one world takes', () => {
    expect(table).toMatchObject({
      title: 'MuJoCo Warp: events of a step',
      lines: { from: 15, to: 56 },
      steps: 40,
      stepsPerS: 57,
      realTimeFactor: 0.11,
    });
    expect(table?.wholeUs?.toFixed(5)).toBe('17433.10225');
    expect(rowOf(table, 'JIT')).toMatchObject({ role: 'once', totalUs: 3_350_000 });
    expect(table?.findings.map(({ id }) => id)).toEqual(['worlds-together', 'events-on-gpu']);
    expect(table?.findings[0]?.what).toContain('4 worlds together: a step of all of them takes 69732.4 us');
  });

  it('is a tree by its indentation, in microseconds', () => {
    expect(treeOf(table).slice(0, 10)).toEqual([
      'step',
      'step > forward',
      'step > forward > sensor_pos',
      'step > forward > sensor_vel',
      'step > forward > fwd_actuation',
      'step > forward > fwd_position',
      'step > forward > fwd_position > collision',
      'step > forward > fwd_position > collision > primitive_narrowphase',
      'step > forward > fwd_position > collision > convex_narrowphase',
      'step > forward > fwd_position > collision > nxn_broadphase',
    ]);
    expect(treeOf(table)).toContain('step > euler');
    expect(rowOf(table, 'nxn_broadphase')?.perStepUs?.toFixed(5)).toBe('42.98968');
    // 17093878.42 - 16293807.02 - 347126.35
    expect(rowOf(table, 'step')?.selfUs?.toFixed(5)).toBe('452.94505');
    // 17433102.25 - 17093878.42: launching, and waiting for the end.
    expect(table?.restUs?.toFixed(5)).toBe('339.22383');
  });

  it('ends before what else was asked for', () => {
    const [measured] = tablesOf('mujoco-warp-4.0/human-measured.txt', 'mujoco-warp');
    expect(treeOf(measured)).toEqual(treeOf(table));
    expect(measured?.lines).toEqual({ from: 15, to: 56 });
  });

  it('without events says speed, and how to have them', () => {
    const [none] = tablesOf('mujoco-warp-4.0/human-no-trace.txt', 'mujoco-warp');
    expect(none?.rows.map(({ name }) => name)).toEqual(['JIT']);
    expect(none).toMatchObject({
      title: 'MuJoCo Warp testspeed',
      stepsPerS: 54,
      lines: { from: 15, to: 22 },
    });
    expect(none?.restUs).toBeUndefined();
    expect(findingIds(none)).toEqual(['worlds-together', 'no-event-trace']);
  });

  it('reads numbers with commas, and says that worlds diverged', () => {
    const text = fixtureText('mujoco-warp-4.0/human.txt')
      .replace('Total steps per second: 57', 'Total steps per second: 3,141,592')
      .replace('converged worlds: 4 / 4', 'converged worlds: 3 / 4');
    const [changed] = readTables(text);
    expect(changed?.stepsPerS).toBe(3_141_592);
    expect(changed?.findings[1]).toMatchObject({
      level: 'warning',
      what: '1 of 4 worlds ended with positions that are no numbers.',
    });
  });
});

describe('events that come several times in a step', () => {
  const [table] = tablesOf('mujoco-warp-4.0/rk4.txt', 'mujoco-warp');
  const inner = table?.rows.find(
    ({ name, path }) => name === 'nxn_broadphase' && path.includes('rungekutta4'),
  );

  it('are lists, of which the sum counts', () => {
    // 277212.97 + 49936.40 + 48087.68
    expect(inner?.perStepUs?.toFixed(5)).toBe('375.23705');
    expect(inner?.of).toBe('3 times a step');
    expect(inner?.path).toEqual(['step', 'rungekutta4', 'fwd_position', 'collision']);
  });

  it('stay apart from those of the same name elsewhere', () => {
    const positions = table?.rows.filter(({ name }) => name === 'fwd_position');
    expect(positions?.map(({ path }) => path)).toEqual([
      ['step', 'forward'],
      ['step', 'rungekutta4'],
    ]);
    expect(positions?.[0]?.of).toBeUndefined();
  });

  it('are counted by brackets where keys are flat', () => {
    const text = [
      'jit_duration: 1.5',
      'run_time: 2.0',
      'steps_per_second: 1000.0',
      'converged_worlds: 4',
      'ncon_mean: nan',
      'step: 900000.0',
      'step.rungekutta4: 800000.0',
      'step.rungekutta4.solve[0]: 100000.0',
      'step.rungekutta4.solve[1]: 200000.0',
      'the next program',
    ].join('\n');
    const [short] = readTables(text);
    expect(treeOf(short)).toEqual(['step', 'step > rungekutta4', 'step > rungekutta4 > solve', 'JIT']);
    expect(rowOf(short, 'solve')).toMatchObject({ perStepUs: 300, of: '2 times a step', share: 0.3 });
    expect(rowOf(short, 'rungekutta4')?.selfUs).toBe(500);
    expect(short).toMatchObject({ lines: { from: 1, to: 9 }, wholeUs: 1000, restUs: 100, steps: 2000 });
  });
});

describe('testspeed of MuJoCo Warp 4.0, for programs', () => {
  const [human] = tablesOf('mujoco-warp-4.0/human.txt', 'mujoco-warp');
  const [short] = tablesOf('mujoco-warp-4.0/short.txt', 'mujoco-warp');
  const [json] = tablesOf('mujoco-warp-4.0/trace.json', 'mujoco-warp');

  it('is the same tree in all formats', () => {
    expect(treeOf(short)).toEqual(treeOf(human));
    expect(treeOf(json)).toEqual(treeOf(human));
  });

  it('has no number of worlds and no real-time factor', () => {
    expect(json).toMatchObject({ steps: 40, stepsPerS: 39.023937641560885 });
    expect(json?.realTimeFactor).toBeUndefined();
    expect(short?.realTimeFactor).toBeUndefined();
    expect(json?.findings[0]?.what).toContain('this output does not say');
    expect(rowOf(json, 'forward')?.perStepUs?.toFixed(6)).toBe('24488.038776');
    expect(rowOf(short, 'nxn_broadphase')?.perStepUs?.toFixed(6)).toBe('359.592175');
  });

  it('is found as a line of a log, with the NaN of Python in it', () => {
    const text = fixtureText('mujoco-warp-4.0/trace.json').replace('"ncon_mean": 0.0', '"ncon_mean": NaN');
    const [found] = readTables(`Warp CUDA warning: none\n${text}`);
    expect(found?.lines).toEqual({ from: 2, to: 2 });
    expect(found?.rows).toEqual(json?.rows);
    expect(readTables(text)[0]?.rows).toEqual(json?.rows);
  });
});

it('the summary of MJX is the same in microseconds', () => {
  const text = [
    'Summary for 512 parallel rollouts',
    '',
    ' Total JIT time: 12.50 s',
    ' Total simulation time: 2.00 s',
    ' Total steps per second: 256000',
    ' Total realtime factor: 512.00 x',
    ' Total time per step: 3.91 \u00B5s',
  ].join('\n');
  const [table] = readTables(text);
  expect(table).toMatchObject({
    title: 'MJX testspeed',
    stepsPerS: 256_000,
    realTimeFactor: 512,
    wholeUs: 3.91,
    lines: { from: 1, to: 7 },
  });
  expect(rowOf(table, 'JIT')?.totalUs).toBe(12_500_000);
  expect(findingIds(table)).toEqual(['worlds-together']);
});
