import { describe, expect, it } from 'vitest';
import { displayWidth, tableLines } from '../../src/report/index.js';

const COLUMNS = [
  { head: 'self', align: 'right' },
  { head: 'function', shrinkTo: 10 },
] as const;

describe('tableLines', () => {
  it('aligns columns and leaves no trailing blanks', () => {
    const rows = [
      ['5', 'cast (b.py)'],
      ['1200', 'pub'],
    ];
    expect(tableLines(COLUMNS, rows, { width: 60, color: false })).toEqual([
      '  self  function',
      '     5  cast (b.py)',
      '  1200  pub',
    ]);
  });

  it('aligns after wide characters', () => {
    const rows = [
      ['日本', '1'],
      ['ab', '22'],
    ];
    const columns = [{ head: '' }, { head: '', align: 'right' }] as const;
    expect(tableLines(columns, rows, { width: 60, color: false })).toEqual(['  日本   1', '  ab    22']);
  });

  it.each([40, 60, 80, 100, 200])('fits %i columns by cutting in the middle', (width) => {
    const rows = [['5', `start${'x'.repeat(300)}end`]];
    const lines = tableLines(COLUMNS, rows, { width, color: false });
    expect(displayWidth(lines[1]!)).toBe(width);
    expect(lines[1]).toMatch(/ start.*….*end$/);
  });

  it('takes from the widest column first and never below its least', () => {
    const columns = [
      { head: 'a', shrinkTo: 4 },
      { head: 'b', shrinkTo: 12 },
    ] as const;
    const lines = tableLines(columns, [['x'.repeat(30), 'y'.repeat(30)]], { width: 20, color: false });
    expect(lines[1]).toBe('  xx…x  yyyyyy…yyyyy');
  });

  it('aligns the rows of a long table with each other, whatever piece they are laid out in', () => {
    const rows = Array.from({ length: 450 }, (_, at) => [
      at === 449 ? 'a much wider name' : `n${at}`,
      String(at),
    ]);
    const lines = tableLines([{ head: 'name' }, { head: 'count', align: 'right' }], rows, {
      width: 80,
      color: false,
    });
    expect(lines).toHaveLength(451);
    expect(new Set(lines.map((line) => line.length))).toEqual(new Set([2 + 17 + 2 + 5]));
    expect([lines[0], lines[1], lines[200], lines[450]]).toEqual([
      '  name               count',
      '  n0                     0',
      '  n199                 199',
      '  a much wider name    449',
    ]);
  });

  it('has no lines without heads and rows', () => {
    expect(tableLines([{ head: '' }], [], { width: 80, color: false })).toEqual([]);
  });
});
