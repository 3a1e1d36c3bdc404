import { readStat, sameProcess } from '../target/index.js';
import type { Session } from './session.js';

/** Whether the process is stopped, by a signal or by a tracer. */
export function isStopped(pid: number): boolean {
  const state = readStat(pid)?.state;
  return state === 'T' || state === 't';
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
