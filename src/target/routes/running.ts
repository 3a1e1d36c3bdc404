import { errorCode } from '../../model/index.js';
import { setTimeout as delay } from 'node:timers/promises';
import type { Journal, Trace } from '../journal/journal.js';
import { PROC, readProcText } from '../proc/file.js';
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
function signalLife(life: Life, signal: 'SIGINT' | 'SIGKILL'): boolean {
  if (!lives(life)) return true;
  try {
    process.kill(life.pid, signal);
    return true;
  } catch (error) {
    return errorCode(error) === 'ESRCH';
  }
}

const SIGINT_BIT = 0b10n;
const LOOK_MS = 2;
const PATIENCE_MS = 5000;

/**
 * Waits until a process catches SIGINT. py-spy says that it samples a moment before it does: a signal in between would end it without
 * its samples. Gives up after some seconds, for a program that never does: on a busy machine, or with its CPU quota used up, py-spy may be held up between the two.
 */
export async function untilCatchingInterrupt(life: Life): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS && lives(life); waited += LOOK_MS) {
    const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readProcText(PROC, String(life.pid), 'status') ?? '')?.[1];
    if (caught === undefined || (BigInt(`0x${caught}`) & SIGINT_BIT) !== 0n) return;
    await delay(LOOK_MS);
  }
}

/** Asks a process to end, once it listens. False where that is refused. */
export async function stopLife(life: Life, signal: 'SIGINT' | 'SIGKILL'): Promise<boolean> {
  if (signal === 'SIGINT') await untilCatchingInterrupt(life);
  return signalLife(life, signal);
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
