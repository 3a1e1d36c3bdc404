export type {
  Blocking,
  CheckedPhases,
  Claim,
  FramePattern,
  FramePatterns,
  Remedy,
  Rule,
  RuleLabel,
  RulePack,
  StepCalls,
} from './rule.js';
export { builtInPacks } from './packs/index.js';
export { compileRules } from './rule-set.js';
export type { RuleSet } from './rule-set.js';
export { classifyProfile, classifyStack, UNCLAIMED } from './classify.js';
export { explainStack } from './explain.js';
export type { ExplainedFrame, Explanation, Trial } from './explain.js';
export { countRules, countSamples, leafState } from './breakdown.js';
export type { RuleCount } from './breakdown.js';
export type { LeafState, SampleCount } from './sample-count.js';
export { findPhysicsThread } from './physics-thread.js';
export type { PhysicsThread } from './physics-thread.js';
export { parseThreadSelector, selectThread, threadText } from './thread-selector.js';
export type { ThreadSelector } from './thread-selector.js';
export { roleOfName, stacksInPools, threadRole } from './thread-role.js';
export type { ThreadRole } from './thread-role.js';
export { withNativeLeaves } from './native-leaves.js';
export { phaseResolution, uncheckedVersionFindings } from './phase-resolution.js';
export type { PhaseResolution } from './phase-resolution.js';
export { claimFindings } from './claim-findings.js';
export { parseFoldedFrames } from './folded-frames.js';
export { runExamples } from './pack-examples.js';
export type { ExampleRun, FailedExample } from './pack-examples.js';
export { parseRulePack } from './load-user-pack.js';
export { draftRulePack } from './load-draft-pack.js';
export type { Draft, DraftRequest, DraftStack } from './draft-pack.js';
