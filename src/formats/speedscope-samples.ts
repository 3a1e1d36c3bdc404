import { heaviestStacks } from '../model/index.js';
import type { Profile, StackTable } from '../model/index.js';

/** Stands for a stretch of time in which the thread has no sample. */
export const GAP = -2;

/** Samples of one thread as speedscope shows them, from left to right. */
export interface ThreadSamples {
  /** Index into the profile's threads. */
  readonly thread: number;
  /** In order of time; else pooled by stack, heaviest first. */
  readonly timed: boolean;
  /** Row of the stack table; -1: no usable stack; `GAP`. */
  readonly stack: Int32Array;
  /** In the unit of the profile. */
  readonly weight: Float64Array;
}

/** The samples of every thread that has some, the thread with the most first. In order of time where the profile has times. */
export function samplesByThread(profile: Profile): ThreadSamples[] {
  const { timeNs } = profile.samples;
  return byWeight(timeNs === undefined ? pooled(profile) : timed(profile, timeNs));
}

/** The same without times, which is never more. */
export function pooledByThread(profile: Profile): ThreadSamples[] {
  return byWeight(pooled(profile));
}

/** Frames of every stack; what a file costs is the sum of them over its samples. */
export function stackDepths({ length, parent }: StackTable): Int32Array {
  const depth = new Int32Array(length);
  for (let row = 0; row < length; row += 1) {
    const above = parent[row] as number;
    depth[row] = above < 0 ? 1 : (depth[above] as number) + 1;
  }
  return depth;
}

function byWeight(threads: ThreadSamples[]): ThreadSamples[] {
  const total = new Map(threads.map((one) => [one, weightOf(one)]));
  return threads.sort((a, b) => (total.get(b) ?? 0) - (total.get(a) ?? 0) || a.thread - b.thread);
}

/** Weight of a thread's samples, without gaps. */
export function weightOf({ stack, weight }: Pick<ThreadSamples, 'stack' | 'weight'>): number {
  let sum = 0;
  for (let at = 0; at < weight.length; at += 1) if (stack[at] !== GAP) sum += weight[at] as number;
  return sum;
}

function pooled(profile: Profile): ThreadSamples[] {
  const rows = new Map<number, { readonly stack: number[]; readonly weight: number[] }>();
  for (const { stack, thread, weight } of heaviestStacks(profile, Number.POSITIVE_INFINITY)) {
    const own = rows.get(thread) ?? { stack: [], weight: [] };
    own.stack.push(stack);
    own.weight.push(weight);
    rows.set(thread, own);
  }
  return [...rows].map(([thread, own]) => ({
    thread,
    timed: false,
    stack: Int32Array.from(own.stack),
    weight: Float64Array.from(own.weight),
  }));
}

/** What is shorter than this between two samples is the rounding of their times. */
const LEAST_GAP_NS = 1;

/** Each thread begins with its first sample. Counted samples last one each: their times say the order, and no more. */
function timed(profile: Profile, timeNs: Float64Array): ThreadSamples[] {
  const { samples, unit } = profile;
  const order = Int32Array.from(timeNs, (_, row) => row);
  order.sort((a, b) => (timeNs[a] as number) - (timeNs[b] as number) || a - b);
  const rows = new Map<number, { readonly stack: number[]; readonly weight: number[]; endNs: number }>();
  for (const row of order) {
    const thread = samples.thread[row] as number;
    const startNs = timeNs[row] as number;
    const weight = samples.weight[row] as number;
    const own = rows.get(thread) ?? { stack: [], weight: [], endNs: startNs };
    rows.set(thread, own);
    if (unit === 'nanoseconds' && startNs - own.endNs >= LEAST_GAP_NS) {
      own.stack.push(GAP);
      own.weight.push(startNs - own.endNs);
    }
    own.stack.push(samples.stack[row] as number);
    own.weight.push(weight);
    own.endNs = Math.max(own.endNs, startNs + weight);
  }
  return [...rows].map(([thread, own]) => ({
    thread,
    timed: true,
    stack: Int32Array.from(own.stack),
    weight: Float64Array.from(own.weight),
  }));
}
