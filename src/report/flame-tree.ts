import { PairTable, type Profile } from '../model/index.js';
import type { Bucket } from '../model/index.js';
import type { FlameNodes } from '../page/index.js';
import type { Claim } from '../rules/index.js';
import { type Functions, functionsOf } from './functions.js';
import { functionText } from './names.js';
import { cleanText, truncateMiddle } from './terminal-text.js';

/** One unit of a node's weight: a thousand-millionth of the whole. Whole numbers add up without error. */
export const WHOLE = 1e9;

/** What is drawn at most: a page stays small and quick, and nothing thinner could be seen. */
const MOST_NODES = 6000;
const LEAST = WHOLE / 10_000;
/** Frames below this depth belong to the one above: no screen shows them. */
const DEEPEST = 200;
/** Columns of a name: enough for every name that people write. */
const LONGEST_NAME = 300;

export interface FlameInput {
  readonly profile: Profile;
  /** Stacks of one thread with their share of its time, 0 to 1; all together at most 1. */
  readonly stacks: readonly { readonly stack: number; readonly share: number }[];
  readonly claimOf: (stack: number) => Claim;
  /** What no stack shows: waits that the kernel alone knows, samples without a stack. */
  readonly others: readonly { readonly bucket: Bucket; readonly name: string; readonly share: number }[];
  /** What the root is called. */
  readonly name: string;
}

export interface FlameTree extends FlameNodes {
  /** Share of the whole, 0 to 1, in nodes that stand for several too small to draw. */
  readonly pooledShare: number;
  /** How many they are. */
  readonly pooledNodes: number;
  /** Share of the whole in frames deeper than what is drawn. */
  readonly deepShare: number;
}

/**
 * The stacks of one thread as a tree of functions: lines of one function are one node, unless the rules sort them into different
 * buckets. A node has the bucket of the stack that ends in it. What is too small to draw is pooled, so that every width is right.
 */
export function flameTree(input: FlameInput): FlameTree {
  const { profile } = input;
  const functions = functionsOf(profile);
  const kinds = new PairTable();
  const kindTexts: { readonly bucket: Bucket; readonly place: number }[] = [];
  const buckets: Bucket[] = [];
  const bucketNumber = new Map<Bucket, number>();
  const numberOf = (bucket: Bucket): number => {
    const known = bucketNumber.get(bucket);
    if (known !== undefined) return known;
    bucketNumber.set(bucket, buckets.length);
    return buckets.push(bucket) - 1;
  };
  const tree = new PairTable();
  const nodeOfRow = new Int32Array(profile.stacks.length).fill(-1);
  const { parent, frame } = profile.stacks;
  const used = new Uint8Array(profile.stacks.length);
  for (const { stack } of input.stacks)
    for (let row = stack; row >= 0 && used[row] === 0; row = parent[row] as number) used[row] = 1;
  const depth = new Int32Array(profile.stacks.length);
  let isDeep = false;
  for (let row = 0; row < nodeOfRow.length; row += 1) {
    if (used[row] === 0) continue;
    const above = parent[row] as number;
    const at = above < 0 ? 1 : (depth[above] as number) + 1;
    depth[row] = at;
    if (at > DEEPEST) {
      isDeep = true;
      nodeOfRow[row] = nodeOfRow[above] as number;
      continue;
    }
    const place = functions.of[frame[row] as number] as number;
    const { bucket } = input.claimOf(row);
    const kind = kinds.intern(place, numberOf(bucket));
    if (kind === kindTexts.length) kindTexts.push({ bucket, place });
    nodeOfRow[row] = tree.intern(above < 0 ? -1 : (nodeOfRow[above] as number), kind);
  }
  const self = new Float64Array(tree.length);
  let deep = 0;
  for (const { stack, share } of input.stacks) {
    const node = stack < 0 ? -1 : (nodeOfRow[stack] as number);
    if (node < 0) continue;
    self[node] = (self[node] as number) + share * WHOLE;
    if (isDeep && (depth[stack] as number) > DEEPEST) deep += share;
  }
  const total = self.map(Math.round);
  // Children come after their parents.
  for (let node = total.length - 1; node >= 0; node -= 1) {
    const above = tree.left[node] as number;
    if (above >= 0) total[above] = (total[above] as number) + (total[node] as number);
  }
  return drawn({ ...input, functions, tree, total, kindTexts, buckets, numberOf, deepShare: deep });
}

interface Whole extends FlameInput {
  readonly functions: Functions;
  readonly tree: PairTable;
  readonly total: Float64Array;
  readonly kindTexts: readonly { readonly bucket: Bucket; readonly place: number }[];
  readonly buckets: Bucket[];
  readonly numberOf: (bucket: Bucket) => number;
  readonly deepShare: number;
}

/** Numbers of a node: see `FlameNodes`. */
const FIELDS = 4;

function drawn(whole: Whole): FlameTree {
  const { tree, total, kindTexts, functions, numberOf } = whole;
  const least = leastDrawn(total);
  const names: string[] = [];
  const nameNumber = new Map<string, number>();
  const nameOf = (raw: string): number => {
    const text = truncateMiddle(cleanText(raw), LONGEST_NAME);
    const known = nameNumber.get(text);
    if (known !== undefined) return known;
    nameNumber.set(text, names.length);
    return names.push(text) - 1;
  };
  const nodes: number[] = [];
  const add = (above: number, name: string, weight: number, bucket?: Bucket): number => {
    const number = bucket === undefined ? -1 : numberOf(bucket);
    return nodes.push(above, nameOf(name), Math.round(weight), number) / FIELDS - 1;
  };
  const root = add(-1, whole.name, 0);
  let sum = 0;
  const drawnAs = new Int32Array(total.length).fill(-1);
  const pooled = new Map<number, { count: number; weight: number }>();
  for (let node = 0; node < total.length; node += 1) {
    const above = tree.left[node] as number;
    const parent = above < 0 ? root : (drawnAs[above] as number);
    const weight = total[node] as number;
    if (above < 0) sum += weight;
    // Below one that is pooled itself.
    if (parent < 0) continue;
    if (weight < least) {
      const pool = pooled.get(parent) ?? { count: 0, weight: 0 };
      pooled.set(parent, { count: pool.count + 1, weight: pool.weight + weight });
      continue;
    }
    const { bucket, place } = kindTexts[tree.right[node] as number] ?? { bucket: 'unclassified', place: 0 };
    const frame = functions.frames[place];
    drawnAs[node] = add(parent, frame === undefined ? '?' : functionText(frame), weight, bucket);
  }
  let pooledWeight = 0;
  let pooledNodes = 0;
  for (const [parent, { count, weight }] of pooled) {
    pooledWeight += weight;
    pooledNodes += count;
    if (weight > 0) add(parent, `(${count} too small to draw)`, weight, 'unclassified');
  }
  for (const { bucket, name, share } of whole.others) {
    if (share <= 0) continue;
    const weight = Math.round(share * WHOLE);
    add(root, name, weight, bucket);
    sum += weight;
  }
  nodes[root * FIELDS + 2] = sum;
  return {
    names,
    nodes,
    buckets: whole.buckets,
    pooledShare: pooledWeight / WHOLE,
    pooledNodes,
    deepShare: whole.deepShare,
  };
}

/** Least weight that is drawn: what can be seen, and no more nodes than a page can hold. */
function leastDrawn(total: Float64Array): number {
  const visible = total.filter((weight) => weight >= LEAST);
  if (visible.length <= MOST_NODES) return LEAST;
  visible.sort();
  return (visible[visible.length - MOST_NODES] as number) + 1;
}
