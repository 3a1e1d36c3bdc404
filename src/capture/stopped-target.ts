import { type Finding, ProfilerError, shellLine } from '../model/index.js';
import { frozenGroup, readStat, sameProcess, shownPid, type Target } from '../target/index.js';
import type { Session } from './session.js';
import type { Snapshot } from './thread-readings.js';

/** Whether the process is stopped, by a signal or by a tracer. */
export function isStopped(pid: number): boolean {
  const state = readStat(pid)?.state;
  return state === 'T' || state === 't';
}

/** A sampler that reads native frames stops the target itself, as its tracer; that is no news. */
function heldByOthers(state: string | undefined, native: boolean): boolean {
  return state === 'T' || (state === 't' && !native);
}

/** One look whether somebody else holds the target. */
export function noteStop({ request, stops }: Session): void {
  const state = readStat(request.target.pid)?.state;
  if (state === undefined) return;
  stops.looks += 1;
  if (heldByOthers(state, request.native)) stops.stopped += 1;
}

/** One look whether the target's control group is frozen, `elapsedS` into the running slice; remembers when it first was. */
export function notePaused(session: Session, elapsedS = 0): boolean {
  if (session.pausedAfterS === undefined && frozenGroup(session.request.target.pid) !== undefined)
    session.pausedAfterS = session.measuredS + elapsedS;
  return session.pausedAfterS !== undefined;
}

/** The same of a target that only its engine sees: one question, answered later. `onPaused` is called when it was paused by then. */
export async function notePausedElsewhere(
  session: Session,
  elapsedS: () => number,
  onPaused: () => void,
): Promise<void> {
  const { now } = session.request.route;
  if (now === undefined || (await now()) !== 'paused') return;
  session.pausedAfterS ??= session.measuredS + elapsedS();
  onPaused();
}

const PAUSED_WHY =
  'A frozen control group (docker pause) runs nothing: its threads stand still without waiting for anything.';

/** Lets the target go on: by its container, else by its control group. */
function thaw({ pid, container, containerName }: Target): string {
  const name = containerName ?? container;
  if (name !== undefined) return shellLine(['docker', 'unpause', name]);
  const group = frozenGroup(pid);
  return group === undefined
    ? `grep . /proc/${pid}/cgroup  (the control group to thaw)`
    : `echo ${group.thawed} > ${shellLine([group.file])}`;
}

function whatIsPaused({ container, containerName }: Target): string {
  return container === undefined && containerName === undefined
    ? 'control group was frozen'
    : 'container was paused';
}

/** Nothing where the target was never paused. */
export function pausedFinding({ request, pausedAfterS, measuredS }: Session): readonly Finding[] {
  if (pausedAfterS === undefined) return [];
  const { target, durationS } = request;
  return [
    {
      level: 'warning',
      id: 'target-paused',
      what: `Its ${whatIsPaused(target)} after ${pausedAfterS.toFixed(1)} s; what was recorded until then is kept (${measuredS.toFixed(1)} of ${durationS} s).`,
      why: PAUSED_WHY,
      fix: thaw(target),
    },
  ];
}

/** The error of a target that was paused before anything of it was kept. */
export function pausedError({ target }: Session['request']): ProfilerError {
  return new ProfilerError({
    id: 'target-paused',
    what: `Process ${shownPid(target)}: its ${whatIsPaused(target)} before anything was recorded.`,
    why: PAUSED_WHY,
    fix: thaw(target),
  });
}

/** Throws a ProfilerError `target-stopped` where the target was stopped in every one of the first looks. */
export function refuseStopped({ request, signal }: Session, looks: readonly Snapshot[]): void {
  const { pid } = request.target;
  const state = looks.at(-1)?.threads.get(pid)?.stopped;
  if (signal.aborted || state === undefined) return;
  if (looks.some(({ threads }) => threads.get(pid)?.stopped === undefined)) return;
  throw new ProfilerError({
    id: 'target-stopped',
    what: `Process ${pid} is stopped (state ${state}): nothing of it runs that could be sampled.`,
    why:
      state === 'T'
        ? 'It was sent SIGSTOP, or Ctrl-Z was typed in its terminal.'
        : 'A debugger holds it: while one is attached, only the debugger lets it go on.',
    fix: state === 'T' ? `kill -CONT ${pid}` : `grep TracerPid /proc/${pid}/status`,
  });
}

function resume(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGCONT');
  } catch {
    return false;
  }
}

/** Never leaves the target stopped: a sampler that was killed in the middle of a sample may. Ours stops nobody: whoever did has a reason. */
export function resumeIfStopped(session: Session): void {
  const { target, cpython } = session.request;
  if (cpython === true) return;
  if (session.stoppedBefore || !isStopped(target.pid) || !sameProcess(target)) return;
  const resumed = resume(target.pid);
  session.findings.push({
    level: 'warning',
    id: 'target-was-stopped',
    what: resumed
      ? `Process ${shownPid(target)} was stopped after sampling; it was made to go on.`
      : `Process ${shownPid(target)} is stopped, and could not be made to go on.`,
    why: 'The sampler was interrupted while it held the process, or somebody else stopped it: the window contains a pause.',
    fix: `kill -CONT ${target.pid}`,
  });
}
