const SHOWN = 5;
/** Longer names are compared by their beginning. */
const COMPARED = 64;

/** The names that `wanted` may have meant, likeliest first: by the number of letters to change. Of equals the earlier one. */
export function nearestNames(wanted: string, names: readonly string[]): readonly string[] {
  const sought = wanted.toLowerCase().slice(0, COMPARED);
  const allowed = Math.max(2, Math.ceil(sought.length / 3));
  return [...new Set(names)]
    .map((name) => {
      const other = name.toLowerCase().slice(0, COMPARED);
      const part =
        Math.min(sought.length, other.length) > 1 && (other.includes(sought) || sought.includes(other));
      return { name, distance: part ? 1 : distanceBetween(sought, other) };
    })
    .filter(({ distance }) => distance <= allowed)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, SHOWN)
    .map(({ name }) => name);
}

/** Letters to insert, delete, replace, or swap with their neighbour: optimal string alignment. */
function distanceBetween(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1;
      const costs = [
        at(above, column) + 1,
        at(current, column - 1) + 1,
        at(above, column - 1) + change,
        ...(row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
          ? [at(before, column - 2) + 1]
          : []),
      ];
      current.push(Math.min(...costs));
    }
    before = above;
    above = current;
  }
  return at(above, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
