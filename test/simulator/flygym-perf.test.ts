import { describe, expect, it } from 'vitest';
import { readTables } from '../../src/simulator/index.js';
import { findingIds, fixtureText, rowOf, tablesOf } from './fixture.js';

describe('the performance report of FlyGym 2.1', () => {
  const [table] = tablesOf('flygym-2.1/perf-report.txt', 'flygym-perf');

  it('is physics and rendering of a step, with a note that is wrapped', () => {
    expect(table).toMatchObject({
      title: 'FlyGym: physics and rendering',
      lines: { from: 2, to: 14 },
      steps: 300,
    });
    expect(fixtureText('flygym-2.1/perf-report.txt')).toMatch(/per image is\n7000 us\./);
    const { perStepUs = 0 } = rowOf(table, 'Physics simulation advancement') ?? {};
    expect(table?.wholeUs).toBe(perStepUs + 70);
    expect(rowOf(table, 'Rendering*')).toMatchObject({ role: 'step', perStepUs: 70, calls: 3, meanUs: 7000 });
    expect(table?.rows.map(({ name }) => name)).not.toContain('TOTAL');
    expect(findingIds(table)).toEqual(['physics-and-rendering-only']);
  });

  it('without a frame has no number of rendering, and none of steps', () => {
    const [none] = tablesOf('flygym-2.1/perf-report-no-frames.txt', 'flygym-perf');
    const { meaning: _, lever: __, ...row } = rowOf(none, 'Rendering*') ?? {};
    expect(row).toEqual({ name: 'Rendering*', path: [], role: 'step' });
    expect(none?.steps).toBeUndefined();
    expect(none?.lines).toEqual({ from: 2, to: 13 });
    expect(findingIds(none)).toEqual(['physics-and-rendering-only', 'no-frames-rendered']);
  });

  it('of many worlds is one step of all of them', () => {
    const [many] = tablesOf('flygym-2.1/perf-report-parallel.txt', 'flygym-perf');
    expect(many).toMatchObject({
      steps: 1000,
      wholeUs: 576,
      stepsPerS: 1736,
      realTimeFactor: 0.17,
      lines: { from: 2, to: 14 },
    });
    expect(rowOf(many, 'Rendering*')).toMatchObject({ perStepUs: 96, share: 0.17, calls: 25, meanUs: 3840 });
    expect(many?.findings.at(-1)).toMatchObject({
      id: 'worlds-together',
      what: 'All worlds together run at 173.61 times real time; each of them at 0.17.',
    });
  });

  it('is found in a log, also where it is cut off', () => {
    const lines = fixtureText('flygym-2.1/perf-report-parallel.txt').split('\n');
    const cut = lines.slice(0, 8).map((line) => `fly-1  | ${line}`);
    const [found] = readTables(cut.join('\n'));
    expect(found?.rows.map(({ perStepUs }) => perStepUs)).toEqual([480]);
    expect(found?.wholeUs).toBeUndefined();
    expect(found?.steps).toBeUndefined();
  });
});
