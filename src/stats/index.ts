export type { SampleCount } from '../rules/index.js';
export type {
  Agreement,
  BucketShare,
  LeafCounts,
  Pool,
  Pools,
  SamplerPriority,
  ThreadEstimate,
  Totals,
} from './thread-estimate.js';
export { totals } from './totals.js';
export { poolAccounting, poolThreads } from './pool-accounting.js';
export { estimateThread } from './estimate-thread.js';
export type { EstimateInput } from './estimate-thread.js';
export { stateShares } from './state-share.js';
export { besideThread } from './beside.js';
export type { Beside } from './beside.js';
export { gilWaits } from './gil-holders.js';
export type { GilWait } from './gil-holders.js';
export { estimateByStates } from './states-estimate.js';
export type { StateCount, StatesInput } from './states-estimate.js';
export { leafCounts, leafKind, stateLeaves } from './leaf-counts.js';
export { poolShare } from './pool-share.js';
export { FLOOR, countingHalfWidth, interval, rawInterval } from './interval.js';
export type { Interval } from './interval.js';
export { agreement } from './agreement.js';
export { observerEffect } from './observer-effect.js';
export type { ObserverEffect } from './observer-effect.js';
export { LOST, NOT_SAMPLED } from './bucket-rows.js';
export { WALL_ABOVE_CPU_WAIT, WALL_ABOVE_GIL } from './pools.js';
export { studentT95, studentT99 } from './student-t.js';
export { GilTally } from './exact-gil.js';
export type { ExactGil, GilAsked } from './exact-gil.js';
export { gilUse, windowUse } from './gil-windows.js';
export type { GilUse, WindowUse } from './gil-windows.js';
export { contest } from './contest.js';
export type { Contest, Contestant, Lot } from './contest.js';
