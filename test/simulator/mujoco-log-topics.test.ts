import { describe, expect, it } from 'vitest';
import { readTables } from '../../src/simulator/index.js';
import { findingIds, fixtureText, rowOf, tablesOf, treeOf } from './fixture.js';

describe('what MuJoCo logs of its steps, from Python', () => {
  const [table] = tablesOf('mujoco-3.16/log-topics-euler.txt', 'mujoco-log');

  it('keeps its shares, and no time at all: seconds were taken for milliseconds', () => {
    expect(table?.steps).toBe(500);
    expect(table?.rows.filter((row) => row.meanUs ?? row.totalUs ?? row.perStepUs ?? row.selfUs)).toEqual([]);
    expect(table?.wholeUs).toBeUndefined();
    expect(table?.restUs).toBeUndefined();
    expect(rowOf(table, 'constraint')?.share).toBe(0.61);
    // 100 - (23.3 + 13.0 + 0.3 + 61.0 + 1.0)
    expect(table?.restShare?.toFixed(3)).toBe('0.014');
  });

  it('is a tree below its total', () => {
    expect(treeOf(table)).toEqual([
      'total',
      'total > position',
      'total > position > kinematics',
      'total > position > inertia',
      'total > position > collision',
      'total > position > collision > broadphase',
      'total > position > collision > narrowphase',
      'total > position > make',
      'total > position > project',
      'total > velocity',
      'total > actuation',
      'total > constraint',
      'total > advance',
    ]);
    expect(table?.lines).toEqual({ from: 1, to: 15 });
  });

  it('says what its times would be, and that they are none where all of them are 0.0', () => {
    expect(findingIds(table)).toEqual(['mujoco-log-unit', 'mujoco-untimed']);
    expect(table?.findings[0]?.what).toContain('a step of "0.1" is that many milliseconds from Python');
    const [zero] = tablesOf('mujoco-4.0/log-topics-euler.txt', 'mujoco-log');
    expect(zero?.findings[0]?.what).toBe('All times of this log are 0.0: only its shares are kept.');
  });

  it.each(['mujoco-3.16', 'mujoco-4.0'])(
    'is the same in MUJOCO_LOG.TXT, where a time is in its head: %s',
    (folder) => {
      for (const name of ['euler', 'rk4']) {
        const [shown] = tablesOf(`${folder}/log-topics-${name}.txt`, 'mujoco-log');
        const [kept] = tablesOf(`${folder}/log-file-${name}.txt`, 'mujoco-log');
        expect(kept).toEqual(shown);
        expect(kept?.rows.length).toBe(name === 'euler' ? 13 : 12);
      }
    },
  );

  it('comes with each reset, with lines of others in between', () => {
    const log = fixtureText('mujoco-3.16/log-topics-euler.txt')
      .split('\n')
      .flatMap((line) => [`sim-1  | ${line}`, 'nav-1  | [INFO] [1.2] [nav]: goal']);
    const tables = readTables([...log, ...log].join('\n'));
    expect(tables.map(({ rows }) => rows)).toEqual([table?.rows, table?.rows]);
    expect(tables.map(({ lines }) => lines.to - lines.from)).toEqual([28, 28]);
  });

  it('ends with its total, whatever looks like a row of it comes then', () => {
    const log = fixtureText('mujoco-3.16/log-topics-euler.txt');
    const [found] = readTables(`${log}  advance              1.0  ( 50.0%)`);
    expect(found).toEqual(table);
  });
});

it('under RK4 the shares of the log are of calls: four of them are a step', () => {
  const [table] = tablesOf('mujoco-3.16/log-topics-rk4.txt', 'mujoco-log');
  expect(rowOf(table, 'constraint')?.share).toBe(0.62);
  // 100 - 4 x (7.8 + 1.2 + 0.1 + 15.5): it prints 75.5.
  expect(table?.restShare?.toFixed(3)).toBe('0.016');
  expect(findingIds(table)).toEqual([
    'mujoco-log-unit',
    'mujoco-times-per-call',
    'mujoco-rk4',
    'mujoco-untimed',
  ]);
});
