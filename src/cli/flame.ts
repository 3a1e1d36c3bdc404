import type { Breakdown, Flame, Pooled } from '../report/index.js';
import { bucketText, flameTree, threadName } from '../report/index.js';
import type { Claim } from '../rules/index.js';
import { LOST } from '../stats/index.js';
import type { Loaded } from './source.js';
import { leafOf } from './thread-answer.js';

/** Flame graph of the first thread of an answer that has samples, with the same worth of each as in its breakdown. */
export function flameOf(
  { profile }: Loaded,
  answer: Breakdown,
  pooled: readonly Pooled[],
  claimOf: (stack: number) => Claim,
): Flame | undefined {
  const thread = answer.threads.find(({ buckets }) => buckets.length > 0);
  if (thread === undefined) return undefined;
  const { perSample, rows } = thread.estimate;
  const stacks = pooled
    .filter((entry) => entry.thread === thread.index && entry.stack >= 0)
    .map(({ stack, weight }) => ({ stack, share: weight * perSample[leafOf(claimOf(stack))] }));
  const others = rows
    .filter((row) => row.exact || row.kind === LOST)
    .map((row) => ({
      bucket: row.bucket,
      share: row.share,
      name: row.kind === undefined ? bucketText(row.bucket) : `samples without a stack`,
    }));
  const tree = flameTree({ profile, stacks, claimOf, others, name: threadName(thread.thread) });
  const { wallS } = answer.window;
  return { tree, ...(wallS === undefined || thread.estimate.mode === 'samples' ? {} : { seconds: wallS }) };
}
