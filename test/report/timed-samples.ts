import { BUCKETS, type Bucket, type Profile, ProfileBuilder } from '../../src/model/index.js';
import type { Claim } from '../../src/rules/index.js';

/** A profile of one thread whose stacks are buckets by name, and the claims that say so. */
export function timedSamples(
  unit: Profile['unit'],
  rows: readonly (readonly [bucket: Bucket, timeS: number, weight: number])[],
): { readonly profile: Profile; readonly claims: readonly Claim[] } {
  const builder = new ProfileBuilder(unit, { format: 'cpython', path: 'r' });
  const thread = builder.thread({ tid: 7, name: 'MainThread' });
  // Rows of the stack table in the order of the buckets.
  const stacks = new Map(
    BUCKETS.map((bucket) => [bucket, builder.stack(-1, builder.frame({ name: bucket, kind: 'python' }))]),
  );
  for (const [bucket, timeS, weight] of rows)
    builder.sample(stacks.get(bucket)!, thread, weight, timeS * 1e9);
  return { profile: builder.build(), claims: BUCKETS.map((bucket) => ({ bucket, frame: 0 })) };
}

/** Numbers from 0 to 1 that are the same in every run. */
export function randomNumbers(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x2c1b3c6d) >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}
