import { describe, expect, it } from 'vitest';
import { readTables } from '../../src/simulator/index.js';
import { findingIds, fixtureText, rowOf, tablesOf, treeOf } from './fixture.js';

const FORWARD = 'step (total) > forward dynamics';
const POSITION = `${FORWARD} > position`;
const PARTS_OF_POSITION = [
  `${POSITION} > kinematics`,
  `${POSITION} > inertia`,
  `${POSITION} > collision`,
  `${POSITION} > collision > broad-phase`,
  `${POSITION} > collision > narrow-phase`,
  `${POSITION} > make constraints`,
  `${POSITION} > project constraints`,
];

describe('the timing table of FlyGym 2.1 (MuJoCo 3.16)', () => {
  const [table] = tablesOf('flygym-2.1/timing.txt', 'mujoco-timers');

  it('is a tree again, with the solver of constraints below forward dynamics', () => {
    expect(treeOf(table)).toEqual([
      'step (total)',
      FORWARD,
      POSITION,
      ...PARTS_OF_POSITION,
      `${FORWARD} > velocity`,
      `${FORWARD} > actuation`,
      `${FORWARD} > constraint solve`,
      'step (total) > integrate (advance)',
    ]);
    expect(table?.lines).toEqual({ from: 3, to: 21 });
  });

  it('keeps totals and times per step, and counts only where the table says them', () => {
    expect(table?.steps).toBe(300);
    expect(table?.wholeUs).toBe(38_109);
    expect(rowOf(table, 'step (total)')).toMatchObject({ role: 'step', calls: 300, perStepUs: 127.03 });
    expect(rowOf(table, 'constraint solve')).toMatchObject({
      role: 'part',
      totalUs: 12_182,
      perStepUs: 40.606,
      share: 0.31966,
    });
    expect(rowOf(table, 'constraint solve')?.calls).toBeUndefined();
  });

  it('computes what no row accounts for, of the step and of each part', () => {
    // 38.109 - (22.104 + 0.916 + 0.315 + 12.182 + 1.085)
    expect(table?.restUs).toBe(1507);
    expect(table?.restShare?.toFixed(5)).toBe('0.03954');
    // 38.109 - 36.818 - 1.085: parts at depth 1 as FlyGym has it would add up to more than the step.
    expect(rowOf(table, 'step (total)')?.selfUs).toBe(206);
    // 36.818 - (22.104 + 0.916 + 0.315 + 12.182)
    expect(rowOf(table, 'forward dynamics')?.selfUs).toBe(1301);
    expect(rowOf(table, 'collision')?.selfUs).toBe(156);
    expect(rowOf(table, 'velocity')?.selfUs).toBeUndefined();
  });

  it('says that a clock in Python was asked', () => {
    expect(findingIds(table)).toEqual(['mujoco-callback-cost', 'mujoco-untimed']);
    expect(table?.findings[0]?.what).toContain('at least 28 times a step of 127.03 us');
  });

  it('is found in a log of Compose, with a progress bar in between, and in the other style of grid', () => {
    const lines = fixtureText('flygym-2.1/timing.txt').split('\n');
    const log = lines.flatMap((line) => [`fly-1  | ${line}`, 'fly-1  | Simulating: 100%|####| 300/300']);
    expect(readTables(log.join('\r\n')).at(-1)?.rows).toEqual(table?.rows);
    const simple = lines
      .flatMap((line) =>
        /^\u2502 [^P]/.test(line) ? [line, '\u251C\u2500\u2500\u253C\u2500\u2500\u2524'] : [line],
      )
      .map((line) => line.replace('\u256D', '\u250C').replace('\u2570', '\u2514'));
    expect(readTables(simple.join('\n')).at(-1)?.rows).toEqual(table?.rows);
  });
});

describe('the timing table of FlyGym under RK4', () => {
  it('has no integration, and stays below 100 % since it divides by steps', () => {
    const [table] = tablesOf('flygym-2.1/timing-rk4.txt', 'mujoco-timers');
    expect(treeOf(table)).toContain(`${FORWARD} > constraint solve`);
    expect(rowOf(table, 'integrate (advance)')).toBeUndefined();
    // 26.330 - 25.618
    expect(rowOf(table, 'step (total)')?.selfUs).toBe(712);
    expect(findingIds(table)).toEqual(['mujoco-callback-cost', 'mujoco-rk4', 'mujoco-untimed']);
  });

  it('of which MuJoCo reset the data says that it holds the last steps only', () => {
    const [table] = tablesOf('flygym-2.1/timing-reset.txt', 'mujoco-timers');
    expect(table?.steps).toBe(1);
    expect(table?.findings[0]).toMatchObject({
      level: 'warning',
      id: 'mujoco-timers-reset',
      what: 'The timers hold 1 of the 300 steps of the loop: the data were reset in between.',
    });
  });
});

function without(...labels: string[]): string {
  return fixtureText('flygym-2.1/timing.txt')
    .split('\n')
    .filter((line) => !labels.some((label) => line.startsWith(`\u2502 ${label} `)))
    .join('\n');
}

describe('a timing table that lacks rows', () => {
  it('without forward dynamics hangs its parts on the step: mj_step1 and mj_step2', () => {
    const table = readTables(without('forward dynamics')).at(-1);
    expect(rowOf(table, 'position')?.path).toEqual(['step (total)']);
    expect(rowOf(table, 'constraint solve')?.path).toEqual(['step (total)']);
    expect(rowOf(table, 'step (total)')?.selfUs).toBe(1507);
    expect(findingIds(table)).toContain('mujoco-step-halves');
  });

  it('without both phases of collision says that there was none', () => {
    const table = readTables(without('broad-phase', 'narrow-phase')).at(-1);
    expect(rowOf(table, 'collision')?.selfUs).toBeUndefined();
    expect(findingIds(table)).toContain('mujoco-no-collisions');
  });

  it('without a title knows no number of steps', () => {
    const text = fixtureText('flygym-2.1/timing.txt').split('\n').slice(3).join('\n');
    const [table] = readTables(text);
    expect(table?.steps).toBeUndefined();
    expect(rowOf(table, 'step (total)')?.calls).toBeUndefined();
    expect(rowOf(table, 'step (total)')?.perStepUs).toBe(127.03);
  });

  it('leaves out labels that it does not know, and says so', () => {
    const text = fixtureText('flygym-2.1/timing.txt').replace('\u2502 actuation ', '\u2502 telepathy ');
    const table = readTables(text).at(-1);
    expect(rowOf(table, 'telepathy')).toBeUndefined();
    expect(findingIds(table)).toContain('mujoco-unknown-phases');
  });
});
