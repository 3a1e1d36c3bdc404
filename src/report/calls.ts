import { type Frame, PairTable, type Profile } from '../model/index.js';
import { functionsOf, isUnresolved } from './functions.js';
import type { Pooled } from './selection.js';

/**
 * The calls of all threads, one node for each function reached by the same calls. A function that calls itself, by however many others,
 * leads back to its first node on that path: no path is longer than there are functions, and each sample counts once a node. Code without
 * a symbol is no function: of it only frames next to each other are one node.
 */
export interface Calls {
  /** Node of the caller and function; callers come before the called, -1: none. */
  readonly table: PairTable;
  /** Node by row of the stack table; only where a sample is. */
  readonly nodeOf: Int32Array;
  /** By node: whether it was entered again from below, by more of its samples than one torn stack makes. */
  readonly recursive: Uint8Array;
  /** By function: a frame of it, without its line. */
  readonly frames: readonly Frame[];
}

/** Stands for the samples of which nothing is known but their thread. */
const NO_STACK: Frame = { name: '(no usable stack)', kind: 'marker' };

/** The calls that samples pass. */
export function callsOf(profile: Profile, pooled: readonly Pooled[]): Calls {
  const { parent, frame, length } = profile.stacks;
  const functions = functionsOf(profile);
  const { first, next } = wantedChildren(profile, pooled);
  const table = new PairTable();
  const nodeOf = new Int32Array(length).fill(-1);
  const entered = new Uint8Array(length);
  const again: number[] = [];
  /** Node by function, on the path that leads to the row that is looked at. */
  const onPath = new Int32Array(functions.frames.length).fill(-1);
  const unresolved = Uint8Array.from(functions.frames, (one) => (isUnresolved(one) ? 1 : 0));
  const functionAt = (row: number): number => functions.of[frame[row] as number] as number;
  const enter = (row: number): void => {
    const above = parent[row] as number;
    const own = functionAt(row);
    if (unresolved[own] === 1) {
      const caller = above < 0 ? -1 : (nodeOf[above] as number);
      const isSame = caller >= 0 && table.right[caller] === own;
      nodeOf[row] = isSame ? caller : table.intern(caller, own);
      return;
    }
    const before = onPath[own] as number;
    if (before >= 0) {
      nodeOf[row] = before;
      again.push(row);
      return;
    }
    const node = table.intern(above < 0 ? -1 : (nodeOf[above] as number), own);
    nodeOf[row] = node;
    entered[row] = 1;
    onPath[own] = node;
  };
  const leave = (row: number): void => {
    if (entered[row] === 1) onPath[functionAt(row)] = -1;
  };
  // Depth first along the links, without a stack of its own: stacks may be deeper than ours.
  let row = (first[0] as number) - 1;
  while (row >= 0) {
    enter(row);
    const below = (first[row + 1] as number) - 1;
    if (below >= 0) {
      row = below;
      continue;
    }
    while (row >= 0) {
      leave(row);
      const beside = (next[row] as number) - 1;
      if (beside >= 0) {
        row = beside;
        break;
      }
      row = parent[row] as number;
    }
  }
  const recursive = recursiveNodes(table.length, nodeOf, again, weightsBelow(profile, pooled));
  return { table, nodeOf, recursive, frames: functions.frames };
}

/** A stack that was read while it changed shows calls that never were: what calls itself does so in more of its samples than this. */
const TORN = 0.01;

/** @param again rows that led back to a node that their own path had entered. */
function recursiveNodes(
  nodes: number,
  nodeOf: Int32Array,
  again: readonly number[],
  below: Float64Array,
): Uint8Array {
  const whole = new Float64Array(nodes);
  const back = new Float64Array(nodes);
  for (let row = 0; row < nodeOf.length; row += 1) {
    const node = nodeOf[row] as number;
    if (node >= 0) whole[node] = (whole[node] as number) + (below[row] as number);
  }
  for (const row of again) {
    const node = nodeOf[row] as number;
    back[node] = (back[node] as number) + (below[row] as number);
  }
  return Uint8Array.from(back, (weight, node) => (weight > TORN * (whole[node] as number) ? 1 : 0));
}

/** By row of the stack table, the weight of all samples that pass it. */
function weightsBelow({ stacks: { parent, length } }: Profile, pooled: readonly Pooled[]): Float64Array {
  const below = new Float64Array(length);
  for (const { stack, weight } of pooled) if (stack >= 0) below[stack] = (below[stack] as number) + weight;
  for (let row = length - 1; row >= 0; row -= 1) {
    const above = parent[row] as number;
    if (above >= 0) below[above] = (below[above] as number) + (below[row] as number);
  }
  return below;
}

/** The rows that samples pass, as lists of children: by row + 1 of the parent, row + 1 of the first child and of the next one. */
function wantedChildren(
  { stacks: { parent, length } }: Profile,
  pooled: readonly Pooled[],
): { readonly first: Int32Array; readonly next: Int32Array } {
  const wanted = new Uint8Array(length);
  for (const { stack } of pooled) {
    for (let row = stack; row >= 0 && wanted[row] === 0; row = parent[row] as number) wanted[row] = 1;
  }
  const first = new Int32Array(length + 1);
  const next = new Int32Array(length);
  for (let row = length - 1; row >= 0; row -= 1) {
    if (wanted[row] === 0) continue;
    const above = (parent[row] as number) + 1;
    next[row] = first[above] as number;
    first[above] = row + 1;
  }
  return { first, next };
}

/** -1: it begins a thread. */
export function callerOf(table: PairTable, node: number): number {
  return node < table.length ? (table.left[node] as number) : -1;
}

/** A frame of a node's function, without its line. */
export function frameAt({ table, frames }: Calls, node: number): Frame {
  return node < table.length ? (frames[table.right[node] as number] ?? NO_STACK) : NO_STACK;
}
