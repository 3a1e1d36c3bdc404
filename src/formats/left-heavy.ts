import { stackOrder } from '../model/index.js';
import type { Profile } from '../model/index.js';

/**
 * Samples of one thread without their times: a row for each stack, so that equal callers stand together and the heaviest come first, from
 * the outermost call inwards. Laid end to end they are a flame graph.
 */
export interface LeftHeavy {
  /** Index into the profile's threads. */
  readonly thread: number;
  /** Row of the stack table; -1: no usable stack, which comes last. */
  readonly stack: Int32Array;
  readonly weight: Float64Array;
}

/** Of every thread that has samples, in the order of the threads. */
export function leftHeavy(profile: Profile): readonly LeftHeavy[] {
  const { samples, threads } = profile;
  const byThread = threads.map(() => new Map<number, number>());
  for (let row = 0; row < samples.length; row += 1) {
    const own = byThread[samples.thread[row] as number];
    const stack = samples.stack[row] as number;
    const weight = samples.weight[row] as number;
    if (weight > 0) own?.set(stack, (own.get(stack) ?? 0) + weight);
  }
  const textOrder = stackOrder(profile);
  return byThread.flatMap((own, thread) =>
    own.size === 0 ? [] : [ofThread(profile, thread, own, textOrder)],
  );
}

type StackOrder = (a: number, b: number) => number;

function ofThread(
  { stacks }: Profile,
  thread: number,
  own: ReadonlyMap<number, number>,
  textOrder: StackOrder,
): LeftHeavy {
  const below = new Map<number, number>();
  const children = new Map<number, number[]>();
  const addChild = (parent: number, row: number): void => {
    const known = children.get(parent);
    if (known === undefined) children.set(parent, [row]);
    else known.push(row);
  };
  for (const [stack, weight] of own) {
    for (let row = stack; row >= 0; row = stacks.parent[row] as number) {
      if (!below.has(row)) addChild(stacks.parent[row] as number, row);
      below.set(row, (below.get(row) ?? 0) + weight);
    }
  }
  const order: number[] = [];
  const weights: number[] = [];
  const visit = (stack: number): void => {
    const weight = own.get(stack);
    if (weight === undefined) return;
    order.push(stack);
    weights.push(weight);
  };
  // A list instead of calls: stacks are as deep as their program recursed.
  const left = lightestFirst(children.get(-1) ?? []);
  for (let row = left.pop(); row !== undefined; row = left.pop()) {
    visit(row);
    for (const child of lightestFirst(children.get(row) ?? [])) left.push(child);
  }
  visit(-1);
  return { thread, stack: Int32Array.from(order), weight: Float64Array.from(weights) };

  function lightestFirst(rows: readonly number[]): number[] {
    return rows.toSorted((a, b) => (below.get(a) ?? 0) - (below.get(b) ?? 0) || textOrder(b, a));
  }
}
