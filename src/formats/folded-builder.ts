import { ProfileBuilder } from '../model/index.js';
import type { Frame, Origin, Profile, Thread, WeightUnit } from '../model/index.js';

/** A profile being built from lines with counts: keeps the sum exact and knows what was refused. */
export class FoldedBuilder {
  readonly #builder: ProfileBuilder;
  readonly #worth: number;
  #total = 0;
  #accepted = 0;
  #differential = 0;

  /** @param worth what one count is in the unit of the profile. */
  constructor(unit: WeightUnit, worth: number, origin: Origin) {
    this.#builder = new ProfileBuilder(unit, origin);
    this.#worth = worth;
  }

  /** Whether more lines ended in two numbers than were read: then it is a before/after file. */
  get isDifferential(): boolean {
    return this.#differential > this.#accepted;
  }

  frame(frame: Frame): number {
    return this.#builder.frame(frame);
  }

  stack(parent: number, frame: number): number {
    return this.#builder.stack(parent, frame);
  }

  thread(thread: Thread): number {
    return this.#builder.thread(thread);
  }

  /** Whether the sum stays exact with this count. */
  fits(count: number): boolean {
    return (this.#total + count) * this.#worth <= Number.MAX_SAFE_INTEGER;
  }

  /** Row of the sample, for `sampleAgain`. */
  sample(stack: number, thread: number, count: number): number {
    return this.#builder.sample(stack, thread, count * this.#worth);
  }

  sampleAgain(row: number, count: number): void {
    this.#builder.sampleAgain(row, count * this.#worth);
  }

  /** A line was read. A count of 0 is a line like any other, without samples. */
  accept(count: number): void {
    this.#accepted += 1;
    this.#total += count;
  }

  refuse(lineNo: number, reason: string, text: string): void {
    this.#builder.lostLine(lineNo, reason, text);
  }

  refuseDifferential(lineNo: number, reason: string, text: string): void {
    this.#differential += 1;
    this.refuse(lineNo, reason, text);
  }

  lostSamples(count: number): void {
    this.#builder.lostSamples(count);
  }

  build(): Profile {
    return this.#builder.build();
  }
}
