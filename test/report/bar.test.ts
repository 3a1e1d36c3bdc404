import { describe, expect, it } from 'vitest';
import { bar, displayWidth, stackedBar } from '../../src/report/index.js';

const BLOCKS = {};
const ASCII = { ascii: true } as const;

describe('bar', () => {
  it('is as long as its share, to an eighth of a column', () => {
    expect(bar(1, 8, BLOCKS)).toBe('████████');
    expect(bar(0.5, 8, BLOCKS)).toBe('████');
    expect(bar(0.388, 8, BLOCKS)).toBe('███▏');
    expect([1, 2, 3, 4, 5, 6, 7].map((eighths) => bar(eighths / 64, 8, BLOCKS)).join('')).toBe('▏▎▍▌▋▊▉');
  });

  it('shows what is small, and nothing of what is not there', () => {
    expect(bar(1e-9, 8, BLOCKS)).toBe('▏');
    for (const none of [0, -0.1, Number.NaN]) expect(bar(none, 8, BLOCKS)).toBe('');
    expect(bar(0.5, 0, BLOCKS)).toBe('');
    expect(bar(7, 8, BLOCKS)).toBe('████████');
  });

  it('needs no blocks', () => {
    expect(bar(0.5, 8, ASCII)).toBe('####');
    expect(bar(0.44, 8, ASCII)).toBe('###-');
    expect(bar(1e-9, 8, ASCII)).toBe('-');
    expect(bar(0, 8, ASCII)).toBe('');
  });
});

describe('stackedBar', () => {
  it('shows parts one after the other, each that is there by one column at least', () => {
    expect(stackedBar([0.5, 0.25, 0.25], 8, BLOCKS)).toBe('████▒▒░░');
    expect(stackedBar([0.9, 0.1, 0], 8, BLOCKS)).toBe('███████▒');
    expect(stackedBar([0, 0, 1], 8, BLOCKS)).toBe('░░░░░░░░');
    expect(stackedBar([0, 0, 0], 8, BLOCKS)).toBe('');
    expect(stackedBar([0.5, 0.25, 0.25], 8, ASCII)).toBe('####ww..');
  });

  it('never takes more columns than it has, nor fewer than its parts come to', () => {
    for (let first = 0; first <= 40; first += 1) {
      for (let second = 0; first + second <= 40; second += 1) {
        const parts = [first / 40, second / 40, (40 - first - second) / 40];
        expect(displayWidth(stackedBar(parts, 7, BLOCKS))).toBe(7);
      }
    }
    expect(stackedBar([0.3, 0.2, 0.1], 10, BLOCKS)).toBe('███▒▒░');
    expect(stackedBar([0.9, 0.9, 0.9], 3, BLOCKS)).toBe('█▒░');
  });

  it('marks what is there and less than half a column as thin', () => {
    expect(stackedBar([0.9989, 0.0001, 0.001], 8, BLOCKS)).toBe('██████┊░');
    expect(stackedBar([0.001, 0.001, 0.998], 8, BLOCKS)).toBe('▏┊░░░░░░');
    expect(stackedBar([0.001, 0.001, 0.998], 8, ASCII)).toBe('-:......');
    expect(stackedBar([0.07, 0, 0.93], 8, BLOCKS)).toBe('█░░░░░░░');
  });
});
