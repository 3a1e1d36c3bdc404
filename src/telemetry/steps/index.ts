import { StepProfiler } from './step-profiler.js';

export { StepProfiler };
export type { PhaseOptions, StepOptions } from './step-profiler.js';
export type { PhaseName } from './phase-kind.js';
export type { StepHost, StepProfilerOptions, StepSettings } from './step-options.js';
export type { Phase, StepSample } from './step-sample.js';
export type { LagSpike } from './lag-spike.js';
export type { HalStat } from './hal-stats.js';
export type { Instrumented } from './instrumented.js';
export type { LoopDelay } from './loop-watch.js';
export type { GcTotals } from './step-report.js';
export type { Environment as StepEnvironment } from './step-environment.js';
export type { StepTraces } from './step-traces.js';

/** A profiler as the environment asks for it, or undefined. */
export const fromEnv: typeof StepProfiler.fromEnv = (env, more) => StepProfiler.fromEnv(env, more);

/** Writes the traces that were kept in memory, and answers the paths of those that are whole. */
export const flushTraces: typeof StepProfiler.flushTraces = () => StepProfiler.flushTraces();
