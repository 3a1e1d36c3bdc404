import type { Bucket, Finding } from '../model/index.js';

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
}

/** Samples of one thread that belong together: one bucket, sub-kind and label. */
export interface SampleCount {
  readonly bucket: Bucket;
  readonly kind?: string;
  readonly label?: string;
  /** Leaf is work (the R of F1), a sleep (S), or another blocking call. */
  readonly leaf: 'work' | 'sleep' | 'wait';
  readonly samples: number;
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
  /** What the samples alone say. */
  readonly rawShare: number;
  /** Part of the time that is neither pacer, idle nor waiting; absent for those. */
  readonly ofWork?: number;
  /** (1 - pacer) / (1 - pacer - share): unpaced speed-up if this cost nothing; absent for waits, pacer, idle. */
  readonly ceiling?: number;
}

export interface ThreadEstimate {
  /** `net`: waits are buckets of their own. `wall`: waits are inside the buckets. `samples`: no accounting at all (a bare file). */
  readonly mode: 'net' | 'wall' | 'samples';
  readonly totals?: Totals;
  readonly samples: number;
  /** Samples without a usable stack, the sampler's own errors included. */
  readonly lost: number;
  /** By share, largest first, ties by bucket order; sums to 1. */
  readonly rows: readonly BucketShare[];
  /** What one sample is worth in wall share, by the kind of its leaf: so that `hot` and `buckets` agree. */
  readonly perSample: { readonly work: number; readonly sleep: number; readonly wait: number };
  readonly findings: readonly Finding[];
}
