import type { Frame } from './frame.js';
import type { Profile } from './profile.js';

/** What one key (a function, a line, a file, ...) was charged, in the unit of the profile. */
export interface KeyTotals {
  readonly key: string;
  /** Samples with the key at the leaf. */
  readonly self: number;
  /** Samples with the key anywhere, each counted once however often the key recurs in it. */
  readonly total: number;
}

/**
 * Self and total weight per key, heaviest self first, then heaviest total, then by key. Under recursion a total never exceeds the
 * sum of all samples.
 * @param keyOf what a frame is counted as; frames without a key are left out.
 */
export function selfAndTotal(
  profile: Profile,
  keyOf: (frame: Frame, index: number) => string | undefined,
): readonly KeyTotals[] {
  const keys: string[] = [];
  const numberOf = new Map<string, number>();
  const keyOfFrame = Int32Array.from(profile.frames, (frame, index) => {
    const key = keyOf(frame, index);
    if (key === undefined) return -1;
    const known = numberOf.get(key);
    if (known !== undefined) return known;
    numberOf.set(key, keys.length);
    return keys.push(key) - 1;
  });
  const { parent, frame, length } = profile.stacks;
  const leafWeight = leafWeights(profile);
  const below = leafWeight.slice();
  const self = new Float64Array(keys.length);
  const total = new Float64Array(keys.length);
  // Children come after their parents, so going backwards a row is complete when it is reached.
  for (let row = length - 1; row >= 0; row -= 1) {
    const above = parent[row] as number;
    const weight = below[row] as number;
    if (above >= 0) below[above] = (below[above] as number) + weight;
    const key = keyOfFrame[frame[row] as number] as number;
    if (key < 0) continue;
    self[key] = (self[key] as number) + (leafWeight[row] as number);
    let outer = above;
    while (outer >= 0 && keyOfFrame[frame[outer] as number] !== key) outer = parent[outer] as number;
    if (outer < 0) total[key] = (total[key] as number) + weight;
  }
  return keys
    .map((key, at) => ({ key, self: self[at] as number, total: total[at] as number }))
    .sort((a, b) => b.self - a.self || b.total - a.total || (a.key < b.key ? -1 : 1));
}

function leafWeights(profile: Profile): Float64Array {
  const weights = new Float64Array(profile.stacks.length);
  const { samples } = profile;
  for (let row = 0; row < samples.length; row += 1) {
    const stack = samples.stack[row] as number;
    if (stack >= 0) weights[stack] = (weights[stack] as number) + (samples.weight[row] as number);
  }
  return weights;
}
