export type { GilRange, Runtime, Target, TargetThread } from './target.js';
export { findTarget } from './find-target.js';
export type { TargetQuery } from './find-target.js';
export { programOf, sameProcess, threads } from './process.js';
export { findGilRange } from './python/gil-range.js';
export { pthreadTids } from './python/pthread-tids.js';
export { pythonSupport } from './python/support.js';
export { probeTrace } from './probe-trace.js';
export type { TraceProbeOptions } from './probe-trace.js';
export { probeRealtime, REALTIME_PRIORITY } from './probe-realtime.js';
export type { Realtime, RealtimeGate } from './probe-realtime.js';
export { diagnosePySpy } from './pyspy-diagnosis.js';

export { PROC } from './proc/file.js';
export { readCommand, readExe } from './proc/command.js';
export type { ProcExe } from './proc/command.js';
export { readMaps } from './proc/maps.js';
export type { MapRegion } from './proc/maps.js';
export { hasEnded, isKernelThread, readStat, schedulingPolicy, TICKS_PER_SECOND } from './proc/stat.js';
export type { ProcStat } from './proc/stat.js';
export { readStatus } from './proc/status.js';
export type { ProcStatus } from './proc/status.js';
export { listThreads, parseSchedStat, readSchedStat } from './proc/tasks.js';
export type { SchedStat } from './proc/tasks.js';

export { findPySpy } from './tools/find-pyspy.js';
export type { PySpy, PySpyQuery, ToolSource } from './tools/find-pyspy.js';
export { installPySpy } from './tools/install-pyspy.js';
export type { InstalledTool, InstallOptions } from './tools/install-pyspy.js';
export { toolsFolder } from './tools/folder.js';
export type { Environment } from './tools/folder.js';
export { PYSPY_VERSION } from './tools/release.js';

export type { Engine } from './docker/engine.js';
export type { Container } from './docker/container.js';
export { isInUse, openJournal, readJournals } from './journal/journal.js';
export type { Journal, JournalEntry, OverrideUndo, Trace } from './journal/journal.js';
export type { Route, RouteContext, RoutedProcess, RouteId, RouteKind, RouteProbe } from './routes/route.js';

export { COMPOSE, KIND_LABEL, SESSION_LABEL, TARGET_LABEL } from './docker/labels.js';
export { runExec, startExec } from './docker/exec.js';
export type { ContainerExec, ExecEnd, ExecRequest, ExecResult } from './docker/exec.js';
export { getFile, putFile, statFile, tarOf } from './docker/archive.js';
export type { FileFacts, PutFile } from './docker/archive.js';

export { planOverride } from './compose/plan.js';
export type { OverridePlan, OverrideQuery } from './compose/plan.js';
export { applyOverride } from './compose/apply.js';
export type { AppliedOverride, ApplyEvent, ApplyOptions } from './compose/apply.js';
export { restoreOverride } from './compose/restore.js';
export type { RestoredOverride, RestoreOptions } from './compose/restore.js';
export { adoptOverride } from './compose/adopt.js';
export { listOverrides } from './compose/override-journal.js';
export type { JournalledOverride } from './compose/override-journal.js';
export type { ServiceInstance } from './journal/journal.js';
export { openEngine } from './docker/connect.js';
export type { EngineSearch } from './docker/connect.js';
export { chooseRoute, planRoute, ROUTE_KINDS } from './routes/choose-route.js';
export type { ChosenRoute, UntriedRoute, Via } from './routes/choose-route.js';
