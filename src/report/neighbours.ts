/**
 * How much samples next to each other tell the same thing. A call that lasts longer than the time between two samples is seen by several:
 * they are one event, and count as less than that many.
 */
export class Neighbours {
  readonly #bins: number;
  /** By row and bin: pairs of neighbours of which both are in the row, and of which the first or the second is. */
  readonly #both: Float64Array;
  readonly #first: Float64Array;
  readonly #second: Float64Array;
  readonly #pairs: Float64Array;
  #last = { row: -1, bin: -1 };

  constructor(height: number, bins: number) {
    this.#bins = bins;
    this.#both = new Float64Array(height * bins);
    this.#first = new Float64Array(height * bins);
    this.#second = new Float64Array(height * bins);
    this.#pairs = new Float64Array(bins);
  }

  /** The next sample: one is in exactly one row. */
  add(row: number, bin: number): void {
    const before = this.#last;
    this.#last = { row, bin };
    // What differs from bin to bin is what is looked for, and no matter of neighbours.
    if (before.bin !== bin) return;
    this.#pairs[bin] = (this.#pairs[bin] as number) + 1;
    this.#count(this.#first, before.row, bin);
    this.#count(this.#second, row, bin);
    if (before.row === row) this.#count(this.#both, row, bin);
  }

  #count(table: Float64Array, row: number, bin: number): void {
    const at = row * this.#bins + bin;
    table[at] = (table[at] as number) + 1;
  }

  /**
   * By how much the variance of a share is above that of samples which know nothing of each other, from 1: (1 + r) / (1 - r), r being the
   * correlation of neighbours inside of a bin.
   */
  clustering(row: number): number {
    let together = 0;
    let variance = 0;
    for (let bin = 0; bin < this.#bins; bin += 1) {
      const at = row * this.#bins + bin;
      const pairs = this.#pairs[bin] as number;
      if (pairs === 0) continue;
      const first = (this.#first[at] as number) / pairs;
      const second = (this.#second[at] as number) / pairs;
      together += (this.#both[at] as number) - pairs * first * second;
      variance += pairs * Math.sqrt(first * (1 - first) * second * (1 - second));
    }
    if (!(variance > 0)) return 1;
    const correlation = Math.min(MOST_ALIKE, Math.max(0, together / variance));
    return (1 + correlation) / (1 - correlation);
  }
}

/** A sample that says what its neighbour does counts as a thousandth at least. */
const MOST_ALIKE = 0.998;
