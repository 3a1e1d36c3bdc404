export type {
  Breakdown,
  BucketAnswer,
  GilPlace,
  GilWindows,
  Hot,
  HeldBy,
  HotBy,
  HotPlace,
  HotRow,
  Overlap,
  RealTime,
  Rival,
  RunFacts,
  SourceListing,
  SourceRef,
  ThreadAnswer,
  Tree,
  TreeNode,
  Window,
} from './answer.js';
export { breakdownText, inReadingOrder, threadLines } from './breakdown-text.js';
export { bar, stackedBar } from './bar.js';
export { callTrees } from './call-tree.js';
export { cleanupText } from './cleanup-text.js';
export type { CleanupAnswer, CleanupLine } from './cleanup-text.js';
export { colors } from './colors.js';
export type { Colors } from './colors.js';
export { doctorText } from './doctor-text.js';
export type { DoctorAnswer, DoctorLine } from './doctor-text.js';
export { alarmLines, byLevel, errorText, noteLines, wrap } from './findings-text.js';
export { busyShare, headline } from './headline.js';
export { gilConvoy } from './gil-convoy.js';
export { hotText } from './hot-text.js';
export { breakdownJson, errorJson, hotJson, JSON_SCHEMA, objectText, profileJson, treeJson } from './json.js';
export { seenWeight } from './seen-weight.js';
export { bucketText, frameLabel, functionText, threadName, threadLabel } from './names.js';
export { count, interval, percent, plural, times, weightText, wholePercent } from './share-text.js';
export { sourceText } from './source-text.js';
export { table, tableLines } from './table.js';
export type { Column, Table, TextStyle } from './table.js';
export { cleanText, displayWidth, safeJson, truncateMiddle, truncateCallers } from './terminal-text.js';
export { threadsJson } from './threads-json.js';
export { threadsText } from './threads-text.js';
export type { GilHolder, ThreadWaits, WaitPlace, WaitRow, Waits } from './waits.js';
export { callerName, gilAgrees, timedGilFinding, timedGilText } from './exact-gil.js';
export type { TimedGil } from './exact-gil.js';
export { waitsJson } from './waits-json.js';
export { waitsText } from './waits-text.js';
export { treeText } from './tree-text.js';
export { hotRows, threadField } from './hot-rows.js';
export type { HotQuery, HotRows, Worth } from './hot-rows.js';
export {
  compareText,
  grouped,
  leavesOf,
  MOST_UNKNOWN_STATES,
  poolSamples,
  stackFrames,
  waitingOf,
} from './selection.js';
export type { Pooled, Selection } from './selection.js';
export { flameTree } from './flame-tree.js';
export type { FlameInput, FlameTree } from './flame-tree.js';
export type { Flame, RecordedFacts, Report } from './report.js';
export type { Span, Timeline, TimelineCell } from './timeline.js';
export { nsysFindings, nsysRunJson, nsysRunText } from './nsys-run.js';
export type { NsysRun } from './nsys-run.js';
export { reportHtml } from './report-html.js';
export type { PageAssets } from './report-html.js';
export { reportMarkdown } from './report-markdown.js';
export { binLength, overTime } from './over-time.js';
export type { OverTime, OverTimeFacts } from './over-time.js';
export type { Change } from './changes.js';
export type { OverTimeRow, TimeBin } from './time-bins.js';
export { binsThatFit, changeTexts, overTimeJson, overTimeText } from './over-time-text.js';
export type { OverTimeAnswer } from './over-time-text.js';
export { lostLines, secondText } from './header-text.js';
export { tablesCsv, tablesJson } from './tables-json.js';
export { tablesText } from './tables-text.js';
export { byNamedStep } from './by-named-step.js';
export type { ByNamedStep } from './by-named-step.js';
export { byNamedStepJson, byNamedStepText } from './by-named-step-text.js';
export type { ByNamedStepAnswer } from './by-named-step-text.js';
export { byStep } from './by-step.js';
export type { ByStep, ByStepFacts, StepRow, StepSet } from './by-step.js';
export { byStepJson, byStepText, groupsThatFit } from './by-step-text.js';
export type { ByStepAnswer } from './by-step-text.js';
export type { Rtf, RtfMeasured } from './rtf.js';
export { rtfJson } from './rtf-json.js';
export { rtfText } from './rtf-text.js';
export type { SourcedTable, Tables } from './tables-text.js';
export { tableChangesCsv, tableChangesJson } from './table-changes-json.js';
export { tableChangesText } from './table-changes-text.js';
export type { ComparedTables } from './table-changes-text.js';
export { corroborate, corroborationJson, corroborationText, isInstalled } from './corroborate/index.js';
export type {
  Corroborated,
  Corroboration,
  CorroborationAnswer,
  CorroborationLine,
  CorroborationQuery,
  Difference,
  RecordedRun,
  Sampled,
  SampledThread,
} from './corroborate/index.js';
