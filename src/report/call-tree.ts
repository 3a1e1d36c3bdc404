import type { Profile } from '../model/index.js';
import type { LeafCounts } from '../stats/index.js';
import type { TreeNode } from './answer.js';
import { type Calls, callerOf, callsOf, frameAt } from './calls.js';
import type { Worth } from './hot-rows.js';
import { frameLabel } from './names.js';
import { type Pooled, compareText, grouped, leavesOf } from './selection.js';

const KINDS = ['work', 'sleep', 'wait', 'gil'] as const satisfies readonly (keyof LeafCounts)[];

/** Weights by the kind of their leaf, then by node: what they are worth differs by kind. */
type ByKind = Readonly<Record<keyof LeafCounts, Float64Array>>;

/** What a thread spent, by node. */
interface Spent {
  readonly self: ByKind;
  readonly total: ByKind;
  /** Share of `total`, near enough to put nodes in order; weight, where a thread has no time to share. */
  readonly heat: Float64Array;
  /** 1: a sample of the thread passes. */
  readonly seen: Uint8Array;
  /** Node + 1 of the first called, by node + 1 of the caller; and of the next one called by the same. 0: none. */
  readonly first: Int32Array;
  readonly next: Int32Array;
}

/**
 * The call tree of each thread, in the order of its first sample, folded: what is under `min` of its thread's tree (a part of 1) is
 * gathered, and calls that lead to one other alone are one node. Every node's total is its own part, its children's and what is gathered.
 */
export function callTrees(
  profile: Profile,
  pooled: readonly Pooled[],
  worth: Worth,
  min: number,
): readonly { readonly thread: number; readonly root: TreeNode }[] {
  const calls = callsOf(profile, pooled);
  const spent = nothingSpent(calls.table.length);
  return [...grouped(pooled, (entry) => entry.thread)].map(([thread, entries]) => {
    const touched = spend(calls, spent, entries, worth, thread);
    const root = rootOf({ calls, spent, shareOf: (counts) => worth.shareOf(thread, counts).share }, min);
    for (const node of touched) forget(spent, node);
    return { thread, root };
  });
}

/** One node more than there are calls: the last is the samples without a usable stack. */
function nothingSpent(nodes: number): Spent {
  const column = (): Float64Array => new Float64Array(nodes + 1);
  const byKind = (): ByKind => ({ work: column(), sleep: column(), wait: column(), gil: column() });
  return {
    self: byKind(),
    total: byKind(),
    heat: column(),
    seen: new Uint8Array(nodes + 1),
    first: new Int32Array(nodes + 2),
    next: new Int32Array(nodes + 1),
  };
}

function forget({ self, total, heat, seen, first, next }: Spent, node: number): void {
  for (const kind of KINDS) self[kind][node] = total[kind][node] = 0;
  heat[node] = seen[node] = next[node] = first[node + 1] = 0;
  first[0] = 0;
}

const NONE: LeafCounts = { work: 0, sleep: 0, wait: 0, gil: 0 };

/** What one unit of weight is worth by the kind of its leaf: shares of disjoint samples add up. */
function unitShares(worth: Worth, thread: number): LeafCounts {
  const one = (kind: keyof LeafCounts): number => worth.shareOf(thread, { ...NONE, [kind]: 1 }).share;
  return { work: one('work'), sleep: one('sleep'), wait: one('wait'), gil: one('gil') };
}

/** Adds up a thread's samples by node, and links what was called. Returns the nodes that have any. */
function spend(
  { table, nodeOf }: Calls,
  { self, total, heat, seen, first, next }: Spent,
  entries: readonly Pooled[],
  worth: Worth,
  thread: number,
): Int32Array {
  const touched: number[] = [];
  for (const entry of entries) {
    const { stack } = entry;
    const node = stack < 0 ? table.length : (nodeOf[stack] as number);
    const counts = leavesOf(entry, worth.leafOf);
    for (const kind of KINDS) self[kind][node] = (self[kind][node] as number) + counts[kind];
    for (let at = node; at >= 0 && seen[at] === 0; at = callerOf(table, at)) {
      seen[at] = 1;
      touched.push(at);
    }
  }
  const unit = unitShares(worth, thread);
  const anyShare = KINDS.some((kind) => unit[kind] > 0);
  const nodes = Int32Array.from(touched).sort();
  // The called come after their callers: going backwards, a node is complete when it is reached.
  for (let at = nodes.length - 1; at >= 0; at -= 1) {
    const node = nodes[at] as number;
    const caller = callerOf(table, node);
    next[node] = first[caller + 1] as number;
    first[caller + 1] = node + 1;
    for (const kind of KINDS) {
      const sum = (total[kind][node] as number) + (self[kind][node] as number);
      total[kind][node] = sum;
      heat[node] = (heat[node] as number) + sum * (anyShare ? unit[kind] : 1);
      if (caller >= 0) total[kind][caller] = (total[kind][caller] as number) + sum;
    }
  }
  return nodes;
}

/** Nodes that one called, or that begin a thread (-1). */
function calledBy(spent: Spent, node: number): number[] {
  const called: number[] = [];
  for (let at = spent.first[node + 1] as number; at !== 0; at = spent.next[at - 1] as number)
    called.push(at - 1);
  return called;
}

/** What is told of a thread. */
interface Told {
  readonly calls: Calls;
  readonly spent: Spent;
  readonly shareOf: (counts: LeafCounts) => number;
}

interface Fold extends Told {
  /** Less than this is gathered. */
  readonly least: number;
}

/** Weight and share of some nodes, with what is below them and without. */
function sumOf({ spent, shareOf }: Told, whole: readonly number[], own: readonly number[] = []): Amount {
  const counts: { -readonly [Kind in keyof LeafCounts]: number } = { ...NONE };
  for (const kind of KINDS) {
    for (const node of whole) counts[kind] += spent.total[kind][node] as number;
    for (const node of own) counts[kind] += spent.self[kind][node] as number;
  }
  return { weight: KINDS.reduce((sum, kind) => sum + counts[kind], 0), share: shareOf(counts) };
}

interface Amount {
  readonly weight: number;
  readonly share: number;
}

function rootOf(told: Told, min: number): TreeNode {
  const begins = calledBy(told.spent, -1);
  const heat = begins.reduce((sum, node) => sum + (told.spent.heat[node] as number), 0);
  const fold: Fold = { ...told, least: min * heat };
  const { shown, small } = sorted(fold, begins);
  const { weight: total, share: totalShare } = sumOf(told, begins);
  return {
    frames: [],
    self: 0,
    share: 0,
    total,
    totalShare,
    children: shown.map((node) => folded(fold, node)),
    ...gathered(told, small, []),
  };
}

/** What is worth a line, hottest first, and the rest. */
function sorted(
  fold: Fold,
  nodes: readonly number[],
): { readonly shown: number[]; readonly small: number[] } {
  const {
    spent: { heat },
    least,
  } = fold;
  const shown = nodes.filter((node) => (heat[node] as number) >= least);
  const small = nodes.filter((node) => (heat[node] as number) < least);
  const text = (node: number): string => frameLabel(frameAt(fold.calls, node));
  shown.sort((a, b) => (heat[b] as number) - (heat[a] as number) || compareText(text(a), text(b)));
  return { shown, small };
}

/** A node and what it calls. Nested no deeper than 1 / `min`: each level is lighter than the one above by that much. */
function folded(fold: Fold, head: number): TreeNode {
  const { calls, spent, least } = fold;
  const { heat } = spent;
  const chain = [head];
  const shed: number[] = [];
  const passed: number[] = [];
  for (;;) {
    const node = chain.at(-1) ?? head;
    const { shown, small } = sorted(fold, calledBy(spent, node));
    const [only, second] = shown;
    const loses = only === undefined ? 0 : (heat[head] as number) - (heat[only] as number);
    if (only !== undefined && second === undefined && loses < least) {
      for (const one of small) shed.push(one);
      if (sumOf(fold, [], [node]).weight > 0) passed.push(node);
      chain.push(only);
      continue;
    }
    const { weight: self, share } = sumOf(fold, [], [node]);
    const { weight: total, share: totalShare } = sumOf(fold, [head]);
    return {
      frames: chain.map((one) => frameAt(calls, one)),
      ...(chain.some((one) => calls.recursive[one] === 1) ? { recursive: true } : {}),
      self,
      share,
      total,
      totalShare,
      children: shown.map((one) => folded(fold, one)),
      ...gathered(fold, [...shed, ...small], passed),
    };
  }
}

/** Subtrees that are not shown, and the own time of the calls that a chain passes. */
function gathered(
  told: Told,
  subtrees: readonly number[],
  passed: readonly number[],
): Pick<TreeNode, 'more'> {
  const places = subtrees.length + passed.length;
  return places === 0 ? {} : { more: { places, ...sumOf(told, subtrees, passed) } };
}
