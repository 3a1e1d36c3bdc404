export { readRawSamples } from './raw-samples.js';
export { RECORDING_SCHEMA } from './recording.js';
export type {
  MachineCpu,
  NativeSlice,
  PrintedText,
  RecordedTarget,
  Recording,
  Slice,
  SliceSampler,
  SliceThread,
  SourceFile,
} from './recording.js';
export { MANIFEST, readManifest, writeRecording } from './manifest-file.js';
export { readRecording, readSlices } from './read-recording.js';
export { sliceStart, timeOrigin } from './time-origin.js';
export type { LoadedRecording } from './read-recording.js';
export { newRecordingFolder, recordingsFolder } from './recordings-folder.js';
export { rememberRecording } from './last-recording.js';
export { listRecordings } from './list-recordings.js';
export type { RecordingEntry, RecordingList } from './list-recordings.js';
export { findRecording, isRecordingFolder } from './find-recording.js';
export { isOfSampler, unfinishedFinding } from './unfinished-recording.js';
export type { UnfinishedRecording } from './unfinished-recording.js';
export { pruneRecordings } from './prune-recordings.js';
export type { PruneWish, Pruned, PrunedEntry } from './prune-recordings.js';
export { foldPerfSlice } from './perf-slice.js';
export type { FoldedPerf, PerfWindow } from './perf-slice.js';
export { parseStepStamps, readStepStamps, STEP_FILE, stepLine } from './step-stamps.js';
export { eachGilStamp, GIL_FILE, gilLine, parseGilLine } from './gil-stamps.js';
export type { GilStamp } from './gil-stamps.js';
export type { StepStamps } from './step-stamps.js';
export type { GilCaller, RecordedGil, RecordedSteps, StepPhase } from './recording.js';
