import { type Finding, ProfilerError } from './finding.js';
import type { Frame } from './frame.js';
import { PairTable } from './pair-table.js';
import type { Origin, Profile, Ticks, WeightUnit } from './profile.js';
import { StackTree } from './stack-tree.js';
import type { Thread } from './thread.js';

const MOST_EXAMPLES = 5;
const LONGEST_EXAMPLE = 200;
/** Every answer goes thread by thread: of more it would take minutes, and nobody reads them. */
const MOST_THREADS = 100_000;

function tooManyThreads({ path }: Origin): ProfilerError {
  return new ProfilerError({
    id: 'too-many-threads',
    what: `${path ?? 'The input'} names more than ${MOST_THREADS.toLocaleString('en')} threads, which is the most that is read.`,
    why: 'A program that starts a thread for each small task has so many, or the names of threads hold a number that counts on.',
    fix: 'Record for a shorter time, or without threads (py-spy record without --threads).',
  });
}

/**
 * Collects frames, stacks, threads and samples, and freezes them into a `Profile`. Equal frames, stacks and threads are kept once;
 * samples of equal stack and thread are summed unless they carry times or states.
 */
export class ProfileBuilder {
  readonly #unit: WeightUnit;
  readonly #origin: Origin;
  readonly #frames: Frame[] = [];
  readonly #frameByKey = new Map<string, number>();
  readonly #threads: Thread[] = [];
  readonly #threadByKey = new Map<string, number>();
  readonly #stacks = new StackTree();
  readonly #samples = new PairTable();
  #weights: Float64Array<ArrayBuffer> = new Float64Array(256);
  #times: Float64Array<ArrayBuffer> | undefined;
  #states: Uint8Array<ArrayBuffer> | undefined;
  #holders: Int32Array<ArrayBuffer> | undefined;
  /** By row of the stack table; shorter than that where the last rows were not verified. */
  #verified: Uint8Array<ArrayBuffer> | undefined;
  #startUs: number | undefined;
  #ticks: Ticks | undefined;
  #lostSamples = 0;
  #lostLines = 0;
  readonly #examples: string[] = [];
  readonly #findings: Finding[] = [];

  constructor(unit: WeightUnit, origin: Origin) {
    this.#unit = unit;
    this.#origin = origin;
  }

  /** Index of the frame; equal frames share one. */
  frame(frame: Frame): number {
    const key = [
      frame.kind,
      frame.name,
      frame.file ?? '',
      frame.line ?? '',
      frame.module ?? '',
      frame.sourceText ?? '',
      frame.corrupt ?? '',
    ].join('\0');
    return interned(this.#frames, this.#frameByKey, key, frame);
  }

  /**
   * Index of the thread; equal threads share one. Good until `build`, which may join a nameless row with its named one.
   * @throws ProfilerError `too-many-threads`.
   */
  thread(thread: Thread): number {
    const index = interned(this.#threads, this.#threadByKey, threadKey(thread), thread);
    if (index >= MOST_THREADS) throw tooManyThreads(this.#origin);
    return index;
  }

  /** Names a thread that had no name when `thread` was asked for it. */
  nameThread(index: number, name: string): void {
    const thread = this.#threads[index];
    if (thread !== undefined) this.#threads[index] = { ...thread, name };
  }

  /** Row of the stack that continues `parent` (-1: none) with `frame`. */
  stack(parent: number, frame: number): number {
    return this.#stacks.child(parent, frame);
  }

  /** Row of the stack with these frames, root first; -1 without any. */
  stackOf(frames: readonly number[]): number {
    return frames.reduce((parent, frame) => this.stack(parent, frame), -1);
  }

  /** Says of one row whether the edge to it was verified; said once with true, it is. From the first call on the profile tells of all. */
  verify(stack: number, verified: boolean): void {
    let column = (this.#verified ??= new Uint8Array(256));
    if (!verified) return;
    if (stack >= column.length) {
      column = new Uint8Array(Math.max(stack + 1, column.length * 2));
      column.set(this.#verified);
      this.#verified = column;
    }
    column[stack] = 1;
  }

  /** Says of a whole stack that it was verified. */
  verifyStack(stack: number): void {
    for (let row = stack; row >= 0 && this.#verified?.[row] !== 1; row = this.#stacks.parent[row] as number) {
      this.verify(row, true);
    }
  }

  /**
   * Row of the sample.
   * @param timeNs since the window began: for all samples of a profile, or for none.
   * @param state place in `SAMPLE_STATES`: for all samples of a profile, or for none.
   * @param holder thread that held the GIL, -1: nobody or unknown.
   */
  sample(
    stack: number,
    thread: number,
    weight: number,
    timeNs?: number,
    state?: number,
    holder: number = -1,
  ): number {
    const timed = timeNs !== undefined;
    const stated = state !== undefined;
    if (this.#samples.length > 0 && timed !== (this.#times !== undefined)) {
      throw new RangeError('samples with and without times in one profile');
    }
    if (this.#samples.length > 0 && stated !== (this.#states !== undefined)) {
      throw new RangeError('samples with and without states in one profile');
    }
    const row = timed || stated ? this.#samples.append(stack, thread) : this.#samples.intern(stack, thread);
    if (row >= this.#weights.length) this.#weights = grown(this.#weights);
    this.#weights[row] = (this.#weights[row] as number) + weight;
    if (timed) {
      this.#times ??= new Float64Array(256);
      if (row >= this.#times.length) this.#times = grown(this.#times);
      this.#times[row] = timeNs;
    }
    if (stated) this.#state(row, state, holder);
    return row;
  }

  #state(row: number, state: number, holder: number): void {
    let states = (this.#states ??= new Uint8Array(256));
    let holders = (this.#holders ??= new Int32Array(256));
    if (row >= states.length) {
      this.#states = new Uint8Array(states.length * 2);
      this.#states.set(states);
      this.#holders = new Int32Array(holders.length * 2);
      this.#holders.set(holders);
      states = this.#states;
      holders = this.#holders;
    }
    states[row] = state;
    holders[row] = holder;
  }

  /** Adds weight to a row that `sample` gave. */
  sampleAgain(row: number, weight: number): void {
    this.#weights[row] = (this.#weights[row] as number) + weight;
  }

  /** Counts a line that was refused; the first five are kept as examples. */
  lostLine(lineNo: number, reason: string, text: string): void {
    this.#lostLines += 1;
    if (this.#examples.length < MOST_EXAMPLES) {
      this.#examples.push(`line ${lineNo}: ${reason}: ${text}`.slice(0, LONGEST_EXAMPLE));
    }
  }

  /** Counts samples that the sampler itself reported as failed. */
  lostSamples(count: number): void {
    this.#lostSamples += count;
  }

  /** Takes over the losses of a profile that is being copied into this one. */
  lost(lost: Profile['lost']): void {
    this.#lostSamples += lost.samples;
    this.#lostLines += lost.lines;
    this.#examples.push(...lost.examples.slice(0, MOST_EXAMPLES - this.#examples.length));
  }

  /** Says how often the sampler looked; said again, it is added. */
  ticks({ taken, due }: Ticks): void {
    this.#ticks = { taken: taken + (this.#ticks?.taken ?? 0), due: due + (this.#ticks?.due ?? 0) };
  }

  /** What a reader of answers has to know; said twice it is kept once. */
  finding(finding: Finding): void {
    const isKnown = this.#findings.some(({ id, what }) => id === finding.id && what === finding.what);
    if (!isKnown) this.#findings.push(finding);
  }

  /** When times begin, in microseconds of the source's own clock. */
  startsAt(us: number): void {
    this.#startUs = us;
  }

  build(): Profile {
    const { threads, renumbered } = withoutNamelessTwins(this.#threads);
    if (threads.length < this.#threads.length) this.#renumberThreads(renumbered);
    const length = this.#samples.length;
    return Object.freeze({
      unit: this.#unit,
      frames: Object.freeze(this.#frames.map((frame) => Object.freeze({ ...frame }))),
      stacks: Object.freeze({
        length: this.#stacks.length,
        parent: this.#stacks.parent.slice(0, this.#stacks.length),
        frame: this.#stacks.frame.slice(0, this.#stacks.length),
        ...(this.#verified && { verified: fitted(this.#verified, this.#stacks.length) }),
      }),
      samples: Object.freeze({
        length,
        stack: this.#samples.left.slice(0, length),
        thread: this.#samples.right.slice(0, length),
        weight: this.#weights.slice(0, length),
        ...(this.#times && { timeNs: this.#times.slice(0, length) }),
        ...(this.#states && { state: this.#states.slice(0, length) }),
        ...(this.#holders && { holder: this.#holders.slice(0, length) }),
      }),
      threads: Object.freeze(threads.map((thread) => Object.freeze({ ...thread }))),
      origin: Object.freeze({ ...this.#origin }),
      ...(this.#startUs !== undefined && { startUs: this.#startUs }),
      lost: Object.freeze({
        samples: this.#lostSamples,
        lines: this.#lostLines,
        examples: Object.freeze([...this.#examples]),
      }),
      ...(this.#ticks && { ticks: Object.freeze(this.#ticks) }),
      ...(this.#findings.length > 0 && {
        findings: Object.freeze(this.#findings.map((finding) => Object.freeze({ ...finding }))),
      }),
    });
  }

  /** Rows that become equal by it stay apart: a profile may hold equal rows. */
  #renumberThreads(renumbered: Int32Array): void {
    const column = this.#samples.right;
    for (let row = 0; row < this.#samples.length; row += 1) {
      column[row] = renumbered[column[row] as number] as number;
    }
    const holders = this.#holders;
    if (holders === undefined) return;
    for (let row = 0; row < this.#samples.length; row += 1) {
      const holder = holders[row] as number;
      if (holder >= 0) holders[row] = renumbered[holder] as number;
    }
  }
}

/**
 * A sampler that fails to read a thread's name once writes the same thread twice. The nameless row joins the named one where
 * exactly one thread has that id: the order of the lines must not decide.
 */
function withoutNamelessTwins(threads: readonly Thread[]): { threads: Thread[]; renumbered: Int32Array } {
  const named = new Map<string, Thread[]>();
  for (const thread of threads) {
    if (thread.tid === undefined || thread.name === undefined) continue;
    const key = namelessKey(thread);
    named.set(key, [...(named.get(key) ?? []), thread]);
  }
  const kept: Thread[] = [];
  const place = new Map<Thread, number>();
  const twinOf = (thread: Thread): Thread | undefined => {
    if (thread.tid === undefined || thread.name !== undefined) return undefined;
    const twins = named.get(namelessKey(thread));
    return twins?.length === 1 ? twins[0] : undefined;
  };
  for (const thread of threads) {
    if (twinOf(thread) === undefined) place.set(thread, kept.push(thread) - 1);
  }
  const renumbered = Int32Array.from(threads, (thread) => place.get(twinOf(thread) ?? thread) ?? -1);
  return { threads: kept, renumbered };
}

function namelessKey(thread: Thread): string {
  return JSON.stringify([thread.tid, thread.nsTid, thread.pid, thread.command, thread.parents]);
}

function threadKey(thread: Thread): string {
  return JSON.stringify([thread.name, namelessKey(thread)]);
}

function interned<T>(list: T[], byKey: Map<string, number>, key: string, value: T): number {
  const known = byKey.get(key);
  if (known !== undefined) return known;
  const index = list.push(value) - 1;
  byKey.set(key, index);
  return index;
}

function fitted(column: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  whole.set(column.subarray(0, length));
  return whole;
}

function grown(column: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(column.length * 2);
  larger.set(column);
  return larger;
}
