import { blockOf } from './byte-lines.js';
import type { Block } from './byte-lines.js';

/** Most bytes of lines that are kept. */
export const MOST_SEEN_BYTES = 1 << 25;
/** By then repeats must have turned up: this much fits one slice of a recording, in which no line is like another. */
const TRIAL_BYTES = 1 << 22;
/** Less than one line in so many was a repeat: keeping lines costs more than it saves. */
const RARE = 16;
/** Words of a line that are hashed. */
const WORDS = 16;
/** Lines of one hash that are kept. Hashing a part of each makes some of them alike. */
const MOST_ALIKE = 8;

/** Numbers whole lines by their bytes, counting up from 0, for as long as that pays: in memory bounded by `most` bytes. */
export class SeenLines {
  count = 0;
  readonly #most: number;
  #kept = blockOf(new Uint8Array(1 << 16));
  /** Line i lies from `#ends[i]` to `#ends[i + 1]`. */
  #ends: Int32Array<ArrayBuffer> = new Int32Array(1025);
  #hashes: Int32Array<ArrayBuffer> = new Int32Array(1024);
  /** Number + 1 by hash, 0: free. Never more than half full. */
  #slots: Int32Array<ArrayBuffer> = new Int32Array(4096);
  /** Of the line that was asked for last: its hash, and whether as many lines as are kept have that hash. */
  #hash = 0;
  #isCrowded = false;
  #asked = 0;
  #found = 0;
  #isOpen: boolean;

  /** @param most bytes to keep; 0 turns it off. */
  constructor(most: number) {
    this.#most = most;
    this.#isOpen = most > 0;
  }

  /** Number of the line with these bytes; -1 if it is not known. */
  find({ bytes, view }: Block, start: number, end: number): number {
    this.#isCrowded = false;
    if (!this.#isOpen && this.count === 0) return -1;
    const hash = hashOf(bytes, view, start, end);
    this.#hash = hash;
    this.#asked += 1;
    const mask = this.#slots.length - 1;
    let alike = 0;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const index = (this.#slots[slot] as number) - 1;
      if (index === -1) return -1;
      if (this.#hashes[index] !== hash) continue;
      const from = this.#ends[index] as number;
      const to = this.#ends[index + 1] as number;
      if (to - from === end - start && bytes.compare(this.#kept.bytes, from, to, start, end) === 0) {
        this.#found += 1;
        return index;
      }
      alike += 1;
      if (alike === MOST_ALIKE) {
        this.#isCrowded = true;
        return -1;
      }
    }
  }

  /** Keeps the line that `find` has just not found. Its number; -1 if it is not kept. */
  add({ bytes }: Block, start: number, end: number): number {
    if (!this.#isOpen || this.#isCrowded) return -1;
    const index = this.count;
    const used = this.#ends[index] as number;
    const needed = used + end - start;
    if (needed > this.#most || (needed > TRIAL_BYTES && this.#found * RARE < this.#asked)) {
      this.#close();
      return -1;
    }
    if (needed > this.#kept.bytes.length) this.#growKept(used, needed);
    if (index === this.#hashes.length) {
      this.#hashes = grown(this.#hashes, index * 2);
      this.#ends = grown(this.#ends, index * 2 + 1);
    }
    bytes.copy(this.#kept.bytes, used, start, end);
    this.#ends[index + 1] = needed;
    this.#hashes[index] = this.#hash;
    this.#place(index);
    this.count = index + 1;
    if (this.count * 2 > this.#slots.length) this.#rehash();
    return index;
  }

  /** No line is kept any more; those that are stay known unless they were hardly ever seen again. */
  #close(): void {
    this.#isOpen = false;
    if (this.#found * RARE >= this.#asked) return;
    this.count = 0;
    this.#kept = blockOf(new Uint8Array());
    this.#slots = new Int32Array();
  }

  #growKept(used: number, needed: number): void {
    const larger = new Uint8Array(Math.max(needed, Math.min(this.#kept.bytes.length * 4, this.#most)));
    larger.set(this.#kept.bytes.subarray(0, used));
    this.#kept = blockOf(larger);
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 4);
    for (let index = 0; index < this.count; index += 1) this.#place(index);
  }

  #place(index: number): void {
    const mask = this.#slots.length - 1;
    let slot = (this.#hashes[index] as number) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = index + 1;
  }
}

/** Of words spread over the line and of its end, where stacks differ most. Bytes are compared after it, so a part is enough. */
function hashOf(bytes: Uint8Array, view: DataView, start: number, end: number): number {
  const length = end - start;
  let hash = length;
  if (length < 4) for (let at = start; at < end; at += 1) hash = hash * 256 + (bytes[at] as number);
  else {
    const step = Math.max(4, Math.floor(length / WORDS));
    for (let at = start; at <= end - 4; at += step) {
      hash = Math.imul(hash ^ view.getInt32(at, true), 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    hash = Math.imul(hash ^ view.getInt32(end - 4, true), 0x85ebca6b);
    if (length >= 12) {
      hash = Math.imul(hash ^ view.getInt32(end - 8, true), 0x9e3779b1);
      hash ^= Math.imul(view.getInt32(end - 12, true), 0x27d4eb2f);
    }
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

function grown(column: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length);
  larger.set(column);
  return larger;
}
