import type { Recording, Slice, SliceThread } from './recording.js';

/** More than any sampler takes to begin: what is further away is of another clock, as in a time namespace. */
const NEAR_NS = 2_000_000_000n;

/** When the profile of a thread began, nanoseconds of CLOCK_MONOTONIC: a little before its slice, since V8 answers when it has begun. Undefined where that is not told. */
export function profileStart(slice: Slice, { startNs }: SliceThread): bigint | undefined {
  if (startNs === undefined) return undefined;
  const awayNs = BigInt(startNs) - BigInt(slice.startNs);
  return awayNs > -NEAR_NS && awayNs < NEAR_NS ? BigInt(startNs) : undefined;
}

/** When the first sample of a slice may have been taken. */
export function sliceStart(slice: Slice): bigint {
  return (slice.threads ?? []).reduce((earliest, thread) => {
    const own = profileStart(slice, thread);
    return own !== undefined && own < earliest ? own : earliest;
  }, BigInt(slice.startNs));
}

/** The moment that the times of a recording count from: its first slice began. */
export function timeOrigin({ slices }: Pick<Recording, 'slices'>): bigint {
  const [first] = slices;
  return first === undefined ? 0n : sliceStart(first);
}
