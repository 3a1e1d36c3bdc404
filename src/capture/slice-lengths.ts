import type { RatedPlanRequest } from './request.js';

/** Part of what is recorded already that one more slice may be, where nobody knows how long a recording will get. */
const GROWTH = 1 / 60;

/**
 * Lengths of the slices in whole seconds, the last one excepted. Slices of a fixed length, or, in a recording that may end at any
 * moment (`loopOnly`), short ones that get longer with it: what its end costs stays small, and so does their number.
 */
export function sliceLengths({
  durationS,
  sliceS,
  loopOnly,
}: Pick<RatedPlanRequest, 'durationS' | 'sliceS' | 'loopOnly'>): readonly number[] {
  const shortest = Math.max(1, Math.round(sliceS));
  if (loopOnly !== true) {
    const count = Math.max(1, Math.round(durationS / shortest));
    return Array.from({ length: count }, (_, index) =>
      index < count - 1 ? shortest : durationS - index * shortest,
    );
  }
  const lengths: number[] = [];
  let sum = 0;
  while (durationS - sum > shortest) {
    const length = Math.min(durationS - sum, Math.max(shortest, Math.floor(sum * GROWTH)));
    lengths.push(length);
    sum += length;
  }
  return durationS > sum ? [...lengths, durationS - sum] : lengths;
}
