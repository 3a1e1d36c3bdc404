import { expect, it } from 'vitest';
import { readTables } from '../../src/simulator/index.js';
import { findingIds, tablesOf } from './fixture.js';

it('the loop of FlyGym on the CPU says steps, seconds and real-time factor', () => {
  const line =
    'Simulated 5000 steps in 2.500s (2000 steps/s, 0.20x realtime, end-to-end incl. observation recording and rendering).';
  const [table] = readTables(`fly-1  | ${line}`);
  expect(table).toMatchObject({
    kind: 'flygym-throughput',
    lines: { from: 1, to: 1 },
    steps: 5000,
    stepsPerS: 2000,
    realTimeFactor: 0.2,
    wholeUs: 2_500_000,
  });
  expect(table?.rows).toEqual([
    {
      name: 'step',
      path: [],
      role: 'step',
      calls: 5000,
      totalUs: 2_500_000,
      perStepUs: 500,
      meaning: 'one round of the loop',
    },
  ]);
  expect(findingIds(table)).toEqual(['whole-loop']);
});

it('the line that FlyGym printed with its timing is one, too', () => {
  const [table] = tablesOf('flygym-2.1/timing.txt', 'flygym-throughput');
  expect(table).toMatchObject({ steps: 300, wholeUs: 38_000, stepsPerS: 7821, realTimeFactor: 0.78 });
});

it('the loop on the GPU sums up all worlds, and its step is one of all of them', () => {
  const [table] = tablesOf('flygym-2.1/throughput-gpu.txt', 'flygym-throughput');
  expect(table).toMatchObject({
    lines: { from: 1, to: 2 },
    steps: 1000,
    stepsPerS: 80_000,
    realTimeFactor: 8,
    wholeUs: 12_500_000,
  });
  expect(table?.rows[0]?.perStepUs).toBe(12_500);
  expect(table?.findings.map(({ what }) => what)).toEqual([
    'Throughput and real-time factor are of 1000 worlds together; one world runs at 0.008 times real time.',
    'Nothing was rendered or recorded: this is physics alone.',
  ]);
});

it('the first of its two lines alone says no throughput', () => {
  const [table] = readTables('Simulated 10 steps * 4 worlds in 0.50s (with rendering)');
  expect(table?.stepsPerS).toBeUndefined();
  expect(table?.realTimeFactor).toBeUndefined();
  expect(findingIds(table)).toEqual(['worlds-together', 'whole-loop']);
});
