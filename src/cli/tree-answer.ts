import type { Profile } from '../model/index.js';
import { drawn } from './drawn.js';
import { type Pooled, type Tree, callTrees, compareText, threadField, threadName } from '../report/index.js';
import { type HotOptions, hotFacts } from './hot-answer.js';
import type { Loaded } from './source.js';

export interface TreeOptions extends Omit<HotOptions, 'by' | 'top'> {
  /** Part of its thread's tree below which a subtree is gathered. */
  readonly min: number;
}

/** Trees shown where no thread is known to be the one that steps. */
const MOST_UNKNOWN = 5;

/**
 * Answer of `hot --tree`: the threads that were named, else the physics thread, else the heaviest. Shares are those of `hot`. Throws
 * `ProfilerError` where there is nothing to answer from.
 */
export function treeAnswer(loaded: Loaded, options: TreeOptions): Tree {
  const { selected, physics, worth, head } = hotFacts(loaded, { ...options, by: 'function' });
  const { profile } = loaded;
  const { rowOf, findings } = drawn(profile);
  const order = heaviestFirst(profile, selected.pooled, physics);
  const shown =
    selected.threads === undefined ? order.slice(0, order[0] === physics ? 1 : MOST_UNKNOWN) : order;
  const wanted = new Set(shown);
  const pooled = selected.pooled
    .filter(({ thread }) => wanted.has(thread))
    .map((entry) => ({ ...entry, stack: rowOf(entry.stack) }));
  const trees = new Map(
    callTrees(profile, pooled, worth, options.min).map(({ thread, root }) => [thread, root]),
  );
  return {
    ...head,
    findings: [...head.findings, ...findings],
    min: options.min,
    threads: shown.flatMap((index) => {
      const root = trees.get(index);
      return root === undefined ? [] : [{ root, ...threadField(profile, index) }];
    }),
    hidden: order.length - shown.length,
  };
}

/** Threads with samples: the physics thread, then by weight, equal ones by name. */
function heaviestFirst({ threads }: Profile, pooled: readonly Pooled[], physics: number): number[] {
  const weights = new Map<number, number>();
  for (const { thread, weight } of pooled) weights.set(thread, (weights.get(thread) ?? 0) + weight);
  const nameOf = (thread: number): string => threadName(threads[thread] ?? {});
  const rank = (thread: number): number => (thread === physics ? 0 : 1);
  return [...weights]
    .sort(
      ([a, one], [b, other]) =>
        rank(a) - rank(b) || other - one || compareText(nameOf(a), nameOf(b)) || a - b,
    )
    .map(([thread]) => thread);
}
