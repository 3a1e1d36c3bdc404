import { rmSync } from 'node:fs';
import { ProfilerError } from '../model/index.js';
import type { Recording } from '../recording/index.js';
import {
  findGilRange,
  findTarget,
  frozenGroup,
  isWithoutMainThread,
  readStat,
  programOf,
  readExe,
  shownPid,
} from '../target/index.js';
import { readThrottling } from './cpu-quota.js';
import {
  endedFinding,
  missedStartFinding,
  noMainThreadFinding,
  replacedFinding,
  shortWindowFinding,
  unknownLoopFinding,
} from './findings.js';
import { startCpuFollower } from './cpu-follower.js';
import { commandHelpers } from './finish-slice.js';
import { look, primaryOf, SHORT_LOOK_S, SHORTEST_LOOK_S } from './look.js';
import { scriptFailure, unprintedSlice } from './perf-script-failure.js';
import { backendOf, type CapturePlan, planCapture, stateSamplerPath } from './plan.js';
import { defaultRate, rateFor } from './rate.js';
import { dropIfEmpty, prepareFolder, samplesOf, saveRecording } from './recording-folder.js';
import { PERF_DATA } from './resolve-perf.js';
import type { SliceVerdict } from './loop-slices.js';
import type { CaptureEvent, CaptureRequest, RatedRequest } from './request.js';
import { sampleSlices } from './sample-slices.js';
import { oneStack } from './sampler-failure.js';
import { keptSlices, noteReplaced, recordingOf, type Session } from './session.js';
import {
  isStopped,
  notePaused,
  pausedError,
  pausedFinding,
  refuseStopped,
  resumeIfStopped,
} from './stopped-target.js';
import type { AddressRange } from './state-sampler/syscalls.js';
import { startGilMeter } from './gil-meter.js';
import { startStepMeter } from './step-meter.js';
import { startStateWatch } from './state-watch.js';

export interface RecordOptions {
  /** Ends the recording early; what was sampled by then is kept. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: CaptureEvent) => void;
  /** Ends the recording early, as if it had been asked for this long. */
  readonly enough?: AbortSignal;
  /** Says of a slice, given as a recording of it alone, whether it shows the loop. Then only what holds nothing but the loop is kept. */
  readonly judge?: (slice: Recording) => Promise<SliceVerdict>;
  /** Asked at the end of a recording that was cut short by its duration: whether the loop still steps. */
  readonly stillSteps?: () => Promise<boolean>;
  /** Path of the compiled state sampler, where it does not lie beside this file. */
  readonly stateSampler?: string;
}

function startSession(request: CaptureRequest, options: RecordOptions): Session {
  const { realtime, target } = request;
  const stateSampler = options.stateSampler ?? stateSamplerPath();
  const planOf = (wanted: RatedRequest): CapturePlan => planCapture(wanted, process.execPath, stateSampler);
  const rated = { ...request, rateHz: request.rateHz ?? defaultRate(request) };
  return {
    request: rated,
    wantedHz: request.rateHz,
    perf: [],
    node: [],
    plan: planOf(rated),
    planOf,
    backend: backendOf(request),
    signal: options.signal,
    enough: new AbortController(),
    judge: options.judge,
    verdicts: [],
    cut: false,
    emit: options.onEvent,
    clock: () => process.hrtime.bigint(),
    createdAt: new Date().toISOString(),
    realtimeRefusal: realtime.allowed ? undefined : realtime.finding,
    gil: gilRange(request),
    stoppedBefore: isStopped(target.pid),
    program: programOf(target.pid),
    replaced: target.exe !== undefined && (readExe(target.pid)?.path ?? target.exe) !== target.exe,
    pausedAfterS: undefined,
    stops: { looks: 0, stopped: 0 },
    throttlingBefore: readThrottling(target.pid),
    throttlingAfter: undefined,
    primary: request.threadTid ?? shownPid(target),
    watch: undefined,
    follower: undefined,
    following: false,
    commands: [],
    slices: [],
    lostSlices: 0,
    lostBeside: 0,
    measuredS: 0,
    policy: undefined,
    sources: {},
    threadIds: { ids: {}, byName: [], unmapped: [] },
    meter: undefined,
    gilMeter: undefined,
    phases: { before: [], during: [], after: [] },
    ended: 'interrupted',
    findings: [],
  };
}

function gilRange({ target }: CaptureRequest): AddressRange | undefined {
  const range = findGilRange(target);
  return range === undefined ? undefined : { start: Number(range.start), end: Number(range.end) };
}

async function before(session: Session, request: CaptureRequest): Promise<void> {
  const { phases, emit, clock, signal } = session;
  // Nothing of it can be read here, and nothing that stands beside its sampler is there.
  if (request.target.elsewhere !== undefined) return;
  const { pid } = request.target;
  emit({ kind: 'phase', phase: 'before' });
  session.meter = await startStepMeter(request, { signal, clock });
  if (request.baselineS > 0) session.meter?.enter('before');
  const shortS = request.phase === 'load' ? SHORTEST_LOOK_S : SHORT_LOOK_S;
  const seconds = request.baselineS > 0 ? request.baselineS : shortS;
  const snapshots = await look(pid, session.primary, seconds, clock, signal);
  if (notePaused(session)) return;
  refuseStopped(session, snapshots);
  if (request.baselineS > 0) phases.before.push(...snapshots);
  session.meter?.leave();
  session.primary = primaryOf(request, snapshots);
  session.request = { ...request, rateHz: rateFor(request, snapshots, session.primary) };
  session.plan = session.planOf(session.request);
  const { stateSampler, cpuFollower } = session.plan;
  if (session.signal.aborted || stateSampler === undefined) return;
  // Only now: starting a second process beside the target would disturb the baseline.
  session.watch = startStateWatch(stateSampler.argv);
  session.commands.push(stateSampler.argv);
  if (cpuFollower !== undefined) {
    session.follower = startCpuFollower(cpuFollower.argv);
    session.commands.push(cpuFollower.argv);
  }
  await session.watch.ready;
  commandHelpers(session, snapshots);
}

async function stopHelpers({ watch, follower }: Session): Promise<void> {
  await Promise.all([watch?.stop(), follower?.stop()]);
}

async function after(session: Session): Promise<void> {
  const { request, phases, emit, signal, clock, primary } = session;
  if (request.baselineS <= 0 || signal.aborted || session.ended !== 'complete') return;
  emit({ kind: 'phase', phase: 'after' });
  session.meter?.enter('after');
  const looks = await look(request.target.pid, primary, request.baselineS, clock, signal);
  if (noteReplaced(session)) session.ended = 'target-ended';
  // A loop that was frozen meanwhile has no rate.
  else if (frozenGroup(request.target.pid) === undefined) phases.after.push(...looks);
}

/** What the process runs now, and the line that attaches to the simulation. */
function afterExec(pid: number): { readonly why: string; readonly fix: string } {
  const search = 'profiler attach --match REGEX  (a part of the command line of the simulation)';
  try {
    const { runtime, command } = findTarget({ pid, selfPid: process.pid });
    const [program = 'another program'] = command;
    if (runtime === 'python' || runtime === 'node')
      return {
        why: `It runs ${program} now: most likely it was a launcher that starts the simulation under its own number.`,
        fix: `profiler attach --pid ${pid}`,
      };
    return { why: `It runs ${program} now, which is neither a Python nor a Node.js.`, fix: search };
  } catch {
    return {
      why: 'It ran another program under its own number, and can no longer be looked at.',
      fix: search,
    };
  }
}

function refuseEmpty(session: Session): void {
  const { request, ended } = session;
  if (session.replaced && samplesOf(session.slices) === 0) {
    throw new ProfilerError({
      id: 'target-replaced',
      what: `Process ${shownPid(request.target)} replaced its program (exec) before anything was recorded.`,
      ...afterExec(request.target.pid),
    });
  }
  if (ended === 'target-paused' && samplesOf(session.slices) === 0) throw pausedError(request);
  if (ended === 'target-ended' && session.slices.length === 0) {
    throw new ProfilerError({
      id: 'target-ended',
      what: `Process ${shownPid(request.target)} ended before anything was recorded.`,
      why: 'It was about to finish, or crashed.',
      fix: 'Start the simulation again, then attach.',
    });
  }
  if (ended === 'interrupted' || samplesOf(session.slices) > 0) return;
  const unprinted = unprintedSlice(session.perf);
  if (request.perf !== undefined && unprinted !== undefined)
    throw scriptFailure(request.perf.script, `${request.folder}/${unprinted.data}`, unprinted.said);
  if (request.perf !== undefined)
    throw new ProfilerError({
      id: 'no-samples',
      what: `perf ran for ${session.measuredS.toFixed(1)} s and saw process ${shownPid(request.target)} on no CPU.`,
      why: 'It slept or waited all the time: most likely it only waits for another process, which does the work.',
      fix: 'profiler attach --match REGEX  (a part of the command line of the simulation)',
    });
  throw new ProfilerError({
    id: 'no-samples',
    what: `The sampler ran for ${session.measuredS.toFixed(1)} s and read no stack of process ${shownPid(request.target)}.`,
    why: 'The interpreter has no Python thread yet or any more, or its stacks cannot be read.',
    fix: request.node === undefined ? oneStack(request) : 'profiler attach … -d 20',
  });
}

/**
 * Samples a running process and leaves a recording in `request.folder`, which is written after every slice. Resolves with what
 * was recorded, also when the signal or the target's end cut it short (`ended`); interrupted before the first slice, it has none.
 * Without any sample, thrown or interrupted, the folder has no manifest, only the sampler's logs.
 * Throws a ProfilerError: `no-samples`, `target-ended`, `target-paused` (nothing recorded), `disk-full`, `folder-not-empty`, `folder-not-writable`,
 * or what the sampler's own talk means.
 */
export async function record(request: CaptureRequest, options: RecordOptions): Promise<Recording> {
  prepareFolder(request.folder);
  try {
    const session = startSession(request, options);
    const enough = (): void => session.enough.abort();
    if (options.enough?.aborted === true) enough();
    options.enough?.addEventListener('abort', enough);
    await runSession(session, request);
    options.enough?.removeEventListener('abort', enough);
    if (session.judge !== undefined) await dropOthers(session, options);
    return await saveSession(session);
  } catch (error) {
    // What perf wrote but could not print may be printed by another perf.
    const unprinted = error instanceof ProfilerError && error.finding.id === 'perf-script-failed';
    await dropIfEmpty(request.folder, ...(unprinted ? [PERF_DATA] : []));
    throw error;
  }
}

/** Leaves the slices that hold the loop, and takes the files of the others away. */
async function dropOthers(session: Session, { stillSteps }: RecordOptions): Promise<void> {
  const ended = session.ended === 'complete' && session.verdicts.at(-1) === 'steps';
  session.cut = ended && (await stillSteps?.()) === true;
  if (session.ended === 'target-ended' && session.verdicts.every((verdict) => verdict === 'unknown'))
    session.findings.push(...unknownLoopFinding(session.slices.length));
  const kept = keptSlices(session);
  if (kept.length === 0 && session.slices.length > 0) throw tooShort(session);
  const files = new Set(kept.map(({ file }) => file));
  for (const { file, native } of session.slices) {
    if (files.has(file)) continue;
    for (const one of [file, native?.file])
      if (one !== undefined) rmSync(`${session.request.folder}/${one}`, { force: true });
  }
  session.slices.splice(0, session.slices.length, ...kept);
  session.verdicts.splice(0, session.verdicts.length, ...kept.map((): SliceVerdict => 'unknown'));
  session.measuredS = kept.reduce(
    (sum, { startNs, endNs }) => sum + Number(BigInt(endNs) - BigInt(startNs)) / 1e9,
    0,
  );
  // The program's end is how a recording of its loop ends.
  if (session.ended === 'target-ended' && !session.replaced) session.ended = 'complete';
}

function tooShort({ request, measuredS, signal }: Session): ProfilerError {
  if (signal.aborted)
    return new ProfilerError({
      id: 'interrupted',
      what: 'Interrupted before a whole second of the loop was sampled: nothing is kept.',
      why: 'What a program does when it is asked to end is no part of its loop, so the last second is left out.',
    });
  return new ProfilerError({
    id: 'loop-too-short',
    what: `The loop of process ${shownPid(request.target)} was over before a whole second of it was sampled (${measuredS.toFixed(1)} s with what came after).`,
    why: 'The second in which stepping ends holds other things as well, so it is left out, and nothing else is there.',
    fix: 'let the program make more steps',
  });
}

async function runSession(session: Session, request: CaptureRequest): Promise<void> {
  try {
    await before(session, request);
    session.emit({ kind: 'phase', phase: 'sampling' });
    session.meter?.enter('during');
    session.gilMeter = startGilMeter(request, session.clock);
    session.ended = await sampleSlices(session);
    session.meter?.leave();
    session.gilMeter?.close();
    await stopHelpers(session);
    await after(session);
  } finally {
    session.meter?.close();
    session.gilMeter?.close();
    await stopHelpers(session);
    resumeIfStopped(session);
  }
}

async function saveSession(session: Session): Promise<Recording> {
  const { request } = session;
  refuseEmpty(session);
  session.emit({ kind: 'phase', phase: 'writing' });
  session.throttlingAfter = readThrottling(request.target.pid) ?? session.throttlingAfter;
  if (session.ended === 'target-ended') {
    const pid = shownPid(request.target);
    const finding = session.replaced
      ? {
          ...replacedFinding(pid, session.measuredS, request.durationS, request.cpython === true),
          fix: afterExec(pid).fix,
        }
      : endedFinding(pid, session.measuredS, request.durationS);
    session.findings.push(finding);
  }
  const stat = request.target.elsewhere === undefined ? readStat(request.target.pid) : undefined;
  if (request.target.runtime === 'native' && stat !== undefined && isWithoutMainThread(stat))
    session.findings.push(noMainThreadFinding(request.target.pid));
  session.findings.push(...pausedFinding(session), ...missedStartFinding(request.startedNs, session.slices));
  if (session.ended === 'complete' && request.loopOnly !== true) {
    session.findings.push(...shortWindowFinding(session.measuredS, request.durationS));
  }
  const recording = recordingOf(session);
  await (samplesOf(recording.slices) > 0
    ? saveRecording(request.folder, recording)
    : dropIfEmpty(request.folder));
  return recording;
}
