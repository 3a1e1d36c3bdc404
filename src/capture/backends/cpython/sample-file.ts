import { closeSync, openSync, writeSync } from 'node:fs';

const ROOM = 1 << 17;
/** Written out from here on: a page or two into the page cache takes less than a sample. */
const FULL = 1 << 14;
const ZERO = 48;
const MINUS = 45;
const NEWLINE = 10;

/** Instead of a path: the samples go where messages do, and it stays open. */
export const STANDARD_OUTPUT = 1;

export const MAGIC = 'sim-profiler cpython samples 1';

/**
 * The file of samples, text written in appended pieces: what was written counts, whatever becomes of us. The format is told in
 * docs/formats.md. Its buffer is filled byte by byte, so that a tick makes no garbage.
 */
export class SampleFile {
  readonly #fd: number;
  #bytes = Buffer.allocUnsafe(ROOM);
  #used = 0;

  /** @throws what the file system says. */
  constructor(path: string | typeof STANDARD_OUTPUT, header: object) {
    this.#fd = typeof path === 'string' ? openSync(path, 'wx', 0o600) : path;
    this.text(`${MAGIC}\nh ${JSON.stringify(header)}\n`);
  }

  byte(value: number): void {
    if (this.#used === this.#bytes.length) this.#grow(1);
    this.#bytes[this.#used] = value;
    this.#used += 1;
  }

  /** A whole number, its sign in front. */
  number(value: number): void {
    if (value < 0) {
      this.byte(MINUS);
      this.number(-value);
      return;
    }
    let digits = 1;
    for (let rest = value; rest >= 10; rest /= 10) digits += 1;
    this.#grow(digits);
    let rest = Math.trunc(value);
    for (let at = this.#used + digits - 1; at >= this.#used; at -= 1) {
      this.#bytes[at] = ZERO + (rest % 10);
      rest = Math.trunc(rest / 10);
    }
    this.#used += digits;
  }

  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.#grow(length);
    this.#used += this.#bytes.write(value, this.#used);
  }

  /** Ends a line. @throws what the file system says, as of a full disk. */
  endLine(): void {
    this.byte(NEWLINE);
    if (this.#used >= FULL) this.flush();
  }

  flush(): void {
    let from = 0;
    while (from < this.#used) from += writeSync(this.#fd, this.#bytes, from, this.#used - from);
    this.#used = 0;
  }

  /** Writes the rest and closes it, also where that fails. */
  close(): void {
    try {
      this.flush();
    } finally {
      if (this.#fd !== STANDARD_OUTPUT) closeSync(this.#fd);
    }
  }

  #grow(by: number): void {
    if (this.#used + by <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#used + by));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}
