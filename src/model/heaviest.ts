/**
 * The `count` heaviest rows and every row that weighs as much as the last of them, in the order given. Putting all in order to show a
 * few would take longer than anything else that is done with them.
 */
export function heaviest<Row extends { readonly weight: number }>(
  rows: readonly Row[],
  count: number,
): readonly Row[] {
  if (count <= 0) return [];
  if (rows.length <= count) return rows;
  const weights = Float64Array.from(rows, (row) => row.weight).sort();
  const least = weights[weights.length - count] as number;
  return rows.filter((row) => row.weight >= least);
}
