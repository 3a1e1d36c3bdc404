import {
  type Bucket,
  type Frame,
  type Profile,
  SAMPLE_STATES,
  type StateWeights,
  framesOf,
} from '../model/index.js';
import type { Claim } from '../rules/index.js';
import { type LeafCounts, stateLeaves } from '../stats/index.js';

/** Everything of one thread that was seen with one stack. `stack` is a row of the stack table, or -1. */
export interface Pooled {
  readonly stack: number;
  readonly thread: number;
  readonly weight: number;
  /** The same by what the thread did, where the samples of the whole thread tell it. */
  readonly states?: StateWeights;
}

const NO_LEAVES: LeafCounts = { work: 0, sleep: 0, wait: 0, gil: 0 };

/** What the samples count as: by their states where they tell them, else all by their leaf. */
export function leavesOf(
  { stack, weight, states }: Pooled,
  leafOf: (stack: number) => keyof LeafCounts,
): LeafCounts {
  return states === undefined ? { ...NO_LEAVES, [leafOf(stack)]: weight } : stateLeaves(states);
}

/** Weight that waits for the GIL or a CPU, where samples tell it: it has no share. */
export function waitingOf({ states }: Pick<Pooled, 'states'>): number {
  return states === undefined ? 0 : states['gil-wait'] + states['cpu-wait'];
}

/** More samples of unknown state than this part, and the states of a thread tell nothing. */
export const MOST_UNKNOWN_STATES = 0.05;

/** Which samples an answer is about. */
export interface Selection {
  /** Indexes into the profile's threads; absent: all. */
  readonly threads?: ReadonlySet<number>;
  readonly bucket?: Bucket;
  readonly kind?: string;
}

/** Samples pooled by thread and stack, in the order of threads and stacks; equal input in any order gives equal output. */
export function poolSamples(
  profile: Profile,
  selection: Selection,
  claimOf: (stack: number) => Claim,
): Pooled[] {
  const { samples, stacks } = profile;
  const byThread = new Map<number, number[]>();
  for (let row = 0; row < samples.length; row += 1) {
    const thread = samples.thread[row] ?? 0;
    if (selection.threads !== undefined && !selection.threads.has(thread)) continue;
    const rows = byThread.get(thread);
    if (rows === undefined) byThread.set(thread, [row]);
    else rows.push(row);
  }
  const weight = new Float64Array(stacks.length + 1);
  const stated = samples.state === undefined ? undefined : new Float64Array(EACH * (stacks.length + 1));
  const pooled: Pooled[] = [];
  for (const [thread, rows] of [...byThread].sort(([a], [b]) => a - b)) {
    let all = 0;
    let unknown = 0;
    for (const row of rows) {
      const slot = (samples.stack[row] ?? -1) + 1;
      const own = samples.weight[row] ?? 0;
      weight[slot] = (weight[slot] ?? 0) + own;
      if (stated === undefined) continue;
      const state = samples.state?.[row] ?? 0;
      const at = EACH * slot + state;
      stated[at] = (stated[at] ?? 0) + own;
      all += own;
      if (state === 0) unknown += own;
    }
    const known = stated !== undefined && unknown <= MOST_UNKNOWN_STATES * all;
    for (const row of rows) {
      const stack = samples.stack[row] ?? -1;
      const sum = weight[stack + 1] ?? 0;
      if (sum === 0) continue;
      weight[stack + 1] = 0;
      const states = stated === undefined ? undefined : takeStates(stated, stack + 1);
      if (!isSelected(selection, claimOf, stack)) continue;
      pooled.push({ stack, thread, weight: sum, ...(known && states !== undefined ? { states } : {}) });
    }
  }
  return pooled;
}

const EACH = SAMPLE_STATES.length;

/** Weights of one stack by state, which leave the table. */
function takeStates(stated: Float64Array, slot: number): StateWeights {
  const from = EACH * slot;
  const [unknown = 0, running = 0, cpuWait = 0, gilWait = 0, sleep = 0, blocked = 0] = stated.subarray(
    from,
    from + EACH,
  );
  stated.fill(0, from, from + EACH);
  return { unknown, running, 'cpu-wait': cpuWait, 'gil-wait': gilWait, sleep, blocked };
}

function isSelected(selection: Selection, claimOf: (stack: number) => Claim, stack: number): boolean {
  if (selection.bucket === undefined) return true;
  const claim = claimOf(stack);
  return claim.bucket === selection.bucket && (selection.kind === undefined || claim.kind === selection.kind);
}

/** Frames of a stack row, root first; none for -1. */
export function stackFrames(profile: Profile, stack: number): Frame[] {
  return framesOf(profile, stack).flatMap((index) => profile.frames[index] ?? []);
}

/** Items by a key, in the order in which the keys first occur (Map.groupBy needs Node 21). */
export function grouped<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Plain order of code units: the same on every machine, whatever its locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
