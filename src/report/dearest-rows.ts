import type { CostRow, CostTable } from '../simulator/index.js';
import { byCost } from './cost-order.js';

/** What a screen does not show of a table. */
export interface LeftOut {
  readonly rows: number;
  /** Rows of the table. */
  readonly of: number;
  /** What they take together that no row above says, in the terms of the table's whole; undefined where rows lie within each other. */
  readonly us?: number;
}

/** The dearest rows of a table in their order, so many at most, and what that leaves out. */
export function dearest(
  table: CostTable,
  most = Number.POSITIVE_INFINITY,
): { readonly rows: readonly CostRow[]; readonly left: LeftOut } {
  const all = byCost(table);
  const left = all.slice(most);
  const us = table.wholeUs === undefined ? undefined : sumOf(left, table);
  return {
    rows: all.slice(0, most),
    left: { rows: left.length, of: all.length, ...(us === undefined ? {} : { us }) },
  };
}

/** Without parts of other rows: those are in them already, whether they are shown or not. */
function sumOf(left: readonly CostRow[], { rows }: CostTable): number | undefined {
  const hasTotals = rows.some(({ totalUs }) => totalUs !== undefined);
  const names = new Set(rows.map(({ path, name }) => JSON.stringify([...path, name])));
  const outer = left.filter(
    ({ path }) => !path.some((_, depth) => names.has(JSON.stringify(path.slice(0, depth + 1)))),
  );
  const costs = outer.flatMap(({ totalUs, perStepUs }) => (hasTotals ? totalUs : perStepUs) ?? []);
  return costs.length === 0 ? undefined : costs.reduce((sum, us) => sum + us, 0);
}
