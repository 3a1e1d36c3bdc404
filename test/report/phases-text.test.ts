import { describe, expect, it } from 'vitest';
import { breakdownJson, breakdownText, displayWidth } from '../../src/report/index.js';
import type { PhaseResolution } from '../../src/rules/index.js';
import { PACED_COUNTS, pacedBreakdown, threadAnswer } from './answers.js';

const CHECKED: PhaseResolution = {
  program: 'MuJoCo',
  version: '4.0.0',
  checked: true,
  inPhase: 186,
  shared: 90,
  withoutFrame: 24,
};
const UNCHECKED: PhaseResolution = {
  program: 'MuJoCo',
  version: '3.9.1',
  checked: false,
  inPhase: 1,
  shared: 2,
  withoutFrame: 0,
};

const breakdown = (phases: readonly PhaseResolution[]) =>
  pacedBreakdown({ threads: [threadAnswer({ phases }, PACED_COUNTS)] });
const textOf = (phases: readonly PhaseResolution[], width = 100): string =>
  breakdownText(breakdown(phases), { width, color: false });

describe('how much of physics has a phase', () => {
  it('stands below the table, by release', () => {
    expect(textOf([UNCHECKED, CHECKED])).toContain(
      [
        '  How much of physics could be told apart by phase (of 303 samples):',
        '                               one phase  ambiguous  no frame of it',
        '    MuJoCo 3.9.1, not checked     33.3 %     66.7 %',
        '    MuJoCo 4.0.0                  62.0 %     30.0 %           8.0 %',
        '',
      ].join('\n'),
    );
  });

  it('leaves out the column of stacks without a frame of it where there are none', () => {
    const text = textOf([{ ...CHECKED, withoutFrame: 0 }]);
    expect(text).toContain('one phase  ambiguous\n');
    expect(text).not.toContain('no frame of it');
  });

  it('says that the release is unknown where no frame names it', () => {
    const { version: _, checked: __, ...unknown } = CHECKED;
    expect(textOf([unknown])).toContain(
      '    MuJoCo, release unknown     62.0 %     30.0 %           8.0 %\n',
    );
  });

  it('is silent without native leaves', () => {
    expect(textOf([])).not.toContain('told apart');
    expect(textOf([{ ...CHECKED, inPhase: 0, shared: 0, withoutFrame: 0 }])).not.toContain('told apart');
  });

  it('fits a narrow terminal', () => {
    for (const line of textOf([UNCHECKED, CHECKED], 60).split('\n')) {
      if (/phase|ambiguous|MuJoCo/.test(line)) expect(displayWidth(line)).toBeLessThanOrEqual(60);
    }
  });

  it('is in the JSON as counts', () => {
    expect(JSON.parse(breakdownJson(breakdown([CHECKED]))).threads[0].phases).toEqual([CHECKED]);
    expect(JSON.parse(breakdownJson(pacedBreakdown())).threads[0]).not.toHaveProperty('phases');
  });
});
