import { statSync } from 'node:fs';
import type { Recording } from '../recording/index.js';
import { sameProcess, schedulingPolicy } from '../target/index.js';
import type { PlannedSlice } from './backends/index.js';
import { commandStates, finishSlice, type SampledSlice } from './finish-slice.js';
import { diskFull, isDiskFull } from './recording-folder.js';
import { samplerFailure } from './sampler-failure.js';
import { startSampler } from './sampler-run.js';
import type { Session } from './session.js';
import { resumeIfStopped } from './stopped-target.js';
import { readThreads, type Snapshot } from './thread-readings.js';

/** A rest shorter than this is not worth another start of the sampler. */
const SHORTEST_S = 0.3;
const TICK_MS = 1000;
const PROGRESS_MS = 200;
/** Failed starts in a row after which the sampler is given up. */
const MOST_FAILURES = 2;

type SliceResult =
  | { readonly kind: 'sampled'; readonly slice: SampledSlice }
  | { readonly kind: 'lost'; readonly talk: string; readonly exit: number | string };

function hasContent(path: string): boolean {
  try {
    return statSync(path).size > 0;
  } catch {
    return false;
  }
}

/** Runs one slice to its end. `meanwhile` is called once the sampler is at work, for what need not delay it. */
async function runSlice(
  session: Session,
  planned: PlannedSlice,
  meanwhile: (interrupt: () => void) => void,
): Promise<SliceResult> {
  const { request, clock, signal, phases } = session;
  const snapshot = (): Snapshot => readThreads(request.target.pid, session.primary, clock);
  const sampler = startSampler(session.backend, planned, request.folder, clock);
  session.commands.push(planned.argv);
  signal.addEventListener('abort', sampler.interrupt);
  const timers: NodeJS.Timeout[] = [];
  try {
    const startNs = await sampler.started;
    const snapshots = [snapshot()];
    if (startNs !== undefined) {
      if (signal.aborted) sampler.interrupt();
      const elapsedS = (): number => Number(clock() - startNs) / 1e9;
      const leftS = Math.max(0, request.durationS - session.measuredS - elapsedS());
      // A sampler that cannot keep its rate counts its ticks for much longer than it was told.
      const limitS = planned === session.plan.slices.at(-1) ? leftS : Math.min(leftS, 2 * planned.seconds);
      timers.push(
        setTimeout(sampler.interrupt, limitS * 1000),
        setInterval(() => snapshots.push(snapshot()), TICK_MS),
        setInterval(() => progress(session, elapsedS()), PROGRESS_MS),
      );
      if (sampler.pid !== undefined) session.policy ??= schedulingPolicy(sampler.pid);
      meanwhile(sampler.interrupt);
      await sampler.stopped;
      snapshots.push(snapshot());
      for (const timer of timers) clearTimeout(timer);
      phases.during.push(...snapshots);
    }
    const run = await sampler.done;
    if (isDiskFull(run.talk) || isDiskFull(run.logError ?? ''))
      throw diskFull(request.folder, session.slices);
    const complete = startNs !== undefined && (run.samples !== undefined || run.exit === 0);
    if (!complete || !hasContent(`${request.folder}/${planned.file}`))
      return { kind: 'lost', talk: run.talk, exit: run.exit };
    session.measuredS += Number(run.endNs - startNs) / 1e9;
    return { kind: 'sampled', slice: { planned, run, startNs, snapshots } };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal.removeEventListener('abort', sampler.interrupt);
    sampler.interrupt();
    await sampler.done;
  }
}

function progress(session: Session, runningS: number): void {
  const samples = session.slices.reduce((sum, slice) => sum + (slice.samples ?? 0), 0);
  const totalS = session.request.durationS;
  session.emit({ kind: 'progress', doneS: Math.min(totalS, session.measuredS + runningS), totalS, samples });
}

/** Does what a finished slice needs while the next one runs, one after the other. */
function finisher(session: Session): {
  add: (slice: SampledSlice, onError: () => void) => void;
  settled: () => Promise<void>;
} {
  let chain: Promise<unknown> = Promise.resolve(undefined);
  const add = (slice: SampledSlice, onError: () => void): void => {
    chain = chain.then(async (error) => {
      if (error !== undefined) return error;
      try {
        await finishSlice(session, slice);
        return undefined;
      } catch (cause) {
        onError();
        return cause;
      }
    });
  };
  const settled = async (): Promise<void> => {
    const error = await chain;
    if (error !== undefined) throw error;
  };
  return { add, settled };
}

/** Samples in slices until the requested time is measured, the target ends, or the signal is given. Keeps every finished slice. */
export async function sampleSlices(session: Session): Promise<Recording['ended']> {
  const { request, plan, signal } = session;
  const finished = finisher(session);
  let waiting: SampledSlice | undefined;
  let failures = 0;
  const flush = async (): Promise<void> => {
    if (waiting !== undefined) finished.add(waiting, () => {});
    waiting = undefined;
    await finished.settled();
  };

  for (const planned of plan.slices) {
    if (request.durationS - session.measuredS < SHORTEST_S) break;
    if (signal.aborted || !sameProcess(request.target)) break;
    const result = await runSlice(session, planned, (interrupt) => {
      if (waiting !== undefined) finished.add(waiting, interrupt);
      waiting = undefined;
    }).catch(async (error: unknown) => {
      await flush();
      throw error;
    });
    resumeIfStopped(session);
    if (result.kind === 'sampled') {
      failures = 0;
      waiting = result.slice;
      commandStates(session, result.slice.snapshots);
    } else if (!signal.aborted && sameProcess(request.target)) {
      failures += 1;
      session.lostSlices += 1;
      if (failures >= MOST_FAILURES || (session.slices.length === 0 && waiting === undefined)) {
        await flush();
        if (session.slices.length === 0) throw samplerFailure(session.request, result.talk, result.exit);
        break;
      }
    }
  }
  await flush();
  if (signal.aborted) return 'interrupted';
  return sameProcess(request.target) ? 'complete' : 'target-ended';
}
