/**
 * A histogram of durations over a whole run, as HDR histograms are: every doubling has the same number of buckets, so that a bucket is at
 * most 1/64 (1.6 %) wide. The bucket of a double is read off its bits: eleven of exponent, then the first six of its fraction.
 */
const BITS = 6;
const PER_DOUBLING = 1 << BITS;
/** 2^-20 ms is just below a nanosecond: all that is shorter is in the first bucket. */
const SHORTEST = -20;
/** 2^27 ms are 37 hours: all that is longer is in the last. */
const LONGEST = 27;
const FIRST = (1023 + SHORTEST) << BITS;

export const BUCKETS: number = (LONGEST - SHORTEST) << BITS;

/** The upper half of a double that is not negative. */
export function bucketOf(upperWord: number): number {
  const bucket = (upperWord >> (20 - BITS)) - FIRST;
  if (bucket < 0) return 0;
  return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

/** The middle of a bucket, in milliseconds. */
function middleOf(bucket: number): number {
  const doubling = 2 ** (SHORTEST + (bucket >> BITS));
  return doubling * (1 + ((bucket & (PER_DOUBLING - 1)) + 0.5) / PER_DOUBLING);
}

/** The duration that part `q` of the calls did not exceed: right to half a bucket, and never beyond what was seen. */
export function quantileOf(counts: Float64Array, q: number, min: number, max: number): number {
  let total = 0;
  for (const count of counts) total += count;
  let left = Math.max(1, Math.ceil(q * total));
  for (let bucket = 0; bucket < counts.length; bucket++) {
    left -= counts[bucket]!;
    if (left > 0) continue;
    // All that does not fit a bucket is in the outermost ones, whose middle says nothing of it.
    if (bucket === 0) return min;
    return bucket === BUCKETS - 1 ? max : Math.min(max, Math.max(min, middleOf(bucket)));
  }
  return max;
}

/** As `numpy.percentile` counts it, between the two that are nearest; the values are put into another order. */
export function linearPercentile(values: Float64Array, q: number): number {
  const last = values.length - 1;
  if (last < 0) return 0;
  const at = last * q;
  const below = Math.floor(at);
  const low = select(values, below);
  let high = below === last ? low : Infinity;
  for (let i = below + 1; i <= last; i++) high = Math.min(high, values[i]!);
  const part = at - below;
  return part < 0.5 ? low + (high - low) * part : high - (high - low) * (1 - part);
}

/** The value at an index as if they were sorted, which takes long for the rings of many threads; all behind it are larger. */
function select(values: Float64Array, index: number): number {
  let from = 0;
  let to = values.length - 1;
  while (from < to) {
    const pivot = values[(from + to) >> 1]!;
    let i = from;
    let j = to;
    while (i <= j) {
      while (values[i]! < pivot) i++;
      while (values[j]! > pivot) j--;
      if (i > j) break;
      const other = values[i]!;
      values[i++] = values[j]!;
      values[j--] = other;
    }
    if (index <= j) to = j;
    else if (index >= i) from = i;
    else break;
  }
  return values[index]!;
}
