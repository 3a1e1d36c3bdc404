import { ProfilerError } from '../model/index.js';
import { readStat, sameProcess } from '../target/index.js';
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

/** Never leaves the target stopped: a sampler that was killed in the middle of a sample may. */
export function resumeIfStopped(session: Session): void {
  const { target } = session.request;
  if (session.stoppedBefore || !isStopped(target.pid) || !sameProcess(target)) return;
  const resumed = resume(target.pid);
  session.findings.push({
    level: 'warning',
    id: 'target-was-stopped',
    what: resumed
      ? `Process ${target.pid} was stopped after sampling; it was made to go on.`
      : `Process ${target.pid} is stopped, and could not be made to go on.`,
    why: 'The sampler was interrupted while it held the process, or somebody else stopped it: the window contains a pause.',
    fix: `kill -CONT ${target.pid}`,
  });
}
