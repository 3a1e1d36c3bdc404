import { TraceText } from './trace-text.js';
import type { TraceItem } from './trace-text.js';
import type { StepRecord } from './step-sample.js';
import { writtenHere } from './trace-writer.js';
import type { TraceWriter, WriteRequest } from './trace-writer.js';

export type TraceState =
  | { readonly is: 'open' | 'held'; readonly path: string }
  | { readonly is: 'written'; readonly path: string; readonly bytes: number }
  | { readonly is: 'failed'; readonly path: string; readonly lost: number; readonly error: string };

/** Events of one append: about a millisecond of making JSON, after which the loop gets its turn. */
const AT_ONCE = 1024;
/** What is written while the mission runs is on its way after that, or when there is so much of it. */
const PATIENCE_S = 0.25;
/** How far a trace may be behind its steps while it is written; what comes then is lost, and counted. */
const BEHIND_BYTES = 8 * 2 ** 20;
/** A row that no step will be on, where it is not known how many there will be. */
const LAG_TID_OF_STREAM = 1_000_000;

/** The trace of one profiler: kept in memory until it is asked for, or written while it grows. */
export class StepTrace {
  readonly path: string;
  readonly #room: TraceRoom;
  readonly #writer: TraceWriter;
  /** What is neither written nor on its way stands behind the first so many. */
  #items: TraceItem[] = [];
  #gone = 0;
  #heldBytes = 0;
  #mostBytes = BEHIND_BYTES;
  #isStream: boolean;
  #isClosed = false;
  #isEnded = false;
  #text: TraceText | undefined;
  #isTried = false;
  #lastWrite = 0;
  #request: WriteRequest | undefined;
  #requestEvents = 0;
  #writing: Promise<void> = Promise.resolve();
  #isWriting = false;
  #at = 0;
  #lost = 0;
  #error = '';

  constructor(of: {
    readonly path: string;
    readonly isStream: boolean;
    readonly room: TraceRoom;
    readonly writer: TraceWriter;
  }) {
    this.path = of.path;
    this.#isStream = of.isStream;
    this.#room = of.room;
    this.#writer = of.writer;
  }

  get state(): TraceState {
    const { path } = this;
    if (!this.#isEnded) return { is: this.#isClosed && !this.#isStream ? 'held' : 'open', path };
    if (this.#lost > 0) return { is: 'failed', path, lost: this.#lost, error: this.#error };
    return { is: 'written', path, bytes: this.#at };
  }

  add(item: TraceItem, now: number): void {
    if (this.#isClosed) return;
    const bytes = bytesOf(item);
    if (!this.#isStream && !this.#room.has(bytes)) {
      // No more is to be kept: what is there goes to the disk during the run, rather than be lost or grow on.
      this.#isStream = true;
      this.#mostBytes += this.#heldBytes;
    }
    if (this.#isStream && this.#heldBytes + bytes > this.#mostBytes) {
      this.#lost += 1;
      this.#error ||= 'more came than could be written meanwhile';
      return;
    }
    this.#items.push(item);
    this.#heldBytes += bytes;
    this.#room.taken += bytes;
    if (!this.#isStream || this.#isWriting) return;
    if (this.#waiting >= AT_ONCE / 4 || now - this.#lastWrite >= PATIENCE_S) {
      this.#lastWrite = now;
      void this.#drain();
    }
  }

  get #waiting(): number {
    return this.#items.length - this.#gone;
  }

  /** Nothing more comes, but steps that have not ended: they stand in the trace with no duration. */
  close(unended: Iterable<StepRecord>): void {
    for (const step of unended) this.#items.push({ step, isEnded: false });
    this.#isClosed = true;
  }

  /** Everything is on the disk then, or given up. */
  async finish(): Promise<TraceState> {
    await this.#drain();
    // Of a run without steps there is a trace too, which says so.
    if (!this.#isTried) await this.#write();
    this.#isEnded = true;
    return this.state;
  }

  /** The same at once, for a program that ends: the writer has been taken over. */
  finishNow(write: (request: WriteRequest) => number | Error = writtenHere): TraceState {
    if (this.#isEnded) return this.state;
    const request = this.#request;
    this.#request = undefined;
    if (request !== undefined) this.#take(request.result ?? write(request));
    while (this.#waiting > 0 || !this.#isTried) this.#take(write(this.#next()));
    this.#isEnded = true;
    return this.state;
  }

  /** Writes what is there, a part at a time. One after the other, however often it is called. */
  #drain(): Promise<void> {
    this.#writing = this.#writeAllAfter(this.#writing);
    return this.#writing;
  }

  async #writeAllAfter(before: Promise<void>): Promise<void> {
    this.#isWriting = true;
    await before;
    while (!this.#isEnded && this.#waiting > 0) await this.#write();
    this.#isWriting = false;
  }

  async #write(): Promise<void> {
    const request = this.#next();
    this.#request = request;
    await this.#writer.append(request);
    // Where the program ends, somebody else has finished it meanwhile.
    if (this.#request !== request) return;
    this.#request = undefined;
    this.#take(request.result ?? new Error('it was not written'));
  }

  #next(): WriteRequest {
    this.#isTried = true;
    this.#text ??= new TraceText(this.#isClosed ? this.#rowBehindAll() : LAG_TID_OF_STREAM);
    const from = this.#gone;
    for (let events = 0; events < AT_ONCE && this.#waiting > 0; this.#gone += 1)
      events += eventsOf(this.#items[this.#gone] as TraceItem);
    const items = this.#items.slice(from, this.#gone);
    // Not with each: of a long list that would take longer than the writing.
    if (this.#gone * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#gone);
      this.#gone = 0;
    }
    const bytes = Math.min(
      items.reduce((sum, item) => sum + bytesOf(item), 0),
      this.#heldBytes,
    );
    this.#heldBytes -= bytes;
    this.#room.taken -= bytes;
    this.#requestEvents = items.reduce((sum, item) => sum + eventsOf(item), 0);
    return { path: this.path, at: this.#at, text: this.#text.of(items).join(',\n') };
  }

  #take(result: number | Error): void {
    if (typeof result === 'number') {
      this.#at = result;
      return;
    }
    // Of a run without steps the names of the rows.
    this.#lost += Math.max(this.#requestEvents, 1);
    this.#error ||= result.message;
    // The names of the rows are to be written again.
    if (this.#at === 0) this.#text = undefined;
  }

  #rowBehindAll(): number {
    return this.#items.reduce((most, item) => ('step' in item ? Math.max(most, item.step.tid) : most), 0) + 1;
  }
}

/** Memory that all traces of a program share. */
export class TraceRoom {
  readonly #bytes: number;
  taken = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  has(bytes: number): boolean {
    return this.taken + bytes <= this.#bytes;
  }
}

function eventsOf(item: TraceItem): number {
  return 'step' in item ? 1 + item.step.phases.length : 1;
}

/** About what an item takes: the samples themselves are the profiler's, but are kept alive by this. */
function bytesOf(item: TraceItem): number {
  if (!('step' in item)) return 120;
  const { signature, path, phases } = item.step;
  return 500 + 2 * (signature.length + path.length) + 100 * phases.length;
}
