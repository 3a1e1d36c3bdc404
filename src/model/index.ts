export type { Frame, FrameKind } from './frame.js';
export type { Thread } from './thread.js';
export type { Lost, Origin, Profile, SampleTable, StackTable, WeightUnit } from './profile.js';
export type { Finding, FindingLevel } from './finding.js';
export { ProfilerError } from './finding.js';
export type { ThreadAccounting, ThreadStates } from './accounting.js';
export type { LoopRate } from './loop-rate.js';
export { BUCKETS } from './bucket.js';
export type { Bucket } from './bucket.js';
