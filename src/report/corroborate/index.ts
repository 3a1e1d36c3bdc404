export { corroborate } from './corroboration.js';
export type {
  Corroborated,
  Corroboration,
  CorroborationAnswer,
  CorroborationQuery,
} from './corroboration.js';
export { corroborationText } from './corroboration-text.js';
export { corroborationJson } from './corroboration-json.js';
export type { CorroborationLine, Figure, Subject, Verdict } from './line.js';
export type { Difference, RecordedRun } from './same-run.js';
export { isInstalled } from './spike-holder.js';
export type { Sampled, SampledThread } from './sampled.js';
