import { describe, expect, it } from 'vitest';
import { readTables } from '../../src/simulator/index.js';
import { findingIds, fixtureText, rowOf, tablesOf, treeOf } from './fixture.js';

/** `[calls, microseconds]` of each phase. */
type Timer = Readonly<Record<string, readonly [number, number]>>;

function dump(timer: Timer, more: object = {}): string {
  const stats = Object.entries(timer).map(([phase, [number, us]]) => [
    `mjTIMER_${phase}`,
    { number, duration: us / 1e6 },
  ]);
  return JSON.stringify({
    mujoco_timer: 1,
    unit: 's',
    callback: false,
    mujoco: '3.16.0',
    timestep: 0.002,
    timer: Object.fromEntries(stats) as unknown,
    ...more,
  });
}

const STEPS = {
  STEP: [100, 10_000],
  FORWARD: [100, 9000],
  POSITION: [100, 4000],
  VELOCITY: [100, 500],
  ACTUATION: [100, 250],
  CONSTRAINT: [100, 4000],
  ADVANCE: [100, 750],
} as const satisfies Timer;

describe('a dump of timers', () => {
  const [table] = readTables(dump(STEPS, { integrator: 'mjINT_IMPLICITFAST', solver: 'mjSOL_PGS' }));

  it('has totals, means and times per step, in microseconds', () => {
    expect(table).toMatchObject({
      kind: 'mujoco-timers',
      title: 'MuJoCo 3.16.0 timers (IMPLICITFAST, PGS)',
      steps: 100,
      wholeUs: 10_000,
      restUs: 500,
      restShare: 0.05,
      stepsPerS: 10_000,
      realTimeFactor: 20,
    });
    expect(rowOf(table, 'mjTIMER_FORWARD')).toMatchObject({
      path: ['mjTIMER_STEP'],
      calls: 100,
      totalUs: 9000,
      meanUs: 90,
      perStepUs: 90,
      share: 0.9,
      selfUs: 250,
    });
    expect(findingIds(table)).toEqual(['physics-alone', 'mujoco-untimed']);
  });

  it('says of which run it is, as far as it tells', () => {
    expect(table?.run).toEqual({ mujoco: '3.16.0', timestepS: 0.002 });
    const [own] = readTables(dump(STEPS, { pid: 4711, kernel: '6.1.0', python: '3.11.7' }));
    expect(own?.run).toEqual({
      mujoco: '3.16.0',
      timestepS: 0.002,
      pid: 4711,
      kernel: '6.1.0',
      python: '3.11.7',
    });
    const [nothing] = readTables(dump(STEPS, { mujoco: 3, timestep: '2 ms', pid: null, kernel: {} }));
    expect(nothing?.steps).toBe(100);
    expect(nothing).not.toHaveProperty('run');
  });

  it('under RK4 divides by steps, not by calls', () => {
    const [rk4] = readTables(
      dump({ STEP: [100, 10_000], FORWARD: [400, 9900], POSITION: [400, 4000], CONSTRAINT: [400, 4000] }),
    );
    expect(rowOf(rk4, 'mjTIMER_POSITION')).toMatchObject({ calls: 400, meanUs: 10, perStepUs: 40 });
    expect(findingIds(rk4)).toEqual(['physics-alone', 'mujoco-rk4', 'mujoco-untimed']);
  });

  it('says how often forward dynamics ran beside the steps', () => {
    const [both] = readTables(dump({ ...STEPS, FORWARD: [200, 18_000], POSITION: [200, 8000] }));
    expect(both?.findings.find(({ id }) => id === 'mujoco-beside-steps')?.what).toContain(
      'called mj_forward 100 times beside its 100 steps',
    );
    // Its parts hold more than the step: what is left of it is unknown.
    expect(rowOf(both, 'mjTIMER_STEP')?.selfUs).toBeUndefined();
    expect(both?.restUs).toBeUndefined();
  });

  it('in halves that were counted beside mj_forward has no row of forward dynamics', () => {
    const halves = { ...STEPS, FORWARD: [100, 900], POSITION: [200, 4000] } as const;
    const [table2] = readTables(dump(halves));
    expect(rowOf(table2, 'mjTIMER_FORWARD')).toBeUndefined();
    expect(rowOf(table2, 'mjTIMER_POSITION')?.path).toEqual(['mjTIMER_STEP']);
    expect(findingIds(table2)).toEqual([
      'physics-alone',
      'mujoco-beside-steps',
      'mujoco-step-halves',
      'mujoco-untimed',
    ]);
  });

  it('says that the program has set a clock of its own', () => {
    expect(findingIds(readTables(dump(STEPS, { callback: true }))[0])).toContain('mujoco-callback-cost');
  });

  it('keeps no time whose unit it does not know', () => {
    const [other] = readTables(dump(STEPS, { unit: 'ms' }));
    expect(rowOf(other, 'mjTIMER_STEP')?.totalUs).toBeUndefined();
    expect(findingIds(other)).toEqual(['mujoco-timers-without-clock']);
  });

  it('is found on a line of its own in a log', () => {
    const log = ['sim-1  | started', `sim-1  | ${dump(STEPS)}`, 'sim-1  | {"mujoco_timer": broken'].join(
      '\n',
    );
    const [found, ...others] = readTables(log);
    expect(others).toEqual([]);
    expect(found?.lines).toEqual({ from: 2, to: 2 });
    expect(found?.wholeUs).toBe(10_000);
  });

  it.each([
    ['nothing', '{"mujoco_timer": 1}'],
    ['timers that are none', '{"mujoco_timer": 1, "timer": [1, 2]}'],
    [
      'numbers that are none',
      '{"mujoco_timer": 1, "timer": {"mjTIMER_STEP": {"number": "1", "duration": null}}}',
    ],
    ['no step', dump({ STEP: [0, 0] })],
  ])('of %s is no table', (_, text) => {
    expect(readTables(text)).toEqual([]);
  });
});

describe('dumps of real programs', () => {
  it.each(['mujoco-3.16', 'mujoco-4.0'])('%s: mj_step', (folder) => {
    const [table] = tablesOf(`${folder}/timer-step.json`, 'mujoco-timers');
    expect(treeOf(table)).toEqual([
      'mjTIMER_STEP',
      'mjTIMER_STEP > mjTIMER_FORWARD',
      'mjTIMER_STEP > mjTIMER_FORWARD > mjTIMER_POSITION',
      'mjTIMER_STEP > mjTIMER_FORWARD > mjTIMER_POSITION > mjTIMER_POS_KINEMATICS',
      'mjTIMER_STEP > mjTIMER_FORWARD > mjTIMER_POSITION > mjTIMER_POS_INERTIA',
      'mjTIMER_STEP > mjTIMER_FORWARD > mjTIMER_POSITION > mjTIMER_POS_COLLISION',
      'mjTIMER_STEP > mjTIMER_FORWARD > mjTIMER_POSITION > mjTIMER_POS_COLLISION > mjTIMER_COL_BROAD',
      'mjTIMER_STEP > mjTIMER_FORWARD > mjTIMER_POSITION > mjTIMER_POS_COLLISION > mjTIMER_COL_NARROW',
      'mjTIMER_STEP > mjTIMER_FORWARD > mjTIMER_POSITION > mjTIMER_POS_MAKE',
      'mjTIMER_STEP > mjTIMER_FORWARD > mjTIMER_POSITION > mjTIMER_POS_PROJECT',
      'mjTIMER_STEP > mjTIMER_FORWARD > mjTIMER_VELOCITY',
      'mjTIMER_STEP > mjTIMER_FORWARD > mjTIMER_ACTUATION',
      'mjTIMER_STEP > mjTIMER_FORWARD > mjTIMER_CONSTRAINT',
      'mjTIMER_STEP > mjTIMER_ADVANCE',
    ]);
    expect(table?.steps).toBe(500);
    expect(table?.restShare).toBeGreaterThan(0);
    expect(table?.restShare).toBeLessThan(0.1);
  });

  it.each(['mujoco-3.16', 'mujoco-4.0'])('%s: RK4, halves and forward dynamics alone', (folder) => {
    const [rk4] = tablesOf(`${folder}/timer-rk4.json`, 'mujoco-timers');
    expect(rowOf(rk4, 'mjTIMER_CONSTRAINT')?.calls).toBe(2000);
    expect(findingIds(rk4)).toEqual(['physics-alone', 'mujoco-rk4', 'mujoco-untimed']);
    const [halves] = tablesOf(`${folder}/timer-halves.json`, 'mujoco-timers');
    expect(halves?.steps).toBe(500);
    expect(findingIds(halves)).toEqual(['physics-alone', 'mujoco-step-halves', 'mujoco-untimed']);
    const [forward] = tablesOf(`${folder}/timer-forward.json`, 'mujoco-timers');
    expect(forward?.steps).toBeUndefined();
    expect(forward?.stepsPerS).toBeUndefined();
    expect(rowOf(forward, 'mjTIMER_FORWARD')).toMatchObject({ path: [], role: 'step', calls: 500 });
    expect(findingIds(forward)).toEqual(['mujoco-no-step', 'mujoco-untimed']);
  });

  it('mj_inverse beside the steps is no part of them, though counts of both are the same', () => {
    const [table] = tablesOf('mujoco-3.16/timer-inverse.json', 'mujoco-timers');
    expect(rowOf(table, 'mjTIMER_INVERSE')).toBeUndefined();
    expect(rowOf(table, 'mjTIMER_POSITION')).toMatchObject({
      path: ['mjTIMER_STEP', 'mjTIMER_FORWARD'],
      calls: 1000,
    });
    expect(table?.restUs).toBeUndefined();
    expect(table?.findings[1]?.what).toBe('The program called mj_inverse 500 times beside its 500 steps.');
  });

  it('inverse dynamics of a model that asks for them are a part of the step', () => {
    const [table] = tablesOf('mujoco-3.16/timer-fwdinv.json', 'mujoco-timers');
    expect(rowOf(table, 'mjTIMER_INVERSE')).toMatchObject({ path: ['mjTIMER_STEP'], calls: 399 });
    expect(findingIds(table)).toEqual(['physics-alone', 'mujoco-fwdinv', 'mujoco-untimed']);
  });

  it('without contacts have no phases of collision', () => {
    const [table] = tablesOf('mujoco-3.16/timer-no-contact.json', 'mujoco-timers');
    expect(rowOf(table, 'mjTIMER_POS_COLLISION')?.calls).toBe(500);
    expect(rowOf(table, 'mjTIMER_COL_BROAD')).toBeUndefined();
    expect(findingIds(table)).toEqual(['physics-alone', 'mujoco-no-collisions', 'mujoco-untimed']);
  });

  it('dm_control 1.0.50 steps in halves, and asked for forward dynamics once: that is no part of them', () => {
    const [table] = tablesOf('mujoco-3.17/timer-dm-control.json', 'mujoco-timers');
    expect(fixtureText('mujoco-3.17/timer-dm-control.json')).toContain('"mjTIMER_FORWARD": {"number": 1,');
    expect(rowOf(table, 'mjTIMER_FORWARD')).toBeUndefined();
    expect(rowOf(table, 'mjTIMER_POSITION')).toMatchObject({ path: ['mjTIMER_STEP'], calls: 501 });
    expect(table?.restUs?.toFixed(1)).toBe('338.0');
    expect(findingIds(table)).toEqual(['physics-alone', 'mujoco-step-halves', 'mujoco-untimed']);
  });

  it('MuJoCo 3.0.1 has no clock, and one phase more: names tell them, not places', () => {
    const [table] = tablesOf('mujoco-3.0/timer-step.json', 'mujoco-timers');
    expect(rowOf(table, 'mjTIMER_COL_MID')?.path.at(-1)).toBe('mjTIMER_POS_COLLISION');
    expect(table?.rows.filter((row) => row.totalUs !== undefined || row.share !== undefined)).toEqual([]);
    expect(table?.realTimeFactor).toBeUndefined();
    expect(table?.findings[0]).toMatchObject({ level: 'warning', id: 'mujoco-timers-without-clock' });
  });
});
