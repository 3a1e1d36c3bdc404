/**
 * The value at part `q` of what is sorted, one of those that are there: none is made up between two. Counted as raccoon counts it in its report
 * (`sorted[int(q * n)]`), so that a trace and the report of one run say the same.
 */
export function quantile(sorted: ArrayLike<number>, q: number): number | undefined {
  return sorted[Math.min(Math.floor(q * sorted.length), sorted.length - 1)];
}

/** The middle one, or the mean of the two in the middle: as `nsys stats` prints it, so that an export and its statistics say the same. */
export function median(values: readonly number[]): number | undefined {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
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
