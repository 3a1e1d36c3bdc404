import type { Profile } from './profile.js';

/** Frame indices of a stack, root first. Empty for -1. */
export function framesOf(profile: Pick<Profile, 'stacks'>, stack: number): readonly number[] {
  const { parent, frame } = profile.stacks;
  const frames: number[] = [];
  for (let row = stack; row >= 0; row = parent[row] ?? -1) frames.push(frame[row] ?? -1);
  return frames.toReversed();
}

/** Sum of all weights, the samples without a usable stack included. */
export function totalWeight(profile: Pick<Profile, 'samples'>): number {
  let total = 0;
  for (const weight of profile.samples.weight) total += weight;
  return total;
}
