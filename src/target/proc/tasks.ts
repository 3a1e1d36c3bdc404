import type { TargetThread } from '../target.js';
import { PROC, listIds, readProcText } from './file.js';
import { readStatus } from './status.js';

/** `/proc/PID/task/TID/schedstat`, in nanoseconds; see sched-stats of the kernel's documentation. */
export interface SchedStat {
  readonly onCpuNs: number;
  /** Runnable without a CPU. */
  readonly cpuWaitNs: number;
  /** Times it was switched in. */
  readonly timeslices: number;
}

export function parseSchedStat(text: string): SchedStat | undefined {
  const [onCpuNs, cpuWaitNs, timeslices] = text.trim().split(/\s+/).map(Number);
  if (onCpuNs === undefined || cpuWaitNs === undefined || timeslices === undefined) return undefined;
  return Number.isFinite(onCpuNs + cpuWaitNs + timeslices) ? { onCpuNs, cpuWaitNs, timeslices } : undefined;
}

/** `undefined` when the thread is gone or the kernel keeps no such account. */
export function readSchedStat(pid: number, tid: number, proc: string = PROC): SchedStat | undefined {
  const text = readProcText(proc, String(pid), 'task', String(tid), 'schedstat');
  return text === undefined ? undefined : parseSchedStat(text);
}

/** Threads of a process in ascending order of their ids; a thread that ends meanwhile is left out. */
export function listThreads(pid: number, proc: string = PROC): TargetThread[] {
  const threads: TargetThread[] = [];
  for (const tid of listIds(proc, String(pid), 'task')) {
    const comm = readProcText(proc, String(pid), 'task', String(tid), 'comm');
    if (comm === undefined) continue;
    const nsTid = readStatus(pid, proc, tid)?.nsPids.at(-1);
    threads.push({
      tid,
      ...(nsTid === undefined || nsTid === tid ? {} : { nsTid }),
      comm: comm.endsWith('\n') ? comm.slice(0, -1) : comm,
    });
  }
  return threads;
}
