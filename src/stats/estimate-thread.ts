import type { SampleCount } from '../rules/index.js';
import { bucketRows } from './bucket-rows.js';
import { checks } from './checks.js';
import { leafCounts } from './leaf-counts.js';
import { perSample } from './pool-share.js';
import { pool } from './pools.js';
import type { SamplerPriority, ThreadEstimate, Totals } from './thread-estimate.js';

export interface EstimateInput {
  /** Samples of one thread with a usable stack. Leave `kind` and `label` out to get whole buckets. */
  readonly counts: readonly SampleCount[];
  /** Absent for a bare file. */
  readonly totals?: Totals;
  /** Samples without a usable stack, the sampler's own errors included. */
  readonly lostTicks: number;
  /** Rate times window. */
  readonly expectedSamples?: number;
  readonly priority: SamplerPriority;
  /** The line that would give the sampler real-time priority here. */
  readonly priorityFix?: string;
  /** Sleeps of the thread's loop per second, where known: fast loops carry more bias in wall shares. */
  readonly loopRateHz?: number;
  /** Each sample knows whether its thread ran, waited for a CPU or blocked, as those of perf with switches do. */
  readonly statesKnown?: true;
  /** Share of the time by which the sampler may see too much sleep by its nature. */
  readonly sleepSlack?: number;
  /** Systematic error of this sampler on this loop, as a share: it goes in step with it, or costs it what is not known exactly. */
  readonly samplerBias?: number;
}

/**
 * The wall time of one thread by bucket: samples split what the kernel's totals measure (F1, F3), with 95 % intervals
 * (F4) and the checks that can be made without knowing the truth (C1, S2).
 *
 * Samples are never rescaled to the kernel's running and waiting time: a wait for the GIL looks like running, and a
 * wait for a CPU after a wake-up still shows the sleeping line, which makes that up to 94 points wrong.
 */
export function estimateThread(input: EstimateInput): ThreadEstimate {
  // Waits for a CPU that are known as such are the kernel's row alone.
  const counted =
    input.statesKnown === true ? input.counts.filter(({ bucket }) => bucket !== 'cpu-wait') : input.counts;
  const counts = leafCounts(counted);
  const samples = input.counts.reduce((sum, count) => sum + count.samples, 0);
  const pooled = pool({ ...input, counts, lost: input.lostTicks });
  return {
    mode: pooled.pools.mode,
    ...(input.totals === undefined ? {} : { totals: input.totals }),
    samples,
    lost: input.lostTicks,
    rows: bucketRows(input.counts, pooled),
    perSample: perSample(pooled.pools),
    pools: pooled.pools,
    ...(pooled.agreement === undefined ? {} : { agreement: pooled.agreement }),
    findings: checks({ ...input, pooled, samples, lost: input.lostTicks }),
  };
}
