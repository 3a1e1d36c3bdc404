import { describe, expect, it } from 'vitest';
import { displayWidth, table, tableLines } from '../../src/report/index.js';

const COLUMNS = [
  { head: 'self', align: 'right' },
  { head: 'function', shrinkTo: 10 },
] as const;

const shares = (name: string): string[][] => [
  ['90 %', '', name],
  ['10 %', '', 'b'],
];

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

  const BARS = [
    { head: 'share', align: 'right' },
    { head: '', bar: (row: number, columns: number) => '#'.repeat(row === 0 ? columns : 1) },
    { head: 'name', shrinkTo: 4, besideBar: 10 },
  ] as const;

  it('draws bars of a tenth of the line, and lines up what is behind them', () => {
    expect(table(BARS, shares('a'), { width: 80, color: false })).toEqual({
      lines: ['  share            name', '   90 %  ########  a', '   10 %  #         b'],
      bars: true,
    });
    expect(table(BARS, shares('a'), { width: 200, color: false }).lines[1]).toBe(
      `   90 %  ${'#'.repeat(20)}  a`,
    );
  });

  it('leaves bars out first: before a name is cut to less than it was promised', () => {
    const fits = table(BARS, shares('x'.repeat(10)), { width: 27, color: false });
    expect([fits.bars, fits.lines[1]]).toEqual([true, '   90 %  ######  xxxxxxxxxx']);
    const narrow = table(BARS, shares('x'.repeat(10)), { width: 26, color: false });
    expect([narrow.bars, narrow.lines[1]]).toEqual([false, '   90 %  xxxxxxxxxx']);
  });

  it('has no lines without heads and rows', () => {
    expect(tableLines([{ head: '' }], [], { width: 80, color: false })).toEqual([]);
  });
});
