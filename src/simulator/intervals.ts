/** From start to end. */
export type Interval = readonly [start: number, end: number];

/** The intervals with those that touch or overlap made one, in order. */
export function union(intervals: readonly Interval[]): readonly Interval[] {
  const merged: [number, number][] = [];
  for (const [start, end] of intervals.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** What of them lies between two moments. */
export function clipped(intervals: readonly Interval[], [from, to]: Interval): readonly Interval[] {
  return intervals.flatMap(([start, end]): Interval[] =>
    start < to && end > from ? [[Math.max(start, from), Math.min(end, to)]] : [],
  );
}

/** How much time at least one of them covers. */
export function covered(intervals: readonly Interval[]): number {
  return union(intervals).reduce((sum, [start, end]) => sum + end - start, 0);
}
