import { expect, it } from 'vitest';
import { dearest } from '../../src/report/dearest-rows.js';
import type { CostRow, CostTable } from '../../src/simulator/index.js';

const row = (name: string, totalUs: number, path: readonly string[] = []): CostRow => ({
  name,
  path,
  role: 'part',
  totalUs,
  share: totalUs / 100,
});

const TABLE: CostTable = {
  kind: 'raccoon-trace',
  title: 'steps',
  lines: { from: 1, to: 1 },
  rows: [row('a', 50), row('body', 40, ['a']), row('rest', 10, ['a']), row('b', 30), row('c', 20)],
  wholeUs: 100,
  findings: [],
};

const withoutWhole = ({ kind, title, lines, rows, findings }: CostTable): CostTable => ({
  kind,
  title,
  lines,
  rows,
  findings,
});

it('shows what is dearest, wherever it stands in the tree', () => {
  expect(dearest(TABLE, 3).rows.map(({ path, name }) => [...path, name])).toEqual([
    ['a'],
    ['a', 'body'],
    ['b'],
  ]);
});

it('sums what is left out without the parts of other rows', () => {
  expect(dearest(TABLE, 2)).toEqual({
    rows: [row('a', 50), row('body', 40, ['a'])],
    left: { rows: 3, us: 50 },
  });
  expect(dearest(TABLE, 5).left).toEqual({ rows: 0 });
});

it('knows no sum where all that is left out is part of a row that is shown, or rows are parts of no whole', () => {
  expect(dearest({ ...TABLE, rows: TABLE.rows.slice(0, 3) }, 1).left).toEqual({ rows: 2 });
  expect(dearest(withoutWhole(TABLE), 1).left).toEqual({ rows: 4 });
});

it('has what a step costs before what no step of the loop is known to cost', () => {
  const step: CostRow = { ...row('step', 10), perStepUs: 1 };
  expect(dearest({ ...TABLE, rows: [row('warm-up', 99), step] }).rows.map(({ name }) => name)).toEqual([
    'step',
    'warm-up',
  ]);
});

it('sums no row that is no part of the whole', () => {
  const once: CostRow = { name: 'compile', path: [], role: 'once', totalUs: 999 };
  expect(dearest({ ...TABLE, rows: [row('a', 50), row('b', 30), once] }, 1).left).toEqual({
    rows: 2,
    us: 30,
  });
});
