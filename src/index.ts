/**
 * The public door for programs: read a profile or a recording, sort it into buckets, estimate shares, print. What the
 * command line adds is processes, files and exit codes.
 */
export { FORMATS, readProfile } from './formats/index.js';
export type { Chunks, Format, ReadOptions, Sniffed } from './formats/index.js';
export * from './model/index.js';
export { findRecording, listRecordings, readRecording } from './recording/index.js';
export type { LoadedRecording, Recording, RecordingEntry, Slice } from './recording/index.js';
export {
  breakdownJson,
  breakdownText,
  hotJson,
  hotRows,
  hotText,
  poolSamples,
  profileJson,
  threadsJson,
  threadsText,
} from './report/index.js';
export type {
  Breakdown,
  BucketAnswer,
  Hot,
  HotBy,
  HotQuery,
  HotRow,
  HotRows,
  TextStyle,
  ThreadAnswer,
} from './report/index.js';
export {
  builtInPacks,
  classifyProfile,
  classifyStack,
  compileRules,
  countSamples,
  explainStack,
  findPhysicsThread,
  parseRulePack,
} from './rules/index.js';
export type { Claim, Rule, RulePack, RuleSet } from './rules/index.js';
export { estimateThread, observerEffect, poolShare, poolThreads, totals } from './stats/index.js';
export type { BucketShare, EstimateInput, ThreadEstimate, Totals } from './stats/index.js';
