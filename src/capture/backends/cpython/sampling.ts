/**
 * One window of samples. Every tick looks at all threads: what the kernel says of a thread, then its stack. The gaps between ticks are
 * exponential, so that they keep step with no loop. A tick that comes late is taken all the same: whatever held us off, such as a long call
 * into the kernel, is what the thread stands in. Only where we cannot keep up at all, ticks are left out.
 */
import { errorCode } from '../../state-sampler/watched-threads.js';
import { type CpythonReader, LOST, NO_FRAMES } from './cpython-reader.js';
import { displaces } from './displacement.js';
import { GcWatch } from './gc-watch.js';
import type { KernelState } from './kernel-state.js';
import { Lateness } from './lateness.js';
import type { EndReason, SamplerFacts, StateCounts } from './protocol.js';
import type { SampleFile } from './sample-file.js';
import type { SampledThread, SampledThreads } from './sampled-threads.js';
import { type StateLetter, STATES } from './state-letters.js';

const REFRESH_NS = 100e6;
/** Threads get other names at any time: all are read again after this long, a few reads with each tick. */
const NAMES_NS = 800e6;
const READS_OF_NAMES = 20;
/** Before a window, where no tick waits. */
const MOST_READS_OF_NAMES = 10_000;
/** At most this long without listening to standard input. */
const BURST_NS = 50e6;
/** A page of samples is on disk after this long, whatever becomes of us. */
const FLUSH_NS = 1e9;
/** A tick later than this is left out: nothing holds us off for so long, we are too slow. */
const TOO_LATE_NS = 50e6;
const WARM_UP_LOOKS = 3000;
/** However long a look takes: deep stacks take milliseconds each. */
const WARM_UP_NS = 1e9;
/** Looks in a row before the target gets the CPU again. */
const WARM_UP_BURST = 20;

const BLANK = 32;
const TICK = 116;
const NOBODY = 45;
const ENDED = 120;
const VERIFIED = 118;
const NO_FRAME = 110;

/** What a window needs beside the target. */
export interface Means {
  readonly reader: CpythonReader;
  readonly kernel: KernelState;
  readonly threads: SampledThreads;
  /** Whether the end was asked for. */
  readonly isAsked: () => boolean;
  /** Lets standard input be heard. */
  readonly listen: () => Promise<void>;
}

export interface Window {
  readonly rateHz: number;
  readonly seconds: number;
}

export interface SampledWindow {
  readonly because: EndReason;
  readonly samples: number;
  readonly threads: Readonly<Record<string, StateCounts>>;
  readonly facts: SamplerFacts;
}

const timer = new Int32Array(new SharedArrayBuffer(4));
// A number of nanoseconds as a float is exact to a tenth of a microsecond for a hundred years.
const originNs = Number(process.hrtime.bigint()) - performance.now() * 1e6;

/** CLOCK_MONOTONIC in nanoseconds. */
export function nowNs(): number {
  return originNs + performance.now() * 1e6;
}

function rest(ns: number): void {
  Atomics.wait(timer, 0, 0, ns / 1e6);
}

/** Does what reads a thread's files, and lets the thread go where they say that it has ended. */
function whileItLives(threads: SampledThreads, thread: SampledThread, read: () => void): void {
  try {
    read();
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
    threads.drop(thread);
  }
}

/** The first looks are slow, until the engine has compiled them: they are taken before anything is measured. */
export function warmUp({ kernel, threads, reader }: Means, rateHz: number): void {
  const gapNs = Math.min(5e6, 1e9 / rateHz);
  const endNs = nowNs() + WARM_UP_NS;
  for (let looks = 0; looks < WARM_UP_LOOKS && nowNs() < endNs;) {
    kernel.tick();
    reader.holder();
    for (const thread of threads.list) {
      looks += 1;
      whileItLives(threads, thread, () => {
        kernel.switchedIn(thread.files);
        kernel.of(thread.files);
        reader.sample(thread.address, true, nowNs() / 1e6);
      });
    }
    if (threads.list.length === 0) return;
    if (looks % WARM_UP_BURST < threads.list.length) rest(gapNs);
  }
}

/** Names all threads that have a name, before a window. @throws where the interpreter cannot be read any more. */
export function readNames({ reader, threads }: Pick<Means, 'reader' | 'threads'>): void {
  reader.readNames(MOST_READS_OF_NAMES, true);
  threads.refresh();
}

/** Samples until the time is over, the end is asked for, or the target ends. @throws what writing the file says. */
export class Sampling {
  readonly #means: Means;
  readonly #file: SampleFile;
  readonly #window: Window;
  readonly #late = new Lateness();
  #samples = 0;
  #reused = 0;
  #unverified = 0;
  #nextId = 0;
  #lastNs: number;
  #wallNs = 0;
  #namedNs: number;
  #isNaming = false;
  readonly #readsBefore: CpythonReader['counts'];

  constructor(means: Means, file: SampleFile, window: Window, startNs: number) {
    const { again, lost, errors } = means.reader.counts;
    this.#readsBefore = { again, lost, errors: new Map(errors) };
    this.#means = means;
    this.#file = file;
    this.#window = window;
    this.#lastNs = startNs;
    this.#namedNs = startNs;
  }

  async run(startNs: number): Promise<EndReason> {
    const because = await this.#sample(startNs);
    this.#wallNs = nowNs() - startNs;
    return because;
  }

  async #sample(startNs: number): Promise<EndReason> {
    const { threads, kernel, listen, isAsked } = this.#means;
    for (const thread of threads.list)
      whileItLives(threads, thread, () => {
        thread.charged = kernel.charged(thread.files);
      });
    const gapNs = 1e9 / this.#window.rateHz;
    const endNs = startNs + this.#window.seconds * 1e9;
    let dueNs = startNs;
    let heardNs = startNs;
    let refreshedNs = startNs;
    let flushedNs = startNs;
    for (;;) {
      dueNs -= Math.log(1 - Math.random()) * gapNs;
      if (dueNs > endNs) break;
      this.#late.due += 1;
      const waitNs = dueNs - nowNs();
      if (waitNs > 0) rest(waitNs);
      const now = nowNs();
      if (now - dueNs <= TOO_LATE_NS) {
        if (now - refreshedNs > REFRESH_NS) {
          if (!this.#refresh()) return 'target-ended';
          refreshedNs = now;
        }
        this.#late.add(now - dueNs);
        if (!this.#tick(now)) return 'target-ended';
        this.#readNames(now);
        if (threads.list.length === 0 && !this.#refresh()) return 'target-ended';
      }
      if (now - flushedNs > FLUSH_NS) {
        this.#file.flush();
        flushedNs = now;
      }
      if (now - heardNs > BURST_NS) {
        await listen();
        if (isAsked()) return 'asked';
        heardNs = now;
      }
    }
    const left = endNs - nowNs();
    if (left > 0) rest(left);
    return 'time';
  }

  /** What the window came to. `cpuUs` and `gc` are of the whole process over it. */
  result(because: EndReason, cpuUs: number, gc: GcWatch): SampledWindow {
    const { reader, threads } = this.#means;
    const before = this.#readsBefore;
    const counted = threads.inFile.filter(({ counts }) => counts.looks > 0);
    return {
      because,
      samples: this.#samples,
      threads: Object.fromEntries(counted.map(({ tid, counts }) => [String(tid), { ...counts }])),
      facts: {
        rateHz: this.#window.rateHz,
        agrees: this.#agrees(),
        ticks: this.#late.count,
        dueTicks: this.#late.due,
        cpuUs: Math.round(cpuUs),
        lateUs: this.#late.quantilesUs(),
        reads: {
          again: reader.counts.again - before.again,
          lost: reader.counts.lost - before.lost,
          unverified: this.#unverified,
          reused: this.#reused,
          errors: Object.fromEntries(
            [...reader.counts.errors].map(([text, times]) => [text, times - (before.errors.get(text) ?? 0)]),
          ),
        },
        gcPauses: gc.pauses(),
      },
    };
  }

  /** Whether the thread that ran most was seen to run and wait as the kernel says. */
  #agrees(): boolean {
    const { threads, kernel } = this.#means;
    const [busiest] = threads.list
      .filter(({ charged }) => charged !== undefined)
      .toSorted((a, b) => b.counts.running - a.counts.running);
    if (busiest?.charged === undefined || !(this.#wallNs > 0)) return true;
    try {
      const { onNs, waitNs } = kernel.charged(busiest.files);
      const { charged, counts } = busiest;
      return !displaces(counts, {
        on: (onNs - charged.onNs) / this.#wallNs,
        wait: (waitNs - charged.waitNs) / this.#wallNs,
      });
    } catch {
      return true;
    }
  }

  /** False where there is nothing to read any more. */
  #refresh(): boolean {
    try {
      this.#means.threads.refresh();
      return this.#means.threads.list.length > 0;
    } catch {
      return false;
    }
  }

  /** New threads at once, all of them now and then. */
  #readNames(now: number): void {
    const isDue = now - this.#namedNs > NAMES_NS;
    const isOver = this.#means.reader.readNames(READS_OF_NAMES, isDue);
    if (isDue && !this.#isNaming) this.#namedNs = now;
    this.#isNaming = !isOver;
  }

  /** False where the program that was sampled is no more: its process may run another one by now. */
  #tick(now: number): boolean {
    const { kernel, reader, threads } = this.#means;
    const file = this.#file;
    kernel.tick();
    const holder = reader.holder();
    if (reader.ended) return false;
    const holding = holder > 0 ? threads.at(holder) : undefined;
    for (const thread of threads.list) {
      // Not by `whileItLives`: this runs thousands of times a second.
      try {
        this.#look(thread, now);
      } catch (error) {
        if (errorCode(error) !== 'ESRCH') throw error;
        threads.drop(thread);
      }
    }
    const names = reader.drain();
    if (names !== '') file.text(names);
    for (const thread of threads.takeRenamed()) if (thread.id >= 0) this.#describe(thread);
    for (const thread of threads.list) if (thread.id < 0) this.#declare(thread);
    // What a tick says of a thread is written once all names are.
    file.byte(TICK);
    file.byte(BLANK);
    const sinceNs = Math.max(0, Math.round(now - this.#lastNs));
    this.#lastNs += sinceNs;
    file.number(sinceNs);
    file.byte(BLANK);
    if (holding === undefined || holding.id < 0) file.byte(NOBODY);
    else file.number(holding.id);
    for (const thread of threads.list) this.#write(thread);
    for (const { id } of threads.takeEnded()) {
      if (id < 0) continue;
      file.byte(BLANK);
      file.number(id);
      file.byte(ENDED);
    }
    file.endLine();
    return true;
  }

  /** One sample, into the thread's own fields. */
  #look(thread: SampledThread, now: number): void {
    const { kernel, reader } = this.#means;
    const before = kernel.switchedIn(thread.files);
    const state = kernel.of(thread.files);
    const isOff = state !== STATES.running && state !== STATES.unknown;
    thread.changed = true;
    if (isOff && before === thread.restedAt) {
      this.#reused += 1;
      // What it waits for may change while it is off: a thread that was woken waits for a CPU.
      thread.changed = state !== thread.state || !thread.written;
      thread.state = state;
    } else {
      let node = reader.sample(thread.address, !isOff, now / 1e6);
      let verified = reader.verified;
      thread.restedAt = -1;
      if (isOff) {
        const stood = kernel.switchedIn(thread.files) === before;
        // It blocked or waited when we asked, and ran while it was read: of which of both the stack is, nobody knows.
        if (!stood && state !== STATES.displaced) node = LOST;
        else if (stood && node !== LOST) {
          thread.restedAt = before;
          verified = true;
        }
      }
      thread.state = state;
      thread.node = node;
      thread.verified = verified && node >= 0;
      if (node >= 0 && !thread.verified) this.#unverified += 1;
    }
    count(thread, state);
    if (thread.node !== NO_FRAMES) this.#samples += 1;
  }

  #declare(thread: SampledThread): void {
    thread.id = this.#nextId;
    this.#nextId += 1;
    this.#describe(thread);
  }

  #describe({ id, tid, nsTid, name }: SampledThread): void {
    const facts = { tid, ...(nsTid === tid ? {} : { nsTid }), ...(name === undefined ? {} : { name }) };
    this.#file.text(`d ${id} ${JSON.stringify(facts)}\n`);
  }

  #write(thread: SampledThread): void {
    if (!thread.changed) return;
    const file = this.#file;
    thread.written = true;
    file.byte(BLANK);
    file.number(thread.id);
    file.byte(thread.state);
    if (thread.node === LOST) file.byte(NOBODY);
    else if (thread.node === NO_FRAMES) file.byte(NO_FRAME);
    else file.number(thread.node);
    if (thread.verified) file.byte(VERIFIED);
  }
}

function count({ counts, node }: SampledThread, state: StateLetter): void {
  counts.looks += 1;
  if (state === STATES.gilWait) counts.gil += 1;
  else if (state === STATES.sleep) counts.sleep += 1;
  else if (state === STATES.blocked) counts.other += 1;
  else if (state === STATES.cpuWait) counts.cpuWait += 1;
  // Whatever else it did, it was in no call that blocks.
  if (
    state === STATES.running ||
    state === STATES.displaced ||
    state === STATES.cpuWait ||
    state === STATES.unknown
  )
    counts.running += 1;
  if (node === LOST) counts.lost += 1;
}
