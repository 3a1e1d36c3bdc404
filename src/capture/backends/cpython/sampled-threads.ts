import { closeThread, openThread, type SwitchSource, type ThreadFiles } from './kernel-state.js';
import type { CpythonReader } from './cpython-reader.js';
import { HostThreads } from './host-threads.js';

/** A thread that is sampled, with what was seen of it last. */
export interface SampledThread {
  readonly tid: number;
  readonly nsTid: number;
  /** Address of the interpreter's state of it. */
  address: number;
  name: string | undefined;
  readonly files: ThreadFiles;
  /** Its number in the file; -1 before it is there. */
  id: number;
  /** What its last entry says. */
  state: number;
  node: number;
  verified: boolean;
  /** Whether the tick at hand has something new of it, and whether any had. */
  changed: boolean;
  written: boolean;
  /** Times it was switched in when it was seen off the CPU: while that stands, so does its stack. -1: it was not. */
  restedAt: number;
  readonly counts: {
    looks: number;
    running: number;
    cpuWait: number;
    gil: number;
    sleep: number;
    other: number;
    lost: number;
  };
  /** What the kernel had charged it when the window began; undefined for one that came later. */
  charged: { readonly onNs: number; readonly waitNs: number } | undefined;
  gone: boolean;
}

function noCounts(): SampledThread['counts'] {
  return { looks: 0, running: 0, cpuWait: 0, gil: 0, sleep: 0, other: 0, lost: 0 };
}

/** The threads that the interpreter knows, with their open files. */
export class SampledThreads {
  readonly #reader: CpythonReader;
  readonly #pid: number;
  readonly #task: string;
  readonly #source: SwitchSource;
  readonly #host: HostThreads;
  #byTid = new Map<number, SampledThread>();
  #list: readonly SampledThread[] = [];
  #byAddress = new Map<number, SampledThread>();
  #ended: SampledThread[] = [];
  #inFile: SampledThread[] = [];
  #renamed: SampledThread[] = [];

  /** @throws where the memory may not be read. */
  constructor(reader: CpythonReader, pid: number, source: SwitchSource, proc: string) {
    this.#reader = reader;
    this.#pid = pid;
    this.#task = `${proc}/${pid}/task`;
    this.#source = source;
    this.#host = new HostThreads(pid, proc);
  }

  get list(): readonly SampledThread[] {
    return this.#list;
  }

  /** All that were there since the file was begun. */
  get inFile(): readonly SampledThread[] {
    return this.#inFile;
  }

  at(address: number): SampledThread | undefined {
    return this.#byAddress.get(address);
  }

  /** Threads that ended since the last call. */
  takeEnded(): readonly SampledThread[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }

  /** Threads that are called something else than at the last call, be it that their name was not known. */
  takeRenamed(): readonly SampledThread[] {
    const renamed = this.#renamed;
    this.#renamed = [];
    return renamed;
  }

  /** Looks for threads that came and went. @throws where the interpreter cannot be read any more. */
  refresh(): void {
    const states = this.#reader.threads();
    // A thread may have states in several interpreters, and a newborn one has its maker's number: the last is of the first interpreter.
    const byPthread = new Map(states.map((state) => [state.pthread, state]));
    const known = [...byPthread.values()];
    const numbers = this.#host.find(known);
    const list: SampledThread[] = [];
    const byAddress = new Map<number, SampledThread>();
    for (const [index, { address, name, namedTid }] of known.entries()) {
      const number = numbers[index];
      if (number === undefined) continue;
      const thread = this.#threadOf(number, address);
      if (thread === undefined || list.includes(thread)) continue;
      thread.address = address;
      if (this.#isOf(thread, namedTid)) this.#rename(thread, name);
      byAddress.set(address, thread);
      list.push(thread);
    }
    // Whichever of its states holds the GIL, it is this thread that does.
    for (const { address, pthread } of states) {
      const thread = byAddress.get(byPthread.get(pthread)!.address);
      if (thread !== undefined) byAddress.set(address, thread);
    }
    for (const thread of this.#byTid.values()) if (!list.includes(thread)) this.#end(thread);
    this.#list = list;
    this.#byAddress = byAddress;
  }

  /** What happens to one that reading found to be gone. */
  drop(thread: SampledThread): void {
    this.#end(thread);
    this.#list = this.#list.filter((one) => one !== thread);
    for (const [address, one] of this.#byAddress) if (one === thread) this.#byAddress.delete(address);
  }

  /** Begins a new file: nothing is said of anyone yet. */
  beginFile(): void {
    this.#ended = [];
    this.#renamed = [];
    this.#inFile = [...this.#list];
    for (const thread of this.#list) {
      thread.id = -1;
      thread.charged = undefined;
      thread.written = false;
      // Numbers of its stacks begin anew too.
      thread.restedAt = -1;
      Object.assign(thread.counts, noCounts());
    }
  }

  close(): void {
    for (const { files } of this.#byTid.values()) closeThread(files);
    this.#host.close();
  }

  /**
   * Whether a name was given to this very thread: its `pthread_t` may have been that of one that `threading` still knows. The first
   * thread of a process has its number for life, which a Thread object of before a fork does not say.
   */
  #isOf({ tid, nsTid }: SampledThread, namedTid: number | undefined): boolean {
    return namedTid === nsTid || tid === this.#pid;
  }

  #rename(thread: SampledThread, name: string | undefined): void {
    if (name === undefined || name === thread.name) return;
    thread.name = name;
    this.#renamed.push(thread);
  }

  #threadOf(
    { tid, nsTid }: { readonly tid: number; readonly nsTid: number },
    address: number,
  ): SampledThread | undefined {
    const before = this.#byTid.get(tid);
    // A number that came back to life has another state.
    if (before !== undefined && before.address === address) return before;
    if (before !== undefined) this.#end(before);
    try {
      const thread: SampledThread = {
        tid,
        nsTid,
        address,
        name: undefined,
        files: openThread(`${this.#task}/${tid}`, this.#source),
        id: -1,
        state: 0,
        node: 0,
        verified: false,
        changed: true,
        written: false,
        restedAt: -1,
        counts: noCounts(),
        charged: undefined,
        gone: false,
      };
      this.#byTid.set(tid, thread);
      this.#inFile.push(thread);
      return thread;
    } catch {
      return undefined;
    }
  }

  #end(thread: SampledThread): void {
    if (thread.gone) return;
    thread.gone = true;
    this.#byTid.delete(thread.tid);
    closeThread(thread.files);
    this.#ended.push(thread);
  }
}
