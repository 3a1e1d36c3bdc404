import type { CostRow, CostTable } from '../simulator/index.js';
import { byCost, dearerFirst } from './cost-order.js';

/** What a screen does not show of a table. */
export interface LeftOut {
  readonly rows: number;
  /** What they take of the table's whole that no row above says; undefined where rows lie within each other, or are no parts of it. */
  readonly us?: number;
}

/** The dearest rows of a table, so many at most, in the order of all of them; and what that leaves out. */
export function dearest(
  table: CostTable,
  most = Number.POSITIVE_INFINITY,
): { readonly rows: readonly CostRow[]; readonly left: LeftOut } {
  const all = byCost(table);
  const shown = new Set(all.toSorted(dearerFirst).slice(0, most));
  const left = all.filter((row) => !shown.has(row));
  const us = table.wholeUs === undefined ? undefined : sumOf(left, table);
  return {
    rows: all.filter((row) => shown.has(row)),
    left: { rows: left.length, ...(us === undefined ? {} : { us }) },
  };
}

/** Without parts of other rows, which are in them already, shown or not; and without rows that are no part of the whole. */
function sumOf(left: readonly CostRow[], { rows, wholeUs = 0 }: CostTable): number | undefined {
  const names = new Set(rows.map(({ path, name }) => JSON.stringify([...path, name])));
  const outer = left.filter(
    ({ path }) => !path.some((_, depth) => names.has(JSON.stringify(path.slice(0, depth + 1)))),
  );
  const shares = outer.flatMap(({ share }) => share ?? []);
  return shares.length === 0 ? undefined : shares.reduce((sum, share) => sum + share * wholeUs, 0);
}
