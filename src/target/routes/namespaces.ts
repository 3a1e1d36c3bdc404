import { PROC, readProcLink } from '../proc/file.js';
import { readStat } from '../proc/stat.js';
import { readStatus } from '../proc/status.js';
import type { Target } from '../target.js';
import type { RouteContext } from './route.js';

/** Whether two processes share a namespace; undefined where the kernel does not let us look. */
export function sharesNamespace(
  kind: 'pid' | 'mnt' | 'net',
  target: Target,
  proc: string = PROC,
): boolean | undefined {
  const ours = readProcLink(proc, 'self/ns', kind);
  const theirs = readProcLink(proc, String(target.pid), 'ns', kind);
  return ours === undefined || theirs === undefined ? undefined : ours === theirs;
}

/** Whether thread ids mean the same there and here. */
export function sharesPids(target: Target, proc: string = PROC): boolean {
  return sharesNamespace('pid', target, proc) ?? target.nsPid === undefined;
}

/** Number of the target in its own pid namespace. */
export function innerPid({ target }: Pick<RouteContext, 'target'>): number {
  return target.nsPid ?? target.pid;
}

/** Whether the target is a process of this machine's /proc: not so where its engine is on another one, or in a virtual machine. */
export function isHere({ target }: Pick<RouteContext, 'target'>, proc: string = PROC): boolean {
  return readStat(target.pid, proc)?.startTicks === target.startTicks;
}

export function isRoot(proc: string = PROC): boolean {
  return readStatus('self', proc)?.uids[1] === 0;
}
