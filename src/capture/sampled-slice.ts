import type { PlannedSlice } from './backends/index.js';
import type { BesideSlice } from './beside.js';
import type { SamplerRun } from './sampler-run.js';
import type { Snapshot } from './thread-readings.js';

/** A slice whose samples are on disk. */
export interface SampledSlice {
  readonly planned: PlannedSlice;
  readonly run: SamplerRun;
  readonly startNs: bigint;
  readonly snapshots: readonly Snapshot[];
  /** What perf wrote beside it. */
  readonly beside?: BesideSlice;
}
