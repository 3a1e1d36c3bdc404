import type { Profile } from './profile.js';

/**
 * First and one after the last row of each run of samples with the same time: what one look of the sampler saw. Nothing for a profile
 * without times.
 */
export function* samplesByMoment({
  samples,
}: Pick<Profile, 'samples'>): Generator<readonly [number, number]> {
  const { length, timeNs } = samples;
  if (timeNs === undefined) return;
  let start = 0;
  for (let row = 1; row <= length; row += 1) {
    if (row < length && timeNs[row] === timeNs[start]) continue;
    if (start < length) yield [start, row];
    start = row;
  }
}
