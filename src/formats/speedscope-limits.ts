import type { ThreadSamples } from './speedscope-samples.js';

/**
 * What speedscope 1.25 opens within seconds. Measured in Chromium 156 on two cores with stacks of 20 frames that hardly share a caller,
 * which is the worst there is: pooled, 4 million frames load in 4 s and take 620 MB of the page's memory, 10 million 10 s and 1.4 GB; in
 * order of time, 2 million take 11 s and 1.1 GB, 5 million 15 s and 2.8 GB, and a page ends at 4 GB. Stacks of 2,500 frames are drawn,
 * at 3,000 the browser's own stack ends.
 */
export const SPEEDSCOPE_LIMITS = {
  /** Frames of all samples together, each counted as often as it stands in one, in order of time. */
  timedFrames: 1_000_000,
  /** The same of stacks that are pooled. */
  pooledFrames: 4_000_000,
  /** Frames of one stack. */
  depth: 2000,
} as const;

export type SpeedscopeLimits = { readonly [Limit in keyof typeof SPEEDSCOPE_LIMITS]: number };

/** Samples of one thread, and what is needed to say how much they take. */
export interface Sized {
  readonly samples: ThreadSamples;
  /** Frames of each row of the stack table. */
  readonly depths: Int32Array;
  /** Weight that the rows are a part of: threads may count different things. */
  readonly total: number;
}

/** Frames of all samples together. */
export function framesIn(threads: readonly Sized[], limits: SpeedscopeLimits): number {
  let frames = 0;
  for (const { samples, depths } of threads)
    for (const row of samples.stack) frames += framesOfRow(depths, row, limits);
  return frames;
}

function framesOfRow(depths: Int32Array, row: number, { depth }: SpeedscopeLimits): number {
  return row < 0 ? 1 : Math.min(depth, depths[row] as number);
}

/**
 * How many of each thread's stacks can be shown. They are pooled, heaviest first, so that many from the first on; the heaviest shares of
 * all threads together are kept.
 */
export function heaviestThatFit(threads: readonly Sized[], limits: SpeedscopeLimits): readonly number[] {
  if (framesIn(threads, limits) <= limits.pooledFrames)
    return threads.map(({ samples }) => samples.stack.length);
  const owner: number[] = [];
  const share: number[] = [];
  const cost: number[] = [];
  for (const [index, { samples, depths, total }] of threads.entries()) {
    for (const [at, row] of samples.stack.entries()) {
      owner.push(index);
      share.push((samples.weight[at] as number) / total);
      cost.push(framesOfRow(depths, row, limits));
    }
  }
  const kept = threads.map(() => 0);
  let left = limits.pooledFrames;
  // Rows of a thread fall in share, so that those which are kept are its first ones; equal ones stay in order.
  const order = Uint32Array.from(share, (_, at) => at).sort(
    (a, b) => (share[b] as number) - (share[a] as number) || a - b,
  );
  for (const at of order) {
    left -= cost[at] as number;
    if (left < 0) break;
    const index = owner[at] as number;
    kept[index] = (kept[index] as number) + 1;
  }
  return kept;
}

/** Frames that are kept at the root of a stack that is cut; the rest are at its leaf, where the time goes. */
const KEPT_AT_ROOT = 200;

/** A stack of bounded depth: one that is too deep loses its middle, for which `gap` stands. */
export function boundedStack(
  frames: readonly number[],
  { depth }: Pick<SpeedscopeLimits, 'depth'>,
  gap: () => number,
): readonly number[] {
  if (frames.length <= depth) return frames;
  const root = Math.min(KEPT_AT_ROOT, depth >> 1);
  return [...frames.slice(0, root), gap(), ...frames.slice(frames.length - (depth - root - 1))];
}
