import type { Bucket } from '../model/index.js';

/** What the leaf of a sample does: work, a sleep or poll, or another blocking call. */
export type LeafState = 'work' | 'sleep' | 'wait';

/** Samples of one thread that belong together: one bucket, sub-kind and label. */
export interface SampleCount {
  readonly bucket: Bucket;
  readonly kind?: string;
  readonly label?: string;
  readonly leaf: LeafState;
  readonly samples: number;
}
