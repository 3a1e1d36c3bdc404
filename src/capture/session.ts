import { readFileSync } from 'node:fs';
import os from 'node:os';
import type { Finding } from '../model/index.js';
import { type Recording, RECORDING_SCHEMA, type Slice, type SourceFile } from '../recording/index.js';
import { programOf, shownPid } from '../target/index.js';
import type { Backend } from './backends/index.js';
import { type Throttling } from './cpu-quota.js';
import {
  elsewhereFinding,
  gilFinding,
  lostBesideFinding,
  lostSliceFinding,
  policyFinding,
  slicesFindings,
  statesFinding,
  stoppedFinding,
  threadsFinding,
  throttlingFinding,
} from './findings.js';
import { type LoopPhases, loopRates } from './loop-rates.js';
import { loopSlices, type SliceVerdict } from './loop-slices.js';
import type { CpuFollower } from './cpu-follower.js';
import { cpythonFindings } from './cpython-findings.js';
import { nodeFindings } from './node-findings.js';
import type { NodeSlice } from './node-slice.js';
import { perfFindings } from './perf-findings.js';
import { rateMoved } from './exact-rate.js';
import type { CapturePlan } from './plan.js';
import type { CaptureEvent, RatedRequest } from './request.js';
import type { ResolvedPerf } from './resolve-perf.js';
import type { AddressRange } from './state-sampler/syscalls.js';
import type { StateWatch } from './state-watch.js';
import type { GilMeter } from './gil-meter.js';
import type { StepMeter } from './step-meter.js';
import { type ThreadIdMap, threadIdFindings } from './thread-ids.js';
import type { Snapshot } from './thread-readings.js';

/** One capture at work: what it was asked, and what it has so far. Lives as long as `record` runs. */
export interface Session {
  /** Its rate is settled by the first look at the target, and with it the plan. */
  request: RatedRequest;
  /** The rate that the user asked for. */
  readonly wantedHz: number | undefined;
  plan: CapturePlan;
  readonly planOf: (request: RatedRequest) => CapturePlan;
  readonly backend: Backend;
  readonly signal: AbortSignal;
  /** Given when there is enough: what was asked for is recorded. */
  readonly enough: AbortController;
  readonly judge: ((slice: Recording) => Promise<SliceVerdict>) | undefined;
  /** Of each slice, in order; empty without a judge. */
  readonly verdicts: SliceVerdict[];
  /** Whether the recording was ended in the middle of the loop. */
  cut: boolean;
  readonly emit: (event: CaptureEvent) => void;
  /** CLOCK_MONOTONIC in nanoseconds. */
  readonly clock: () => bigint;
  readonly createdAt: string;
  readonly realtimeRefusal: Finding | undefined;
  /** Where a futex is the GIL; undefined where that is not known. */
  readonly gil: AddressRange | undefined;
  /** The target was stopped before we came. */
  readonly stoppedBefore: boolean;
  /** What the target ran when we came, see `programOf`; undefined where that is not told. */
  readonly program: string | undefined;
  /** The target runs another program by now: from then on nothing of it counts. */
  replaced: boolean;
  /** Seconds of the window after which the target's control group was found frozen: the recording ends there. */
  pausedAfterS: number | undefined;
  /** Looks at the state of the target, and how many of them found it stopped by somebody else. */
  readonly stops: { looks: number; stopped: number };
  readonly throttlingBefore: Throttling | undefined;
  /** Thread that is read first and looked at most closely. */
  primary: number;
  watch: StateWatch | undefined;
  follower: CpuFollower | undefined;
  /** Whether the next slice's sampler is kept on the CPU of the primary thread. */
  following: boolean;
  readonly commands: (readonly string[])[];
  readonly slices: Slice[];
  lostSlices: number;
  /** Slices of which perf, beside the sampler, wrote nothing. */
  lostBeside: number;
  measuredS: number;
  policy: string | undefined;
  sources: Readonly<Record<string, SourceFile>>;
  threadIds: ThreadIdMap;
  /** Follows the steps of the target, once it was looked at. */
  meter: StepMeter | undefined;
  /** Follows how its threads take the GIL, while it is sampled. */
  gilMeter: GilMeter | undefined;
  readonly phases: { readonly [Phase in keyof LoopPhases]: Snapshot[] };
  ended: Recording['ended'];
  throttlingAfter: Throttling | undefined;
  /** What perf's own words told of each slice. */
  readonly perf: ResolvedPerf[];
  /** What Node told beside the samples of each slice. */
  readonly node: NodeSlice[];
  /** Findings that are known once, when they happen. */
  readonly findings: Finding[];
}

/** Looks whether the target has replaced its program, and remembers it. */
export function noteReplaced(session: Session): boolean {
  const { program, request } = session;
  const now = program === undefined ? undefined : programOf(request.target.pid);
  session.replaced ||= now !== undefined && now !== program;
  return session.replaced;
}

function toolVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}

function recordedTarget({ target }: RatedRequest): Recording['target'] {
  const { nsPid, startTicks, command, exe, runtime, runtimeVersion, uid, chosenBecause } = target;
  const { container, containerName } = target;
  return {
    // Of a process elsewhere its number there is all that there is.
    pid: shownPid(target),
    ...(nsPid === undefined ? {} : { nsPid }),
    startTicks,
    command,
    ...(exe === undefined ? {} : { exe }),
    runtime,
    ...(runtimeVersion === undefined ? {} : { runtimeVersion }),
    uid,
    ...(container === undefined ? {} : { container }),
    ...(containerName === undefined ? {} : { containerName }),
    ...(chosenBecause === undefined ? {} : { chosenBecause }),
  };
}

function findingsOf(session: Session, slices: readonly Slice[]): readonly Finding[] {
  const { request, phases } = session;
  const threads = Math.max(0, ...phases.during.map((snapshot) => snapshot.threads.size));
  return [
    ...request.route.findings,
    ...(request.findings ?? []),
    ...(request.beside?.route.findings ?? []),
    ...session.findings,
    ...(session.policy === undefined || request.perf !== undefined
      ? []
      : policyFinding(session.policy, session.realtimeRefusal)),
    ...(request.cpython === true ? cpythonFindings(slices, request.rateHz) : slicesFindings(slices, request)),
    ...lostSliceFinding(session.lostSlices, slices.length),
    ...lostBesideFinding(session.lostBeside),
    ...threadsFinding(request, threads),
    ...throttlingFinding(session.throttlingBefore, session.throttlingAfter),
    // Of a target that has ended nothing can be looked up any more: that goes without saying.
    ...threadIdFindings(session.threadIds, request.target).filter(
      ({ id }) => id !== 'thread-ids-unmapped' || session.ended !== 'target-ended',
    ),
    ...elsewhereFinding(request.target),
    ...perfFindings(session.perf, request.beside !== undefined),
    ...(request.perf === undefined ? [] : rateMoved('perf', session.wantedHz)),
    ...(request.node === undefined ? [] : rateMoved('V8', session.wantedHz)),
    ...nodeFindings(session.node),
    ...gilFinding(session.gil !== undefined, request),
    ...stoppedFinding(request.target.pid, session.stops),
    ...statesFinding(session.watch?.refusal()),
  ];
}

/** The slices that belong to the recording: all of them, or those that hold the loop and nothing else. */
export function keptSlices({ slices, verdicts, judge, cut }: Session): readonly Slice[] {
  if (judge === undefined) return slices;
  const kept = loopSlices(verdicts, cut);
  return slices.filter((_, index) => kept[index] === true);
}

/** What has been recorded so far, as the manifest of the folder. */
export function recordingOf(session: Session, slices: readonly Slice[] = keptSlices(session)): Recording {
  const { request, plan, phases, threadIds } = session;
  return {
    schema: RECORDING_SCHEMA,
    version: toolVersion(),
    ...(request.label === undefined ? {} : { label: request.label }),
    createdAt: session.createdAt,
    target: recordedTarget(request),
    ...(request.threadTid === undefined ? {} : { threadTid: request.threadTid }),
    backend: plan.backend,
    backendVersion: [request.sampler.version, request.beside?.version].filter(Boolean).join('+'),
    route: request.overridden === true ? `override, then ${request.route.id}` : request.route.id,
    commands: session.commands,
    ...(request.phase === undefined ? {} : { phase: request.phase }),
    rateHz: request.rateHz,
    requestedS: request.loopOnly === true ? session.measuredS : request.durationS,
    policy: request.perf === undefined ? (session.policy ?? 'unknown') : 'kernel',
    native: request.native,
    slices,
    loopRates: request.baselineS > 0 ? loopRates(phases, session.primary) : [],
    ...(session.meter === undefined ? {} : { steps: session.meter.recorded() }),
    ...(session.gilMeter === undefined ? {} : { gil: session.gilMeter.recorded() }),
    sources: session.sources,
    ...(Object.keys(threadIds.ids).length === 0 ? {} : { threadIds: threadIds.ids }),
    machine: { cpus: os.cpus().length, kernel: os.release() },
    ended: session.ended,
    findings: findingsOf(session, slices),
  };
}
