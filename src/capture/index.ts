export type { CaptureEvent, CaptureRequest, Plan, PlannedCommand } from './request.js';
export { dryRun } from './plan.js';
export { record, type RecordOptions } from './record.js';
export { claimFolder } from './recording-folder.js';
