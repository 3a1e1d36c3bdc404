/** How late ticks came, in nanoseconds. */
export class Lateness {
  #values = new Float64Array(4096);
  count = 0;
  /** Ticks that were drawn, also those that were left out. */
  due = 0;

  add(ns: number): void {
    if (this.count === this.#values.length) {
      const larger = new Float64Array(2 * this.count);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.count] = ns;
    this.count += 1;
  }

  /** Median, 99th percentile and largest, in microseconds; 0 where there was no tick. */
  quantilesUs(): { readonly p50: number; readonly p99: number; readonly max: number } {
    const sorted = this.#values.slice(0, this.count).sort();
    const at = (part: number): number => {
      const ns = sorted[Math.min(this.count - 1, Math.floor(part * this.count))] ?? 0;
      return Math.round(ns / 100) / 10;
    };
    return { p50: at(0.5), p99: at(0.99), max: at(1) };
  }
}
