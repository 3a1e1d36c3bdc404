import type { Bucket } from '../model/index.js';
import type { Breakdown, Flame, Pooled } from '../report/index.js';
import { bucketText, flameTree, threadName } from '../report/index.js';
import type { Claim } from '../rules/index.js';
import { drawn } from './drawn.js';
import type { Loaded } from './source.js';
import { WAITS, type Wait, withWaitLeaves } from './wait-leaves.js';
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
  const { shareOf, perState, besides } = wallShares(thread.estimate);
  const { rowOf } = drawn(profile);
  const own = pooled.filter((entry) => entry.thread === thread.index);
  const leaves = withWaitLeaves(profile, waitedStacks(own, rowOf));
  const stacks = own.flatMap(({ stack, weight, states }) => {
    const at = rowOf(stack);
    if (perState === undefined || states === undefined)
      return at < 0 ? [] : [{ stack: at, share: weight * shareOf(claimOf(stack)) }];
    const stays = (['running', 'sleep', 'blocked'] as const).reduce(
      (sum, state) => sum + states[state] * perState[state],
      0,
    );
    return [
      ...(at < 0 ? [] : [{ stack: at, share: stays }]),
      ...WAITS.filter((wait) => states[wait] > 0).map((wait) => ({
        stack: leaves.rowOf(at, wait),
        share: states[wait] * perState[wait],
      })),
    ];
  });
  const others = besides.map(({ bucket, kind, share }) => ({ bucket, share, name: nameOf(bucket, kind) }));
  const tree = flameTree({
    profile: leaves.profile,
    stacks,
    claimOf: (row) => leaves.claimOf(row) ?? claimOf(row),
    others,
    name: threadName(thread.thread),
  });
  const { wallS } = answer.window;
  return { tree, ...(wallS === undefined || thread.estimate.mode === 'samples' ? {} : { seconds: wallS }) };
}

/** What waited, by where it is drawn. */
function* waitedStacks(
  entries: readonly Pooled[],
  rowOf: (stack: number) => number,
): Generator<readonly [number, Wait]> {
  for (const { stack, states } of entries) {
    for (const wait of WAITS) if ((states?.[wait] ?? 0) > 0) yield [rowOf(stack), wait];
  }
}

function nameOf(bucket: Bucket, kind: 'lost' | 'not-sampled' | undefined): string {
  if (kind === undefined) return bucketText(bucket);
  return kind === 'lost' ? '(samples without a stack)' : '(not sampled)';
}
