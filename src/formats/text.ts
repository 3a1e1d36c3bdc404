import { blockOf } from './byte-lines.js';
import type { Block } from './byte-lines.js';

/** Numbers texts by their bytes: the same bytes get the same number, counting up from 0. Nothing is decoded until asked for. */
export class InternedTexts {
  count = 0;
  #kept = blockOf(new Uint8Array(1 << 14));
  #used = 0;
  /** Text i lies from `#ends[i]` to `#ends[i + 1]`. */
  #ends: Int32Array<ArrayBuffer> = new Int32Array(512);
  #hashes: Int32Array<ArrayBuffer> = new Int32Array(512);
  /** Number + 1 by hash, 0: free. */
  #slots: Int32Array<ArrayBuffer> = new Int32Array(2048);
  readonly #decoder = new TextDecoder();

  /** Number of the text from `start` to `end`. */
  intern({ bytes, view }: Block, start: number, end: number): number {
    let hash = 0x811c9dc5 ^ (end - start);
    const lastWord = end - 4;
    let at = start;
    for (; at <= lastWord; at += 4) {
      hash = Math.imul(hash ^ view.getInt32(at, true), 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    for (; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
    hash ^= hash >>> 13;

    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const index = (this.#slots[slot] as number) - 1;
      if (index === -1) break;
      if (this.#hashes[index] === hash && this.#equals(index, bytes, view, start, end)) return index;
      slot = (slot + 1) & mask;
    }
    this.#slots[slot] = this.count + 1;
    return this.#add(bytes.subarray(start, end), hash);
  }

  #equals(index: number, bytes: Uint8Array, view: DataView, start: number, end: number): boolean {
    let from = this.#ends[index] as number;
    if ((this.#ends[index + 1] as number) - from !== end - start) return false;
    const kept = this.#kept;
    let at = start;
    for (; at <= end - 4; at += 4, from += 4) {
      if (view.getInt32(at, true) !== kept.view.getInt32(from, true)) return false;
    }
    for (; at < end; at += 1, from += 1) if (bytes[at] !== kept.bytes[from]) return false;
    return true;
  }

  text(index: number): string {
    return this.#decoder.decode(this.#kept.bytes.subarray(this.#ends[index], this.#ends[index + 1]));
  }

  #add(bytes: Uint8Array, hash: number): number {
    const index = this.count;
    const used = this.#used + bytes.length;
    const kept = this.#kept.bytes;
    if (used > kept.length) {
      const larger = new Uint8Array(Math.max(used, kept.length * 2));
      larger.set(kept.subarray(0, this.#used));
      this.#kept = blockOf(larger);
    }
    if (index + 2 > this.#ends.length) {
      this.#ends = grown(this.#ends);
      this.#hashes = grown(this.#hashes);
    }
    this.#kept.bytes.set(bytes, this.#used);
    this.#used = used;
    this.#ends[index + 1] = used;
    this.#hashes[index] = hash;
    this.count = index + 1;
    if (this.count * 2 > this.#slots.length) this.#rehash();
    return index;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 4);
    const mask = slots.length - 1;
    for (let index = 0; index < this.count; index += 1) {
      const hash = this.#hashes[index] as number;
      let slot = hash & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = index + 1;
    }
    this.#slots = slots;
  }
}

function grown(column: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(column.length * 2);
  larger.set(column);
  return larger;
}
