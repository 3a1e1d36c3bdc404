import type { Bucket, Finding, SampleState } from '../model/index.js';

/** Exact shares of wall time of one thread, from the kernel; `gilWait`, `sleep`, `otherBlocked` need the state sampler (F2). They sum to 1 with `onCpu` and `cpuWait`. */
export interface Totals {
  readonly wallS: number;
  readonly onCpu: number;
  readonly cpuWait: number;
  readonly blocked: number;
  readonly gilWait?: number;
  readonly sleep?: number;
  readonly otherBlocked?: number;
  readonly voluntaryPerS: number;
  /** Most of `blocked` that may have been work which the host of a virtual machine held up: the kernel charges that time to nobody. */
  readonly stolenAtMost?: number;
  /** Part of the CPU time in use on the machine that the host took; there where `stolenAtMost` is. */
  readonly stolenPart?: number;
}

/** Scheduling class of the sampler while it ran. */
export type SamplerPriority = 'fifo' | 'other' | 'unknown';

/**
 * Samples by the kind of their leaf; `gil` are leaves that the rules recognised as waiting for the GIL or a CPU. Of samples that know their
 * state: `work` ran, `sleep` was blocked in any way but by the GIL, `wait` waited for a CPU, `gil` for the GIL.
 */
export interface LeafCounts {
  readonly work: number;
  readonly sleep: number;
  readonly wait: number;
  readonly gil: number;
}

/** A part of the wall time and the samples that split it. */
export interface Pool {
  readonly share: number;
  readonly samples: number;
}

/** How samples become shares of one thread, and how far that may be off. Shares 0 to 1. */
export interface Pools {
  readonly mode: ThreadEstimate['mode'];
  /** R of F1. In `wall` and `samples` mode this one pool holds every sample and the whole window. */
  readonly work: Pool;
  /** S of F1: sleep, with the CPU time of the sleep call itself. */
  readonly sleep: Pool;
  /** Waiting for the GIL where samples show it (native stacks). */
  readonly gil: Pool;
  /** Which pool holds the `wait` leaves. `nobody`: `wait` and `gil` are rows of their own, worth nothing where they happen. */
  readonly waitsWith: 'work' | 'sleep' | 'nobody';
  /** Part of the work pool whose samples have no stack. */
  readonly lost: Pool;
  /** Known systematic error, added to both ends of every interval. */
  readonly bias: number;
  /** Uncertainty of the border between sleep and the rest, where the kernel did not tell. */
  readonly border: number;
  /** By how much the CPU time of the sleep calls may be another one, which counts as sleep and not as work. */
  readonly moved: number;
  /** Time that may belong to the work pool and is counted as sleep: `Totals.stolenAtMost`. */
  readonly stolen: number;
}

/**
 * Share of samples that sleep, held against the range that the kernel's totals allow (C1). Shares 0 to 1. Of samples that know their state it
 * is the share of those that run, held against the kernel's (S1).
 */
export interface Agreement {
  /** Part of the samples whose leaf sleeps. */
  readonly sampled: number;
  /** Range for it: sleep, and above it all waiting, since a wait after a wake-up still shows the sleeping line. */
  readonly low: number;
  readonly high: number;
  /** What counting noise and one point of slack excuse. */
  readonly tolerance: number;
  /** Distance outside the range in percentage points, 0 inside. */
  readonly points: number;
  readonly side: 'inside' | 'too-little-sleep' | 'too-much-sleep';
  /** Whether the distance is within the tolerance. */
  readonly agrees: boolean;
}

/** One row of the breakdown. Shares of wall time, 0 to 1. */
export interface BucketShare {
  readonly bucket: Bucket;
  readonly kind?: string;
  readonly label?: string;
  readonly share: number;
  readonly low: number;
  readonly high: number;
  /** From the kernel alone: no interval to print. */
  readonly exact: boolean;
  readonly samples: number;
  /** What the samples alone say: part of all samples of the thread, lost ones counted in. */
  readonly rawShare: number;
  /** Part of the time that is neither pacer, idle nor waiting; absent for those. */
  readonly ofWork?: number;
  /** (1 - pacer) / (1 - pacer - share): unpaced speed-up if this cost nothing; absent for waits, pacer, idle, and where it is infinite. */
  readonly ceiling?: number;
}

export interface ThreadEstimate {
  /** `net`: waits are buckets of their own. `wall`: waits are inside the buckets. `samples`: no accounting at all (a bare file). */
  readonly mode: 'net' | 'wall' | 'samples';
  readonly totals?: Totals;
  /** Samples with a stack. */
  readonly samples: number;
  /** Samples without a usable stack, the sampler's own errors included. */
  readonly lost: number;
  /** By share, largest first, ties by bucket order; sums to 1 (no rows at all when nothing is known). */
  readonly rows: readonly BucketShare[];
  /** What one sample is worth in wall share, by the kind of its leaf: so that `hot` and `buckets` agree. */
  readonly perSample: LeafCounts;
  readonly pools: Pools;
  /** Wall share of each state, with the samples that split it; there where the samples know their state. */
  readonly states?: Readonly<Record<SampleState, Pool>>;
  /** How far the samples agree with the kernel; absent without accounting or samples. */
  readonly agreement?: Agreement;
  readonly findings: readonly Finding[];
}
