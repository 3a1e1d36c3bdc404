import type { CostRow, CostTable } from '../simulator/index.js';

/** What a row is worth for the order: of a step where its table is of steps, else all of it, else one call. */
function costOf({ perStepUs, totalUs, meanUs }: CostRow): number {
  return perStepUs ?? totalUs ?? meanUs ?? -1;
}

/** What one step costs cannot be held against all of something that no step of the loop does. */
function rank({ role, perStepUs }: CostRow): number {
  if (role === 'once') return 2;
  return perStepUs === undefined ? 1 : 0;
}

/** For sorting; equal rows keep their order. */
export function dearerFirst(a: CostRow, b: CostRow): number {
  return rank(a) - rank(b) || costOf(b) - costOf(a);
}

function keyOf(names: readonly string[]): string {
  return JSON.stringify(names);
}

/**
 * Rows by cost, the largest first, those that are parts of another right behind it. What one step costs comes before what no step is known to
 * cost, and that before what is done once; equal ones keep their order.
 */
export function byCost({ rows }: CostTable): readonly CostRow[] {
  const known = new Set(rows.map(({ path, name }) => keyOf([...path, name])));
  const below = new Map<string, CostRow[]>();
  for (const row of rows) {
    // A part of a row that is not there stands alone.
    const above = known.has(keyOf(row.path)) ? keyOf(row.path) : keyOf([]);
    const siblings = below.get(above);
    if (siblings === undefined) below.set(above, [row]);
    else siblings.push(row);
  }
  const ordered = (above: string): CostRow[] =>
    (below.get(above) ?? []).toSorted(dearerFirst).flatMap((row) => {
      const own = keyOf([...row.path, row.name]);
      // Of several rows with one name only the first has the parts.
      const parts = own === above ? [] : ordered(own);
      below.delete(own);
      return [row, ...parts];
    });
  return ordered(keyOf([]));
}
