import type { ProfileBuilder, Thread } from '../model/index.js';
import { STATE_OF_BYTE } from './cpython-record.js';
import { BLANK, type NumberCursor } from './number-cursor.js';

/**
 * Samples kept of one file. A line of a tick is a sample of every thread, so that a file of some megabytes may stand for 10^8 of them: this
 * many are read in some ten seconds and 1.5 GB.
 */
export const MOST_SAMPLES = 20_000_000;

/** What nanoseconds count exactly to. */
const TOO_LATE = 'tick later than 104 days after the beginning';

const MINUS = 45;
const NO_FRAMES = 110;
const ENDED = 120;
const VERIFIED = 118;
const LOST_ROW = -1;
/** The thread has no frame of Python now: it is no sample. */
const NO_ROW = -2;

/** A thread of the file, as it was at the last tick. */
interface SeenThread {
  /** Index in the profile; -1 where its description cannot be read. */
  index: number;
  row: number;
  state: number;
  /** In the list of those that have samples; it may have left it without being taken out yet. */
  listed: boolean;
}

/** The threads of a file and their samples, tick by tick. */
export class CpythonThreads {
  readonly #builder: ProfileBuilder;
  readonly #rows: ReadonlyMap<number, number>;
  readonly #mostSamples: number;
  #byId = new Map<number, SeenThread>();
  /** Threads with frames, which have a sample of every tick. */
  #live: SeenThread[] = [];
  /** Some of the list have none any more. */
  #hasGone = false;
  #timeNs = 0;
  #samples = 0;
  #isFull = false;

  /** @param rows row of the stack table by node, kept up to date by the caller. */
  constructor(builder: ProfileBuilder, rows: ReadonlyMap<number, number>, mostSamples = MOST_SAMPLES) {
    this.#builder = builder;
    this.#rows = rows;
    this.#mostSamples = mostSamples;
  }

  /** Seconds that were read, where the rest was left out for being too much. */
  get fullAfterS(): number | undefined {
    return this.#isFull ? this.#timeNs / 1e9 : undefined;
  }

  /** Numbers begin anew. */
  beginFile(): void {
    this.#byId = new Map();
    this.#live = [];
    this.#hasGone = false;
  }

  /** Time of the next tick counts from here; time never runs back. */
  startAt(sinceFirstNs: number): void {
    if (Number.isSafeInteger(sinceFirstNs)) this.#timeNs = Math.max(this.#timeNs, sinceFirstNs);
  }

  describe(id: number, thread: Thread): void {
    const known = this.#byId.get(id);
    if (known === undefined || known.index === -1) {
      this.#at(id).index = this.#builder.thread(thread);
    } else if (thread.name !== undefined) this.#builder.nameThread(known.index, thread.name);
  }

  /** What threads do is not known until they are named again. */
  forget(): void {
    this.#takeOut();
    for (const thread of this.#live) {
      thread.row = LOST_ROW;
      thread.state = 0;
    }
  }

  /** Reads `2012345 0 0R17v 3S4`. Returns why it cannot be read, if so: then no thread has a sample of it. */
  tick(cursor: NumberCursor): string | undefined {
    if (this.#isFull) return undefined;
    const gapNs = cursor.whole();
    const timeNs = this.#timeNs + gapNs;
    if (gapNs >= 0 && !Number.isSafeInteger(timeNs)) return this.#damaged(TOO_LATE);
    if (gapNs < 0 || !cursor.skip(BLANK))
      return this.#damaged(cursor.isTooLarge ? TOO_LATE : 'tick without a time');
    const before = this.#timeNs;
    this.#timeNs = timeNs;
    let holder = -1;
    if (!cursor.skip(MINUS)) {
      const id = cursor.whole();
      if (id < 0) return this.#damaged('tick without a holder of the GIL');
      holder = this.#byId.get(id)?.index ?? -1;
    }
    while (cursor.at < cursor.end) {
      if (!cursor.skip(BLANK) || !this.#entry(cursor)) return this.#damaged('tick with a damaged thread');
    }
    this.#takeOut();
    if (this.#samples + this.#live.length > this.#mostSamples) {
      this.#isFull = true;
      this.#timeNs = before;
      return undefined;
    }
    for (const { index, row, state } of this.#live) {
      this.#samples += 1;
      if (index === -1) this.#builder.lostSamples(1);
      else this.#builder.sample(row, index, 1, timeNs, state, holder);
    }
    return undefined;
  }

  #damaged(reason: string): string {
    this.forget();
    return reason;
  }

  /** `0R17v`: thread, state, stack, and whether it was verified; `3x`: it ended. */
  #entry(cursor: NumberCursor): boolean {
    const id = cursor.whole();
    if (id < 0) return false;
    const thread = this.#at(id);
    if (cursor.skip(ENDED)) {
      this.#set(thread, NO_ROW, 0);
      return isEnd(cursor);
    }
    const state = STATE_OF_BYTE[cursor.byte] ?? 255;
    if (state === 255) return false;
    cursor.at += 1;
    let row = LOST_ROW;
    if (cursor.skip(NO_FRAMES)) row = NO_ROW;
    else if (!cursor.skip(MINUS)) {
      const node = cursor.whole();
      if (node < 0) return false;
      // A stack whose line was damaged is a lost one.
      row = this.#rows.get(node) ?? LOST_ROW;
      if (cursor.skip(VERIFIED) && row >= 0) this.#builder.verifyStack(row);
    }
    this.#set(thread, row, state);
    return isEnd(cursor);
  }

  #set(thread: SeenThread, row: number, state: number): void {
    thread.row = row;
    thread.state = state;
    if (row === NO_ROW) this.#hasGone ||= thread.listed;
    else if (!thread.listed) {
      this.#live.push(thread);
      thread.listed = true;
    }
  }

  /** Takes out of the list who has no samples any more: all at once, as each costs the whole list. */
  #takeOut(): void {
    if (!this.#hasGone) return;
    this.#hasGone = false;
    for (const thread of this.#live) thread.listed = thread.row !== NO_ROW;
    this.#live = this.#live.filter(({ listed }) => listed);
  }

  #at(id: number): SeenThread {
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const thread: SeenThread = { index: -1, row: NO_ROW, state: 0, listed: false };
    this.#byId.set(id, thread);
    return thread;
  }
}

function isEnd({ byte }: NumberCursor): boolean {
  return byte === -1 || byte === BLANK;
}
