import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import type { MachineCpu } from '../recording/index.js';
import { readMachineCpu } from './machine-cpu.js';

/** Running totals of one thread since it began, as the kernel keeps them. */
export interface ThreadReading {
  readonly tid: number;
  /** Thread id inside the innermost pid namespace, where it differs. */
  readonly nsTid?: number;
  readonly comm: string;
  /** CLOCK_MONOTONIC of this thread's own reading. */
  readonly atNs: bigint;
  /** It stood still by a signal or under a debugger: state `T` or `t`. */
  readonly stopped?: 'T' | 't';
  readonly onCpuNs: number;
  readonly cpuWaitNs: number;
  readonly voluntarySwitches: number;
  readonly involuntarySwitches: number;
  /** CPUs that it may run on: `0-1,4`. */
  readonly cpus?: string;
}

/** One reading of every thread of a process. */
export interface Snapshot {
  readonly atNs: bigint;
  readonly threads: ReadonlyMap<number, ThreadReading>;
  /** Since the machine began. */
  readonly machineCpu?: MachineCpu;
}

const READ_BYTES = 4096;

function readSmall(path: string, buffer: Buffer): string | undefined {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return undefined;
  }
  try {
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, 0));
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}

/** `status` escapes a newline and a backslash in the name, nothing else. */
function unescapeName(name: string): string {
  return name.replace(/\\(n|\\)/g, (_, letter: string) => (letter === 'n' ? '\n' : '\\'));
}

/** Value of a line `name:<tab>value`. By search, not by expression: this runs for every thread at the edge of a window. */
function field(status: string, name: string): string {
  const key = `${name}:\t`;
  const start = status.startsWith(key) ? 0 : status.indexOf(`\n${key}`) + 1;
  return start === 0 && !status.startsWith(key)
    ? ''
    : status.slice(start + key.length, status.indexOf('\n', start));
}

function readThread(
  pid: number,
  tid: number,
  buffer: Buffer,
  clock: () => bigint,
): ThreadReading | undefined {
  const schedstat = readSmall(`/proc/${pid}/task/${tid}/schedstat`, buffer)?.split(' ');
  const atNs = clock();
  const status = readSmall(`/proc/${pid}/task/${tid}/status`, buffer);
  if (schedstat === undefined || status === undefined) return undefined;
  const ids = field(status, 'NSpid');
  const nsTid = ids === '' ? tid : Number(ids.slice(ids.lastIndexOf('\t') + 1));
  const state = field(status, 'State')[0];
  const cpus = field(status, 'Cpus_allowed_list');
  return {
    tid,
    ...(nsTid === tid ? {} : { nsTid }),
    comm: unescapeName(field(status, 'Name')),
    atNs,
    ...(state === 'T' || state === 't' ? { stopped: state } : {}),
    onCpuNs: Number(schedstat[0] ?? 0),
    cpuWaitNs: Number(schedstat[1] ?? 0),
    voluntarySwitches: Number(field(status, 'voluntary_ctxt_switches')),
    involuntarySwitches: Number(field(status, 'nonvoluntary_ctxt_switches')),
    ...(cpus === '' ? {} : { cpus }),
  };
}

/**
 * Reads what the kernel charged every thread of `pid`; `first` goes first, so that its reading lies nearest to the edge of a window.
 * No threads when the process is gone. About 50 µs a thread.
 */
export function readThreads(pid: number, first: number, clock: () => bigint): Snapshot {
  const atNs = clock();
  const threads = new Map<number, ThreadReading>();
  let tids: number[];
  try {
    tids = readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return { atNs, threads };
  }
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  for (const tid of [first, ...tids.filter((other) => other !== first)]) {
    const reading = readThread(pid, tid, buffer, clock);
    if (reading !== undefined) threads.set(tid, reading);
  }
  const machineCpu = readMachineCpu();
  return { atNs, threads, ...(machineCpu === undefined ? {} : { machineCpu }) };
}
