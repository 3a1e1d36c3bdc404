import { rmSync, statSync } from 'node:fs';
import type { Recording } from '../recording/index.js';
import { raiseSamplingThreads, sameProcess, samplingPolicy, schedulingPolicy } from '../target/index.js';
import type { PlannedSlice } from './backends/index.js';
import { startBeside } from './beside.js';
import { commandHelpers, finishSlice } from './finish-slice.js';
import { diskFull, isDiskFull } from './recording-folder.js';
import { samplerFailure } from './sampler-failure.js';
import type { SampledSlice } from './sampled-slice.js';
import { startSampler } from './sampler-run.js';
import { noteReplaced, type Session } from './session.js';
import { notePaused, notePausedElsewhere, noteStop, resumeIfStopped } from './stopped-target.js';
import { readThreads, type Snapshot } from './thread-readings.js';

/** A rest shorter than this is not worth another start of the sampler. */
const SHORTEST_S = 0.3;
const TICK_MS = 1000;
const PROGRESS_MS = 200;
/** Native frames of large libraries take a while to load; an engine that answers no more must not keep us. */
const START_PATIENCE_MS = 60_000;
/** Failed starts in a row after which the sampler is given up. */
const MOST_FAILURES = 2;

type SliceResult =
  | { readonly kind: 'sampled'; readonly slice: SampledSlice }
  | { readonly kind: 'lost'; readonly talk: string; readonly exit: number | string }
  | { readonly kind: 'replaced' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'disk-full' };

function hasContent(path: string): boolean {
  try {
    return statSync(path).size > 0;
  } catch {
    return false;
  }
}

/** Whether somebody asked for the end. */
function isAsked({ signal, enough }: Session): boolean {
  return signal.aborted || enough.signal.aborted;
}

/** Runs one slice to its end. `meanwhile` is called once the sampler is at work, for what need not delay it. */
async function runSlice(
  session: Session,
  planned: PlannedSlice,
  meanwhile: (interrupt: () => void) => void,
): Promise<SliceResult> {
  const { request, clock, signal, phases } = session;
  const snapshot = (): Snapshot => readThreads(request.target.pid, session.primary, clock);
  const beside = await startBeside(session, request.beside, session.plan.slices.indexOf(planned));
  const sampler = startSampler(session.backend, planned, request, clock);
  session.commands.push(planned.argv);
  for (const end of [signal, session.enough.signal]) end.addEventListener('abort', sampler.interrupt);
  const impatient = setTimeout(sampler.interrupt, START_PATIENCE_MS);
  const timers: NodeJS.Timeout[] = [impatient];
  let samplerPid: number | undefined;
  let sinceNs: bigint | undefined;
  const elapsedS = (): number => (sinceNs === undefined ? 0 : Number(clock() - sinceNs) / 1e9);
  // From the start on: a sampler inside a container is frozen with it, and may never say that it samples.
  timers.push(
    setInterval(() => {
      // Nothing of this slice will be kept.
      if (notePaused(session, elapsedS())) sampler.kill();
    }, PROGRESS_MS),
  );
  try {
    const startNs = await sampler.started;
    sinceNs = startNs;
    clearTimeout(impatient);
    const snapshots = [snapshot()];
    if (startNs !== undefined) {
      noteStop(session);
      if (isAsked(session)) sampler.interrupt();
      const leftS = Math.max(0, request.durationS - session.measuredS - elapsedS());
      // A sampler that cannot keep its rate counts its ticks for much longer than it was told.
      const patienceS = session.backend.ends === 'told' ? planned.seconds : 2 * planned.seconds;
      const limitS = planned === session.plan.slices.at(-1) ? leftS : Math.min(leftS, patienceS);
      timers.push(
        setTimeout(sampler.interrupt, limitS * 1000),
        setInterval(() => {
          snapshots.push(snapshot());
          if (noteReplaced(session)) sampler.interrupt();
          void notePausedElsewhere(session, elapsedS, sampler.kill);
        }, TICK_MS),
        setInterval(() => {
          noteStop(session);
          // Not at once: a route may raise the sampler after it has started.
          session.policy = policyOf(session, samplerPid) ?? session.policy;
          progress(session, elapsedS());
        }, PROGRESS_MS),
      );
      if (request.node !== undefined && request.realtime.allowed)
        await raiseSamplingThreads(request.target.pid);
      samplerPid = await Promise.race([sampler.pid, sampler.stopped.then(() => undefined)]);
      // A slice may end before the first look that is due.
      session.policy ??= policyOf(session, samplerPid);
      if (samplerPid !== undefined && session.following)
        session.follower?.follow(session.primary, samplerPid);
      meanwhile(sampler.interrupt);
      await sampler.stopped;
      beside?.interrupt();
      session.follower?.rest();
      snapshots.push(snapshot());
      for (const timer of timers) clearTimeout(timer);
      if (!noteReplaced(session) && !notePaused(session, elapsedS())) phases.during.push(...snapshots);
    }
    const run = await sampler.done;
    if (isDiskFull(run.talk) || isDiskFull(run.logError ?? '')) return { kind: 'disk-full' };
    // Our own sampler reads the memory of one program: after an exec it takes no samples.
    if (noteReplaced(session) && request.cpython !== true) return { kind: 'replaced' };
    if (notePaused(session, elapsedS())) return { kind: 'paused' };
    // Our own sampler hands its samples over as it takes them: what came before the target took it along, counts.
    const cutShort = request.cpython === true && run.targetEnded;
    const complete = startNs !== undefined && (run.written || run.exit === 0 || cutShort);
    // An empty file is right where nothing could be sampled, and only there.
    const written = run.samples === 0 || hasContent(`${request.folder}/${planned.file}`);
    if (!complete || !written)
      return session.replaced ? { kind: 'replaced' } : { kind: 'lost', talk: run.talk, exit: run.exit };
    session.measuredS += Number(run.endNs - startNs) / 1e9;
    const native = await beside?.done;
    if (beside !== undefined && native === undefined) session.lostBeside += 1;
    return {
      kind: 'sampled',
      slice: { planned, run, startNs, snapshots, ...(native && { beside: native }) },
    };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    for (const end of [signal, session.enough.signal]) end.removeEventListener('abort', sampler.interrupt);
    sampler.interrupt();
    beside?.interrupt();
    await Promise.all([sampler.done, beside?.done]);
  }
}

/** Of whatever takes the samples: the sampler, or a thread of the target. */
function policyOf({ request }: Session, samplerPid: number | undefined): string | undefined {
  if (request.node !== undefined) return samplingPolicy(request.target.pid);
  return samplerPid === undefined ? undefined : schedulingPolicy(samplerPid);
}

function progress(session: Session, runningS: number): void {
  const samples = session.slices.reduce((sum, slice) => sum + (slice.samples ?? 0), 0);
  const totalS = session.request.durationS;
  session.emit({ kind: 'progress', doneS: Math.min(totalS, session.measuredS + runningS), totalS, samples });
}

interface Finisher {
  /** `onError` is called when this slice or an earlier one could not be finished. */
  readonly add: (slice: SampledSlice, onError: () => void) => void;
  readonly failed: () => boolean;
  /** Waits until all that was added is finished; throws the first error. */
  readonly settled: () => Promise<void>;
}

/** Does what a finished slice needs while the next one runs, one after the other. */
function finisher(session: Session): Finisher {
  const state: { error?: unknown } = {};
  let chain = Promise.resolve();
  const finish = async (before: Promise<void>, slice: SampledSlice, onError: () => void): Promise<void> => {
    await before;
    try {
      if (state.error === undefined) await finishSlice(session, slice);
    } catch (error) {
      state.error = error;
    }
    if (state.error !== undefined) onError();
  };
  return {
    add: (slice, onError) => {
      chain = finish(chain, slice, onError);
    },
    failed: () => state.error !== undefined,
    settled: async () => {
      await chain;
      if (state.error !== undefined) throw state.error;
    },
  };
}

/**
 * Samples in slices until the requested time is measured, the target ends or is paused, or the signal is given. Keeps every finished slice.
 * Throws a ProfilerError `disk-full`, or what a sampler that never sampled said.
 */
export async function sampleSlices(session: Session): Promise<Recording['ended']> {
  const { request, plan, signal } = session;
  const finished = finisher(session);
  let waiting: SampledSlice | undefined;
  let kept = 0;
  let failures = 0;
  let targetEnded = false;

  for (const planned of plan.slices) {
    targetEnded ||= !sameProcess(request.target) || noteReplaced(session);
    if (request.durationS - session.measuredS < SHORTEST_S) break;
    if (notePaused(session)) break;
    if (isAsked(session) || targetEnded || finished.failed() || failures >= MOST_FAILURES) break;
    const result = await runSlice(session, planned, (interrupt) => {
      if (waiting !== undefined) finished.add(waiting, interrupt);
      waiting = undefined;
    });
    resumeIfStopped(session);
    if (result.kind === 'sampled') {
      kept += 1;
      failures = 0;
      waiting = result.slice;
      targetEnded ||= result.slice.run.targetEnded;
      commandHelpers(session, result.slice.snapshots);
    } else if (result.kind === 'replaced') {
      targetEnded = true;
      rmSync(`${request.folder}/${planned.file}`, { force: true });
    } else if (result.kind === 'paused') {
      rmSync(`${request.folder}/${planned.file}`, { force: true });
    } else if (result.kind === 'disk-full') {
      await finished.settled();
      throw diskFull(request.folder, session.slices);
    } else if (!isAsked(session) && sameProcess(request.target)) {
      const now = await request.route.now?.();
      targetEnded ||= now === 'ended' || now === 'restarted' || now === 'gone';
      const changed = now === undefined ? undefined : request.route.changed?.(now);
      if (kept === 0 && changed !== undefined) throw changed;
      if (kept === 0) throw samplerFailure(session.request, result.talk, result.exit);
      if (targetEnded) break;
      failures += 1;
      session.lostSlices += 1;
    }
  }
  if (waiting !== undefined) finished.add(waiting, () => {});
  await finished.settled();
  if (session.replaced) return 'target-ended';
  if (signal.aborted) return 'interrupted';
  if (session.pausedAfterS !== undefined) return 'target-paused';
  if (session.enough.signal.aborted) return 'complete';
  return targetEnded || !sameProcess(request.target) ? 'target-ended' : 'complete';
}
