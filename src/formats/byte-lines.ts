const NEWLINE = 10;
const RETURN = 13;

/** Longest line that is kept. Beyond it a file is no folded text, and its lines would fill the memory. */
export const LONGEST_LINE = 1 << 20;

/** Bytes with two ways to look at them: `Buffer` searches fastest, a view reads four bytes at a time. */
export interface Block {
  readonly bytes: Buffer;
  readonly view: DataView;
}

/** The same bytes, not copied. A block never changes while it is in use. */
export function blockOf({ buffer, byteOffset, byteLength }: Uint8Array): Block {
  return {
    bytes: Buffer.from(buffer, byteOffset, byteLength),
    view: new DataView(buffer, byteOffset, byteLength),
  };
}

/** Takes a line as bytes; they are only valid during the call. `cut`: the line was longer and its rest is gone. */
export type LineTaker = (block: Block, start: number, end: number, cut: boolean) => void;

/** Cuts chunks of any size into lines, without copying the lines that lie within one chunk. */
export class ByteLines {
  readonly #take: LineTaker;
  #carry = blockOf(new Uint8Array(4096));
  #carried = 0;
  #cut = false;

  constructor(take: LineTaker) {
    this.#take = take;
  }

  feed(chunk: Uint8Array): void {
    const block = blockOf(chunk);
    let start = 0;
    for (;;) {
      const end = block.bytes.indexOf(NEWLINE, start);
      if (end === -1) break;
      if (this.#carried === 0 && !this.#cut) this.#give(block, start, end);
      else {
        this.#keep(chunk, start, end);
        this.#flush();
      }
      start = end + 1;
    }
    this.#keep(chunk, start, chunk.length);
  }

  /** Gives out a last line that has no line end. */
  end(): void {
    if (this.#carried > 0 || this.#cut) this.#flush();
  }

  #give(block: Block, start: number, end: number): void {
    if (end - start > LONGEST_LINE) this.#take(block, start, start + LONGEST_LINE, true);
    else this.#take(block, start, withoutReturn(block.bytes, start, end), false);
  }

  #keep(chunk: Uint8Array, start: number, end: number): void {
    const room = LONGEST_LINE - this.#carried;
    const length = Math.min(end - start, room);
    if (length < end - start) this.#cut = true;
    if (length === 0) return;
    const needed = this.#carried + length;
    const { bytes } = this.#carry;
    if (needed > bytes.length) {
      const larger = new Uint8Array(Math.max(needed, bytes.length * 2));
      larger.set(bytes.subarray(0, this.#carried));
      this.#carry = blockOf(larger);
    }
    this.#carry.bytes.set(chunk.subarray(start, start + length), this.#carried);
    this.#carried = needed;
  }

  #flush(): void {
    const length = this.#carried;
    const cut = this.#cut;
    this.#carried = 0;
    this.#cut = false;
    // A block of its own: the carry will hold other bytes next time, and blocks are told apart by identity.
    this.#take(
      blockOf(this.#carry.bytes),
      0,
      cut ? length : withoutReturn(this.#carry.bytes, 0, length),
      cut,
    );
  }
}

function withoutReturn(bytes: Uint8Array, start: number, end: number): number {
  return end > start && bytes[end - 1] === RETURN ? end - 1 : end;
}
