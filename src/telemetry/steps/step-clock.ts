/** Seconds since it was made, of a clock in milliseconds that may go back, fail, or stand still: these never do the first two. */
export class StepClock {
  readonly #read: () => number;
  #last: number;
  #shift: number;
  /** How often the clock behind it went back. What passed meanwhile is not known, and counts as nothing. */
  setBacks = 0;

  constructor(read: () => number) {
    this.#read = read;
    this.#last = this.#safely(0);
    this.#shift = -this.#last;
  }

  now(): number {
    const ms = this.#safely(this.#last);
    if (ms < this.#last) {
      this.#shift += this.#last - ms;
      this.setBacks += 1;
    }
    this.#last = ms;
    return (ms + this.#shift) / 1000;
  }

  /** A moment of the clock behind it. */
  at(ms: number): number {
    return (ms + this.#shift) / 1000;
  }

  #safely(otherwise: number): number {
    try {
      const ms = this.#read();
      return Number.isFinite(ms) ? ms : otherwise;
    } catch {
      return otherwise;
    }
  }
}
