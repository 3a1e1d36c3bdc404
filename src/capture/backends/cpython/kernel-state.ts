/**
 * What the kernel says of a thread, by files that anybody who may read its memory may read: see proc_pid_syscall(5), sched-stats and
 * sched-debug of the kernel's documentation.
 *
 * `syscall` tells where a blocked thread is, and calls all others running, with a CPU or without one. What tells these apart: a thread
 * that is on a CPU was switched in once more than it was switched out. One that is not, and left its CPU in the very nanosecond in which
 * we got ours, runs but for us.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import type { AddressRange, SyscallNumbers } from '../../state-sampler/syscalls.js';
import { firstArgument, numberAt, numberOf, thirdNumber } from './proc-number.js';
import { type StateLetter, STATES } from './state-letters.js';

/** Where the switches of a thread are counted: `sched` where the kernel has it (SCHED_DEBUG before 6.x), else `status`. */
export type SwitchSource = 'sched' | 'status';

/** The open files of one thread: opening costs more than reading. */
export interface ThreadFiles {
  readonly syscall: number;
  readonly schedstat: number;
  readonly switches: number;
  /** `stat`, whose 39th field is the CPU; opened only where `sched` does not tell when the thread left it. */
  readonly stat: number;
}

const LETTER_R = 114;
const MINUS = 45;
const SPACE = 32;
const CLOSING = 41;
const CPU_FIELD = 39;
/** Two clocks of one switch differ by less; a switch takes longer. */
const SAME_SWITCH_NS = 3000;
const TRIES = 3;

/** @throws what the kernel says: `ENOENT`, `ESRCH` of a thread that ended, `EACCES` of one that we may not look at. */
export function openThread(task: string, source: SwitchSource): ThreadFiles {
  const opened: number[] = [];
  try {
    const open = (name: string): number => {
      const fd = openSync(`${task}/${name}`, 'r');
      opened.push(fd);
      return fd;
    };
    return {
      syscall: open('syscall'),
      schedstat: open('schedstat'),
      switches: open(source),
      stat: source === 'sched' ? -1 : open('stat'),
    };
  } catch (error) {
    for (const fd of opened) closeSync(fd);
    throw error;
  }
}

export function closeThread({ syscall, schedstat, switches, stat }: ThreadFiles): void {
  for (const fd of [syscall, schedstat, switches]) closeSync(fd);
  if (stat >= 0) closeSync(stat);
}

/** Reads states. One for all threads: its buffer is reused. */
export class KernelState {
  readonly #bytes = Buffer.allocUnsafe(4096);
  readonly #source: SwitchSource;
  readonly #numbers: SyscallNumbers;
  readonly #own: ThreadFiles;
  readonly #isSleep: Uint8Array;
  gil: AddressRange | undefined;
  #ownMark = -1;
  #execStart = -1;

  /** @throws where our own files cannot be opened. */
  constructor(source: SwitchSource, numbers: SyscallNumbers, proc: string) {
    this.#source = source;
    this.#numbers = numbers;
    this.#own = openThread(`${proc}/self/task/${process.pid}`, source);
    this.#isSleep = new Uint8Array(1024);
    for (const number of numbers.sleeps) this.#isSleep[number] = 1;
  }

  /** Begins a tick: what is known of our own CPU is of the last one. */
  tick(): void {
    this.#ownMark = -1;
  }

  /** Times that the thread was switched in; it cannot have moved where this has not. */
  switchedIn({ schedstat }: ThreadFiles): number {
    const length = readSync(schedstat, this.#bytes, 0, 128, 0);
    return thirdNumber(this.#bytes, length);
  }

  /** What the kernel charged the thread so far, in nanoseconds: on a CPU, and waiting for one. @throws as `of`. */
  charged({ schedstat }: ThreadFiles): { readonly onNs: number; readonly waitNs: number } {
    const length = readSync(schedstat, this.#bytes, 0, 128, 0);
    const blank = this.#bytes.indexOf(SPACE);
    return {
      onNs: length > 0 ? numberAt(this.#bytes, 0) : 0,
      waitNs: blank < length ? numberAt(this.#bytes, blank) : 0,
    };
  }

  /** @throws what reading says of a thread that ended (`ESRCH`). */
  of(thread: ThreadFiles): StateLetter {
    const bytes = this.#bytes;
    const length = readSync(thread.syscall, bytes, 0, 256, 0);
    if (length === 0 || bytes[0] !== LETTER_R) return this.#blockedState(length);
    for (let tries = 0; tries < TRIES; tries += 1) {
      const switchedIn = this.switchedIn(thread);
      const switchedOut = this.#switchedOut(thread);
      const ahead = switchedIn - switchedOut;
      if (ahead === 1) return STATES.running;
      if (ahead === 0) return this.#leftForUs(thread) ? STATES.displaced : STATES.cpuWait;
    }
    return STATES.unknown;
  }

  /** Whether its counts agree on ourselves, who are on a CPU while we ask. */
  isSure(): boolean {
    return this.switchedIn(this.#own) - this.#switchedOut(this.#own) === 1;
  }

  close(): void {
    closeThread(this.#own);
  }

  #blockedState(length: number): StateLetter {
    const bytes = this.#bytes;
    if (length === 0) return STATES.unknown;
    // -1: blocked outside of any call, as in a page fault.
    if (bytes[0] === MINUS) return STATES.blocked;
    const number = numberAt(bytes, 0);
    if (this.#isSleep[number] === 1) return STATES.sleep;
    if (number !== this.#numbers.futex || this.gil === undefined) return STATES.blocked;
    const address = firstArgument(bytes, length);
    return address >= this.gil.start && address < this.gil.end ? STATES.gilWait : STATES.blocked;
  }

  /** Times that the thread was switched out; with `sched` also when its clock last moved. */
  #switchedOut(thread: ThreadFiles): number {
    const bytes = this.#bytes;
    const length = readSync(thread.switches, bytes, 0, bytes.length, 0);
    if (this.#source === 'sched') {
      this.#execStart = numberOf(bytes, length, 'se.exec_start');
      return numberOf(bytes, length, '\nnr_switches');
    }
    const voluntary = numberOf(bytes, length, '\nvoluntary_ctxt_switches');
    const involuntary = numberOf(bytes, length, '\nnonvoluntary_ctxt_switches');
    return voluntary < 0 || involuntary < 0 ? -1 : voluntary + involuntary;
  }

  /** Whether the thread left its CPU for us: in the same switch, or, where that is not told, on the CPU that we are on. */
  #leftForUs(thread: ThreadFiles): boolean {
    const its = this.#mark(thread);
    if (this.#ownMark < 0) {
      if (this.#source === 'sched') this.#switchedOut(this.#own);
      this.#ownMark = this.#mark(this.#own);
    }
    return this.#source === 'sched' ? Math.abs(this.#ownMark - its) < SAME_SWITCH_NS : this.#ownMark === its;
  }

  #mark(thread: ThreadFiles): number {
    return this.#source === 'sched' ? this.#execStart : this.#cpuOf(thread);
  }

  /** The CPU that the thread was on last. Its name, which it may choose, is skipped to the last bracket. */
  #cpuOf({ stat }: ThreadFiles): number {
    const bytes = this.#bytes;
    const length = readSync(stat, bytes, 0, 1024, 0);
    if (length === 0) return -2;
    let at = bytes.lastIndexOf(CLOSING, length - 1) + 1;
    // The bracket closes the second field.
    for (let field = 2; at < length; at += 1) {
      if (bytes[at] !== SPACE) continue;
      field += 1;
      if (field === CPU_FIELD) return numberAt(bytes, at);
    }
    return -2;
  }
}

/** The source of switches that is right on ourselves; undefined where the kernel keeps no such account (SCHED_INFO). */
export function findSwitchSource(numbers: SyscallNumbers, proc: string): SwitchSource | undefined {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (const source of ['sched', 'status'] as const) {
    try {
      const state = new KernelState(source, numbers, proc);
      let sure = true;
      // Each rest is a switch: a count that stands still shows here.
      for (let looks = 0; looks < 4; looks += 1) {
        sure &&= state.isSure();
        Atomics.wait(pause, 0, 0, 1);
      }
      state.close();
      if (sure) return source;
    } catch {
      // The next one may be there.
    }
  }
  return undefined;
}
