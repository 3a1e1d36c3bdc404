import { firstRows } from './first-rows.js';
import { frameText, stackText, threadText } from './frame-text.js';
import type { Frame } from './frame.js';
import { PairTable } from './pair-table.js';
import type { Profile } from './profile.js';
import { framesOf } from './stack-walk.js';
import type { Thread } from './thread.js';

/** One stack of one thread with everything that was seen of it. */
export interface WeightedStack {
  /** Row of the stack table, -1: no usable stack. */
  readonly stack: number;
  /** Index into `Profile.threads`. */
  readonly thread: number;
  readonly weight: number;
}

/**
 * The n heaviest stacks per thread, heaviest first. Stacks of equal weight are ordered by their folded text, so the order of the
 * input lines never shows. Text is made for the compared stacks only, and only where weights are equal.
 */
export function heaviestStacks(profile: Profile, n: number): readonly WeightedStack[] {
  return firstRows(pool(profile), n, orderOf(profile));
}

/** Every stack as `stack count`, in the order of `heaviestStacks`, no line end. Weights are rounded to whole numbers. */
export function* foldedLines(profile: Profile): Generator<string> {
  for (const { stack, thread, weight } of heaviestStacks(profile, Number.POSITIVE_INFINITY)) {
    yield `${stackText(profile, stack, thread)} ${Math.round(weight)}`;
  }
}

function pool(profile: Profile): WeightedStack[] {
  const { samples } = profile;
  const table = new PairTable();
  const weights: number[] = [];
  for (let row = 0; row < samples.length; row += 1) {
    const at = table.intern(samples.stack[row] as number, samples.thread[row] as number);
    weights[at] = (weights[at] ?? 0) + (samples.weight[row] as number);
  }
  return weights.map((weight, row) => ({
    stack: table.left[row] as number,
    thread: table.right[row] as number,
    weight,
  }));
}

type Order = (a: WeightedStack, b: WeightedStack) => number;

/** Heaviest first, then by folded text; the indices decide only where even the text is equal. */
function orderOf(profile: Profile): Order {
  const compareText = textOrder(profile);
  return (a, b) => b.weight - a.weight || compareText(a, b) || a.thread - b.thread || a.stack - b.stack;
}

/** Compares folded texts, threads first. */
function textOrder(profile: Profile): Order {
  const compareStacks = stackOrder(profile);
  const { parent, frame } = profile.stacks;
  const rootText = (row: number): string => {
    let at = row;
    while ((parent[at] as number) >= 0) at = parent[at] as number;
    return frameText(profile.frames[frame[at] as number] as Frame);
  };
  const wholeText: Order = (a, b) =>
    textual(stackText(profile, a.stack, a.thread), stackText(profile, b.stack, b.thread));

  return (a, b) => {
    if (a.stack < 0 || b.stack < 0) return wholeText(a, b);
    if (a.thread === b.thread) return compareStacks(a.stack, b.stack);
    const one = threadText(profile.threads[a.thread] as Thread, rootText(a.stack));
    const other = threadText(profile.threads[b.thread] as Thread, rootText(b.stack));
    return firstDifference(`${one};`, `${other};`) ?? wholeText(a, b);
  };
}

/**
 * Compares stacks (rows of the stack table) by their folded text without a thread: by the first frame that differs, found in the tree,
 * since whole lines are long and there are many. Only where one frame's text begins with the other's, so that what follows matters, are
 * the lines written out.
 */
export function stackOrder(profile: Profile): (a: number, b: number) => number {
  const { parent, frame, length } = profile.stacks;
  const depth = new Int32Array(length);
  for (let row = 0; row < length; row += 1) {
    const above = parent[row] as number;
    depth[row] = above < 0 ? 1 : (depth[above] as number) + 1;
  }
  const texts: string[] = [];
  const textAt = (row: number): string => {
    const index = frame[row] as number;
    return (texts[index] ??= frameText(profile.frames[index] as Frame));
  };
  const wholeText = (row: number): string =>
    framesOf(profile, row)
      .map((index) => frameText(profile.frames[index] as Frame))
      .join(';');

  return (a, b) => {
    if (a < 0 || b < 0) return textual(wholeText(a), wholeText(b));
    let [x, y] = [a, b];
    while ((depth[x] as number) > (depth[y] as number)) x = parent[x] as number;
    while ((depth[y] as number) > (depth[x] as number)) y = parent[y] as number;
    // One stack continues the other: the shorter text comes first.
    if (x === y) return (depth[a] as number) - (depth[b] as number);
    while (parent[x] !== parent[y]) [x, y] = [parent[x] as number, parent[y] as number];
    const one = textAt(x) + (x === a ? '' : ';');
    const other = textAt(y) + (y === b ? '' : ';');
    return firstDifference(one, other) ?? textual(wholeText(a), wholeText(b));
  };
}

function firstDifference(one: string, other: string): number | undefined {
  return one.startsWith(other) || other.startsWith(one) ? undefined : textual(one, other);
}

function textual(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
