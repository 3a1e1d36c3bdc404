import type { Bucket } from '../model/index.js';
import type { Breakdown, Flame, Pooled } from '../report/index.js';
import { bucketText, flameTree, threadName } from '../report/index.js';
import type { Claim } from '../rules/index.js';
import { drawn } from './drawn.js';
import type { Loaded } from './source.js';
import { wallShares } from './wall-shares.js';

/** Flame graph of the first thread of an answer that has samples, with the same worth of each as in its breakdown. */
export function flameOf(
  { profile }: Loaded,
  answer: Breakdown,
  pooled: readonly Pooled[],
  claimOf: (stack: number) => Claim,
): Flame | undefined {
  const thread = answer.threads.find(({ buckets }) => buckets.length > 0);
  if (thread === undefined) return undefined;
  const { shareOf, shareOfStates, besides } = wallShares(thread.estimate);
  const { rowOf } = drawn(profile);
  const stacks = pooled
    .filter((entry) => entry.thread === thread.index && entry.stack >= 0)
    .map(({ stack, weight, states }) => ({
      stack: rowOf(stack),
      share:
        shareOfStates === undefined || states === undefined
          ? weight * shareOf(claimOf(stack))
          : shareOfStates(states),
    }));
  const others = besides.map(({ bucket, kind, share }) => ({ bucket, share, name: nameOf(bucket, kind) }));
  const tree = flameTree({ profile, stacks, claimOf, others, name: threadName(thread.thread) });
  const { wallS } = answer.window;
  return { tree, ...(wallS === undefined || thread.estimate.mode === 'samples' ? {} : { seconds: wallS }) };
}

function nameOf(bucket: Bucket, kind: 'lost' | 'not-sampled' | undefined): string {
  if (kind === undefined) return bucketText(bucket);
  return kind === 'lost' ? '(samples without a stack)' : '(not sampled)';
}
