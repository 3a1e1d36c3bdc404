import { setTimeout as delay } from 'node:timers/promises';
import { primaryThread } from './loop-rates.js';
import type { PlanRequest } from './request.js';
import { readThreads, type Snapshot } from './thread-readings.js';

/** Without a baseline, the threads are still looked at this long, to learn which one works and whether it sleeps. */
export const SHORT_LOOK_S = 0.5;

/** A start-up does not wait, and its rate is settled. */
export const SHORTEST_LOOK_S = 0.05;

/** Reads all threads now and once a second for `seconds`, or until the signal. */
export async function look(
  pid: number,
  first: number,
  seconds: number,
  clock: () => bigint,
  signal: AbortSignal,
): Promise<readonly Snapshot[]> {
  const snapshots = [readThreads(pid, first, clock)];
  for (let left = seconds; left > 0; left -= 1) {
    if (signal.aborted) break;
    await delay(Math.min(1, left) * 1000, undefined, { signal }).catch(() => {});
    snapshots.push(readThreads(pid, first, clock));
  }
  return snapshots;
}

/** The thread that is looked at most closely: the named one, else the main thread, unless that idles while another works. */
export function primaryOf(request: PlanRequest, looks: readonly Snapshot[]): number {
  return request.threadTid ?? primaryThread(looks, request.target.pid);
}
