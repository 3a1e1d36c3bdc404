import type { Bucket, StateWeights } from '../model/index.js';
import type { SampleCount } from '../rules/index.js';
import type { LeafCounts } from './thread-estimate.js';

/** How a sample counts: waiting for the GIL or a CPU has a pool of its own, whatever its leaf looks like. */
export function leafKind(bucket: Bucket, leaf: SampleCount['leaf']): keyof LeafCounts {
  return bucket === 'gil-wait' || bucket === 'cpu-wait' ? 'gil' : leaf;
}

/** Samples that know their state by what they count as: see `LeafCounts`. Those of unknown state count as nothing. */
export function stateLeaves(states: StateWeights): LeafCounts {
  return {
    work: states.running,
    sleep: states.sleep + states.blocked,
    wait: states['cpu-wait'],
    gil: states['gil-wait'],
  };
}

/** Samples by the kind of their leaf. */
export function leafCounts(counts: readonly SampleCount[]): LeafCounts {
  const sum = { work: 0, sleep: 0, wait: 0, gil: 0 };
  for (const count of counts) sum[leafKind(count.bucket, count.leaf)] += count.samples;
  return sum;
}
