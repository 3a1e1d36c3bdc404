import type { Journal, Trace } from '../journal/journal.js';
import { hasEnded, readStat } from '../proc/stat.js';

/** A process of this machine; the start time tells a reused pid. */
export interface Life {
  readonly pid: number;
  readonly startTicks: number;
}

/** `undefined` when there is no such process. */
export function lifeOf(pid: number): Life | undefined {
  const stat = readStat(pid);
  return stat === undefined ? undefined : { pid, startTicks: stat.startTicks };
}

export function lives({ pid, startTicks }: Life): boolean {
  const stat = readStat(pid);
  return stat !== undefined && stat.startTicks === startTicks && !hasEnded(stat);
}

/** Signals a process that still is the one that was meant. False where that is refused; a process that is gone needs no signal. */
export function signalLife(life: Life, signal: 'SIGINT' | 'SIGKILL'): boolean {
  if (!lives(life)) return true;
  try {
    process.kill(life.pid, signal);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/** Writes a running process down, and answers how to strike it off. */
export function journalProcess(journal: Journal, life: Life): () => void {
  const trace: Trace = { kind: 'process', ...life };
  journal.add(trace);
  return () => journal.remove(trace);
}

/** A promise and the function that settles it. */
export interface Settable<T> {
  readonly promise: Promise<T>;
  readonly set: (value: T) => void;
}

export function settable<T>(): Settable<T> {
  let set: ((value: T) => void) | undefined;
  const promise = new Promise<T>((resolve) => {
    set = resolve;
  });
  return { promise, set: (value) => set?.(value) };
}
