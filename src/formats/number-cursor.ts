const ZERO = 48;
const NINE = 57;
export const BLANK = 32;

/** Walks over the bytes of one line. */
export class NumberCursor {
  bytes: Uint8Array = new Uint8Array();
  at = 0;
  end = 0;
  /** Whether the last `whole` was a number, but larger than what counts exactly. */
  isTooLarge = false;

  start(bytes: Uint8Array, at: number, end: number): void {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  /** The byte here, -1 at the end of the line. */
  get byte(): number {
    return this.at < this.end ? (this.bytes[this.at] as number) : -1;
  }

  /** A whole number in plain digits that counts exactly; -1, and nowhere in particular, if there is none. */
  whole(): number {
    const from = this.at;
    let value = 0;
    for (; this.at < this.end; this.at += 1) {
      const byte = this.bytes[this.at] as number;
      if (byte < ZERO || byte > NINE) break;
      value = value * 10 + (byte - ZERO);
    }
    this.isTooLarge = this.at - from > 16 || value > Number.MAX_SAFE_INTEGER;
    return this.at === from || this.isTooLarge ? -1 : value;
  }

  /** Whether `byte` stands here, and goes past it. */
  skip(byte: number): boolean {
    if (this.byte !== byte) return false;
    this.at += 1;
    return true;
  }
}
