import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import type { StateCommand, Tally } from './protocol.js';
import { classifySyscall, type SyscallNumbers } from './syscalls.js';

const FIELD = { running: 1, gil: 2, sleep: 3, other: 4 } as const;

export interface WatchedThread {
  readonly tid: number;
  readonly fd: number;
  readonly counts: [looks: number, running: number, gil: number, sleep: number, other: number];
  gone: boolean;
}

/** The threads of one process with their open `syscall` files; the file stays open, since opening costs more than reading. */
export interface WatchedThreads {
  readonly byTid: Map<number, WatchedThread>;
  readonly buffer: Buffer;
  /** Looked at every time. */
  primary: readonly WatchedThread[];
  /** Looked at in turn. */
  others: readonly WatchedThread[];
}

export function watchedThreads(): WatchedThreads {
  return { byTid: new Map(), buffer: Buffer.allocUnsafe(512), primary: [], others: [] };
}

export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

/** A thread or process that ended, or no file descriptors left: nothing to look at, and no refusal. */
function isAbsence(error: unknown): boolean {
  return ['ENOENT', 'ESRCH', 'EMFILE', 'ENFILE'].includes(errorCode(error));
}

function openThread(pid: number | 'self', tid: number): WatchedThread | undefined {
  try {
    const fd = openSync(`/proc/${pid}/task/${tid}/syscall`, 'r');
    return { tid, fd, counts: [0, 0, 0, 0, 0], gone: false };
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

function threadIds(pid: number | 'self'): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}

/** Finds new threads and sorts the living ones. Throws where the kernel refuses to open a thread's file. */
export function scanThreads(pid: number | 'self', watched: WatchedThreads, primary: readonly number[]): void {
  for (const tid of threadIds(pid)) {
    if (watched.byTid.has(tid)) continue;
    const thread = openThread(pid, tid);
    if (thread !== undefined) watched.byTid.set(tid, thread);
  }
  const living = [...watched.byTid.values()].filter(({ gone }) => !gone);
  watched.primary = living.filter(({ tid }) => primary.includes(tid));
  watched.others = living.filter(({ tid }) => !primary.includes(tid));
}

/** Looks once. False when the kernel refuses, which it does for all threads alike. */
export function look(
  thread: WatchedThread,
  { buffer }: WatchedThreads,
  numbers: SyscallNumbers,
  gil: StateCommand['gil'],
): boolean {
  if (thread.gone) return true;
  try {
    const text = buffer.toString('latin1', 0, readSync(thread.fd, buffer, 0, buffer.length, 0));
    thread.counts[0] += 1;
    thread.counts[FIELD[classifySyscall(text, numbers, gil)]] += 1;
    return true;
  } catch (error) {
    thread.gone = true;
    closeSync(thread.fd);
    return isAbsence(error);
  }
}

/** Running totals by host tid, ended threads included. */
export function totals(watched: WatchedThreads): Readonly<Record<string, Tally>> {
  return Object.fromEntries([...watched.byTid.values()].map(({ tid, counts }) => [tid, counts]));
}
