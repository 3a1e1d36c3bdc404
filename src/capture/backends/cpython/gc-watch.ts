import { PerformanceObserver } from 'node:perf_hooks';

/** Pauses of our own garbage collector: while one lasts nothing is sampled. */
export class GcWatch {
  #count = 0;
  #totalMs = 0;
  #maxMs = 0;
  #sinceMs = 0;
  readonly #observer = new PerformanceObserver((list) => {
    for (const { duration, startTime } of list.getEntries()) {
      // They are told later than they happen.
      if (startTime < this.#sinceMs) continue;
      this.#count += 1;
      this.#totalMs += duration;
      this.#maxMs = Math.max(this.#maxMs, duration);
    }
  });

  constructor() {
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  /** Forgets what was before. */
  begin(): void {
    this.#sinceMs = performance.now();
    this.#count = 0;
    this.#totalMs = 0;
    this.#maxMs = 0;
  }

  pauses(): { readonly count: number; readonly totalUs: number; readonly maxUs: number } {
    return {
      count: this.#count,
      totalUs: Math.round(this.#totalMs * 1000),
      maxUs: Math.round(this.#maxMs * 1000),
    };
  }
}
