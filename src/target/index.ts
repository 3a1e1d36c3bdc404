export type { GilRange, Runtime, Target, TargetThread } from './target.js';
export { shownPid } from './target.js';
export { findElsewhere } from './routes/find-elsewhere.js';
export { findTarget } from './find-target.js';
export type { TargetQuery } from './find-target.js';
export { programOf, sameProcess, threads } from './process.js';
export { findGilRange } from './python/gil-range.js';
export { interpreterOf } from './python/interpreter-of.js';
export type { Interpreter } from './python/interpreter-of.js';
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
export { frozenGroup } from './proc/frozen.js';
export type { FrozenGroup } from './proc/frozen.js';
export { readMaps } from './proc/maps.js';
export type { MapRegion } from './proc/maps.js';
export {
  hasEnded,
  isKernelThread,
  isWithoutMainThread,
  readStat,
  schedulingPolicy,
  TICKS_PER_SECOND,
} from './proc/stat.js';
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
export { isInUse, openJournal } from './journal/journal.js';
export { notWritten } from './journal/not-written.js';
export { makeFolders } from './make-folders.js';
export { lookIntoJournals, readJournals } from './journal/read-journals.js';
export type { UnreadableJournal } from './journal/read-journals.js';
export type { Journal, JournalEntry, OverrideUndo, Trace } from './journal/journal.js';
export type { Route, RouteContext, RoutedProcess, RouteId, RouteKind, RouteProbe } from './routes/route.js';

export { COMPOSE, KIND_LABEL, SESSION_LABEL, TARGET_LABEL } from './docker/labels.js';
export { runExec, startExec } from './docker/exec.js';
export type { ContainerExec, ExecEnd, ExecRequest, ExecResult } from './docker/exec.js';
export { getFile, putFile, statFile, tarOf } from './docker/archive.js';
export type { FileFacts, PutFile } from './docker/archive.js';

export { planOverride } from './compose/plan.js';
export type { OverridePlan, OverrideQuery } from './compose/plan.js';
export { endZeroX } from './compose/end-zero-x.js';
export { applyOverride, isNeeded } from './compose/apply.js';
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
export type { ChosenRoute, RouteVia, UntriedRoute } from './routes/choose-route.js';
export { nodeSidecarCommands, nodeSidecarObstacle, openNodeSidecar } from './routes/node-sidecar.js';
export type { NodeSidecar, NodeSidecarContext, SidecarProgram } from './routes/node-sidecar.js';
export { findContainer } from './docker/find-container.js';
export { findService } from './docker/find-service.js';
export type { ServiceQuery } from './docker/service-query.js';
export { inspectContainer } from './docker/inspect.js';
export { changedError, containerNow } from './docker/container-now.js';
export type { ContainerNow } from './docker/container-now.js';
export type { Condition, Inspected } from './docker/inspect.js';
export { runningContainer } from './docker/running.js';

export { cleanUp } from './cleanup/clean-up.js';
export type { Cleanup, CleanupOptions } from './cleanup/clean-up.js';
export type { CleanupItem } from './cleanup/remedy.js';
export { diagnose } from './doctor/diagnose.js';
export type { DiagnosedTarget, DiagnoseOptions } from './doctor/diagnose.js';
export type { Check } from './doctor/check.js';
export { findInContainer } from './find-in-container.js';
export type { ContainerQuery } from './find-in-container.js';
export { DWARF_BYTES, PERF_ENVIRONMENT, perfRecordArgs } from './perf/perf-mode.js';
export type { PerfMode } from './perf/perf-mode.js';
export { diagnosePerf } from './perf/perf-refusal.js';
export { perfRoute, probePerf } from './perf/perf-route.js';
export type { PerfContext, PerfProbe, PerfRoute } from './perf/perf-route.js';
export { childrenOf } from './proc/children.js';
export { drawZeroX, findZeroX } from './tools/find-0x.js';
export type { ZeroX } from './tools/find-0x.js';
export { findNsys } from './tools/find-nsys.js';
export type { Nsys } from './tools/find-nsys.js';
export { runTool } from './tools/run-tool.js';
export type { ToolRun } from './tools/run-tool.js';
export { findPerf } from './tools/find-perf.js';
export type { Perf } from './tools/find-perf.js';
export { findProgram } from './launch/find-program.js';
export { inForeground } from './launch/foreground.js';
export { isLauncher, launchFacts, launchOf } from './launch/launcher.js';
export type { Launch, LaunchFacts } from './launch/launcher.js';
export { startProgram } from './launch/start-program.js';
export type { Program, ProgramEnd } from './launch/start-program.js';
export { timeProgram } from './launch/time-program.js';
export type { TimedProgram } from './launch/time-program.js';
export { nodeOutlook, nodeRoute, probeNode } from './node/node-route.js';
export type { NodeContext, NodeOutlook, NodeProbe, NodeRoute } from './node/node-route.js';
export { raiseSamplingThreads, samplingPolicy } from './node/sampling-threads.js';
export type { NodeSliceFacts, ProfiledThread } from './node/inspector/record.js';
export type { LoopFigures } from './node/inspector/loop-watch.js';

export { HIT_COST_S, openStepProbe, plannedStepProbe } from './steps/step-probe.js';
export type { StepProbe, StepProbeOptions } from './steps/step-probe.js';
export { openGilProbe, plannedGilProbe } from './gil/gil-probe.js';
export type { GilProbe } from './gil/gil-probe.js';
export type { GilTaken } from './gil/gil-waits.js';
export type { NoTracing } from './tracing/tracefs.js';
export { codeName } from './elf/code-name.js';
export type { CodeName } from './elf/code-name.js';
export type { ProbedFunction, WantedFunctions } from './tracing/probed-function.js';
export type { StepHit } from './steps/step-hits.js';
export { learnWorlds, simulatedS, steppedBy, timestepNow } from './steps/worlds.js';
export type { World, Worlds } from './steps/worlds.js';
export { clockProbe } from './clock/clock-probe.js';
export { pidOfContainer } from './routes/container-pid.js';
export type { ClockProbe, ClockProbeRequest, ClockWay } from './clock/clock-probe.js';
