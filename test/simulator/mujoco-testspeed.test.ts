import { describe, expect, it } from 'vitest';
import { readTables } from '../../src/simulator/index.js';
import { findingIds, fixtureText, rowOf, tablesOf, treeOf } from './fixture.js';

describe('testspeed of MuJoCo 3.12', () => {
  const [table] = tablesOf('mujoco-3.12/testspeed.txt', 'mujoco-testspeed');

  it('has both its blocks in one tree', () => {
    expect(treeOf(table)).toEqual([
      'step',
      'step > forward',
      'step > forward > position',
      'step > forward > position > kinematics',
      'step > forward > position > inertia',
      'step > forward > position > collision',
      'step > forward > position > collision > broadphase',
      'step > forward > position > collision > narrowphase',
      'step > forward > position > make',
      'step > forward > position > project',
      'step > forward > velocity',
      'step > forward > actuation',
      'step > forward > constraint',
      'step > advance',
    ]);
    expect(table?.lines).toEqual({ from: 2, to: 31 });
  });

  it('says how fast it was, and what a step is made of', () => {
    expect(table).toMatchObject({ steps: 2000, stepsPerS: 25_682, realTimeFactor: 51.36, wholeUs: 38.9 });
    expect(rowOf(table, 'make')).toMatchObject({ meanUs: 7.4, perStepUs: 7.4 });
    // 38.9 - (13.0 + 1.5 + 0.1 + 23.3 + 0.4)
    expect(table?.restUs?.toFixed(1)).toBe('0.6');
    expect(findingIds(table)).toEqual(['mujoco-untimed']);
  });

  it('of several threads is the first of them', () => {
    const [first] = tablesOf('mujoco-3.12/testspeed-threads.txt', 'mujoco-testspeed');
    expect(first).toMatchObject({ steps: 500, stepsPerS: 9076, realTimeFactor: 18.15, wholeUs: 110.1 });
    expect(first?.findings[0]).toMatchObject({
      id: 'one-thread-of-many',
      what: 'Rows and speed are of the first of 2 threads; all of them together make 15175 steps/s.',
    });
  });

  it('twice in a log is two tables, each with its own speed', () => {
    const log = fixtureText('mujoco-3.12/testspeed-threads.txt') + fixtureText('mujoco-3.12/testspeed.txt');
    const tables = readTables(log);
    expect(tables.map(({ stepsPerS }) => stepsPerS)).toEqual([9076, 25_682]);
    expect(tables[1]?.rows).toEqual(table?.rows);
    expect(tables.map(({ lines }) => lines)).toEqual([
      { from: 2, to: 40 },
      { from: 42, to: 71 },
    ]);
    expect(findingIds(tables[1])).toEqual(['mujoco-untimed']);
  });
});

it('testspeed under RK4 prints means of calls: four of them are a step', () => {
  const [table] = tablesOf('mujoco-3.12/testspeed-rk4.txt', 'mujoco-testspeed');
  expect(rowOf(table, 'step')).toMatchObject({ meanUs: 571.2, perStepUs: 571.2, share: 1 });
  expect(rowOf(table, 'forward')).toMatchObject({ meanUs: 142.1, perStepUs: 568.4 });
  expect(rowOf(table, 'constraint')).toMatchObject({ meanUs: 89.8, perStepUs: 359.2 });
  // 571.2 - 4 x (30.7 + 21.1 + 0.1 + 89.8): it prints 429.5.
  expect(table?.restUs?.toFixed(1)).toBe('4.4');
  expect(findingIds(table)).toEqual(['mujoco-times-per-call', 'mujoco-rk4', 'mujoco-untimed']);
});

it.each(['testspeed-fwdinv', 'testspeed-fwdinv-rk4'])(
  '%s: inverse dynamics run in some steps, and how often they and the solver did is unknown',
  (name) => {
    const [table] = tablesOf(`mujoco-3.12/${name}.txt`, 'mujoco-testspeed');
    expect(rowOf(table, 'inverse')).toMatchObject({ path: ['step'], role: 'part' });
    for (const row of ['inverse', 'constraint']) {
      expect(rowOf(table, row)?.meanUs).toBeGreaterThan(0);
      expect(rowOf(table, row)?.perStepUs).toBeUndefined();
      expect(rowOf(table, row)?.share).toBeUndefined();
    }
    expect(rowOf(table, 'position')?.perStepUs).toBe(name.endsWith('rk4') ? 4 * 12.7 : 95.4);
    expect(table?.restUs).toBeUndefined();
    expect(findingIds(table)[0]).toBe('mujoco-times-per-call');
    expect(findingIds(table)).toContain('mujoco-fwdinv');
  },
);

it('older releases put a comma behind the steps, and name no precision', () => {
  const text = fixtureText('mujoco-3.12/testspeed.txt').replace(
    'Rolling out 2000 steps at dt = 0.002, using double precision...',
    'Rolling out 2000 steps, at dt = 0.002...\n',
  );
  expect(readTables(text)[0]).toMatchObject({ steps: 2000, stepsPerS: 25_682, lines: { from: 2, to: 32 } });
});
