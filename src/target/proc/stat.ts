import { PROC, readProcText } from './file.js';

/** Fields of `/proc/PID/stat` and `/proc/PID/task/TID/stat`; see proc_pid_stat(5). */
export interface ProcStat {
  readonly pid: number;
  /** Between the first `(` and the last `)`: it may hold blanks, parentheses and newlines itself. */
  readonly comm: string;
  /** `R`, `S`, `D`, `T`, `t`, `Z`, `X`, `I`. */
  readonly state: string;
  readonly ppid: number;
  /** Kernel flags of the task. */
  readonly flags: number;
  /** User plus system time, in clock ticks of 1/100 s. */
  readonly cpuTicks: number;
  readonly threads: number;
  /** Start after boot, in clock ticks of 1/100 s. */
  readonly startTicks: number;
  readonly rtPriority: number;
  /** Scheduling policy number of sched(7). */
  readonly policy: number;
}

/** User space always sees 100 ticks a second on x86-64 and aarch64. */
export const TICKS_PER_SECOND = 100;

const KERNEL_THREAD = 0x0020_0000;

export function isKernelThread(stat: ProcStat): boolean {
  return (stat.flags & KERNEL_THREAD) !== 0;
}

/** A zombie whose other threads still run is alive: only its first thread has ended. */
export function hasEnded(stat: ProcStat): boolean {
  return stat.state === 'X' || (stat.state === 'Z' && stat.threads <= 1);
}

/** Whether the first thread has ended and others go on: the kernel shows neither program nor memory of the process then. */
export function isWithoutMainThread(stat: ProcStat): boolean {
  return stat.state === 'Z' && stat.threads > 1;
}

/** `undefined` for text that is not a stat line. */
export function parseStat(text: string): ProcStat | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 0 || close < open) return undefined;
  const fields = text
    .slice(close + 1)
    .trim()
    .split(/\s+/);
  // Field N of the manual page is fields[N - 3].
  const number = (field: number): number => Number(fields[field - 3] ?? 0);
  const state = fields[0];
  const pid = Number(text.slice(0, open));
  if (state === undefined || !/^[A-Za-z]$/.test(state) || fields.length < 20 || !Number.isInteger(pid))
    return undefined;
  return {
    pid,
    comm: text.slice(open + 1, close),
    state,
    ppid: number(4),
    flags: number(9),
    cpuTicks: number(14) + number(15),
    threads: number(20),
    startTicks: number(22),
    rtPriority: number(40),
    policy: number(41),
  };
}

/** `undefined` when there is no such process or thread. */
export function readStat(pid: number, proc: string = PROC, tid?: number): ProcStat | undefined {
  const text =
    tid === undefined
      ? readProcText(proc, String(pid), 'stat')
      : readProcText(proc, String(pid), 'task', String(tid), 'stat');
  return text === undefined ? undefined : parseStat(text);
}

const POLICIES = ['other', 'fifo', 'rr', 'batch', 'iso', 'idle', 'deadline', 'ext'];

/** Scheduling policy of a process's first thread as `other`, `fifo:50`, `rr:10`, `batch`, `idle`, `deadline`, `ext`. */
export function schedulingPolicy(pid: number, proc: string = PROC): string | undefined {
  const stat = readStat(pid, proc);
  return stat === undefined ? undefined : policyName(stat);
}

export function policyName(stat: ProcStat): string {
  const name = POLICIES[stat.policy] ?? `policy-${stat.policy}`;
  return name === 'fifo' || name === 'rr' ? `${name}:${stat.rtPriority}` : name;
}
