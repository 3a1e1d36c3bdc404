export type { CaptureEvent, Beside, CaptureRequest, Plan, PlannedCommand, PlannedRoute } from './request.js';
export { plannedCpython, probeCpython } from './cpython-direct.js';
export { plannedCpythonSidecar, probeCpythonSidecar } from './cpython-sidecar.js';
export { dryRun } from './plan.js';
export { record, type RecordOptions } from './record.js';
export { claimFolder } from './recording-folder.js';
export type { SliceVerdict } from './loop-slices.js';
export { type DumpedStack, dumpStacks, type StackDump } from './stack-dump.js';
export { readThreads, type Snapshot, type ThreadReading } from './thread-readings.js';
