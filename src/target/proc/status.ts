import { PROC, readProcText } from './file.js';

/** What is used of `/proc/PID/status`; see proc_pid_status(5). Ids are real, effective, saved, file system. */
export interface ProcStatus {
  /** Process that a thread belongs to. */
  readonly tgid: number;
  readonly uids: readonly number[];
  readonly gids: readonly number[];
  /** Id in every pid namespace from ours to the innermost; empty on kernels that do not tell. */
  readonly nsPids: readonly number[];
  readonly threads: number;
  readonly voluntarySwitches: number;
  readonly involuntarySwitches: number;
  readonly capEffective: bigint;
  readonly capPermitted: bigint;
  /** 0 none, 1 strict, 2 filter. */
  readonly seccomp: number;
}

export const CAP_SYS_PTRACE = 19n;
export const CAP_SYS_NICE = 23n;

export function hasCapability(status: ProcStatus, capability: bigint): boolean {
  return ((status.capEffective >> capability) & 1n) === 1n;
}

export function parseStatus(text: string): ProcStatus {
  const values = new Map<string, string>();
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    // The kernel escapes a newline in Name, so a process cannot forge another field.
    if (colon > 0 && !values.has(line.slice(0, colon)))
      values.set(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const numbers = (key: string): number[] => (values.get(key) ?? '').split(/\s+/).filter(Boolean).map(Number);
  const bits = (key: string): bigint => {
    const text16 = values.get(key) ?? '';
    return /^[0-9a-f]+$/i.test(text16) ? BigInt(`0x${text16}`) : 0n;
  };
  return {
    tgid: numbers('Tgid')[0] ?? 0,
    uids: numbers('Uid'),
    gids: numbers('Gid'),
    nsPids: numbers('NSpid'),
    threads: numbers('Threads')[0] ?? 0,
    voluntarySwitches: numbers('voluntary_ctxt_switches')[0] ?? 0,
    involuntarySwitches: numbers('nonvoluntary_ctxt_switches')[0] ?? 0,
    capEffective: bits('CapEff'),
    capPermitted: bits('CapPrm'),
    seccomp: numbers('Seccomp')[0] ?? 0,
  };
}

/** `pid` may be `self`. `undefined` when there is no such process or thread. */
export function readStatus(pid: number | 'self', proc: string = PROC, tid?: number): ProcStatus | undefined {
  const text =
    tid === undefined
      ? readProcText(proc, String(pid), 'status')
      : readProcText(proc, String(pid), 'task', String(tid), 'status');
  return text === undefined ? undefined : parseStatus(text);
}

/** Whether we live in another user namespace than the first one of the machine, as in a rootless container. */
export function isOwnUserNamespace(proc: string = PROC): boolean {
  return !/^\s*0\s+0\s+4294967295\s*$/.test(readProcText(proc, 'self', 'uid_map') ?? '0 0 4294967295');
}
