/** The value at part `q` of what is sorted, one of those that are there: none is made up between two. */
export function quantile(sorted: ArrayLike<number>, q: number): number | undefined {
  return sorted[Math.min(Math.floor(q * sorted.length), sorted.length - 1)];
}

/** What there is to say of many durations of the same thing; nothing of none. */
export function spread(values: readonly number[]): {
  readonly calls?: number;
  readonly meanUs?: number;
  readonly minUs?: number;
  readonly maxUs?: number;
  readonly p50Us?: number;
  readonly p99Us?: number;
} {
  // As numbers, not as texts: `sort` of a plain list compares texts, and a comparison function is slow for a million.
  const sorted = Float64Array.from(values).sort();
  const [minUs, maxUs] = [sorted[0], sorted.at(-1)];
  const [p50Us, p99Us] = [quantile(sorted, 0.5), quantile(sorted, 0.99)];
  if (minUs === undefined || maxUs === undefined || p50Us === undefined || p99Us === undefined) return {};
  const total = sorted.reduce((sum, value) => sum + value, 0);
  return { calls: sorted.length, meanUs: total / sorted.length, minUs, maxUs, p50Us, p99Us };
}
