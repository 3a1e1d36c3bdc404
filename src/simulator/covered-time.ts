import { firstWhere } from '../model/index.js';

export interface Span {
  readonly startUs: number;
  readonly endUs: number;
}

/** Stretches of time that at least one of some spans covers, from the earliest; those that touch are one. */
export class CoveredTime {
  readonly stretches: readonly Span[];
  readonly #startUs: readonly number[];
  /** What all stretches before each one cover. */
  readonly #beforeUs: readonly number[];

  constructor(spans: readonly Span[]) {
    const stretches: { readonly startUs: number; endUs: number }[] = [];
    for (const { startUs, endUs } of spans.toSorted((a, b) => a.startUs - b.startUs)) {
      const last = stretches.at(-1);
      if (last === undefined || startUs > last.endUs) stretches.push({ startUs, endUs });
      else last.endUs = Math.max(last.endUs, endUs);
    }
    const beforeUs = [0];
    for (const { startUs, endUs } of stretches) beforeUs.push((beforeUs.at(-1) ?? 0) + endUs - startUs);
    this.stretches = stretches;
    this.#startUs = stretches.map(({ startUs }) => startUs);
    this.#beforeUs = beforeUs;
  }

  /** How much of a span is covered. */
  within({ startUs, endUs }: Span): number {
    return this.#until(endUs) - this.#until(startUs);
  }

  #until(us: number): number {
    const at = firstAfter(this.#startUs, us);
    const last = this.stretches[at - 1];
    if (last === undefined) return 0;
    return (this.#beforeUs[at - 1] ?? 0) + Math.min(us, last.endUs) - last.startUs;
  }
}

/** The place of the first of sorted numbers that is greater. */
export function firstAfter(sorted: readonly number[], value: number): number {
  return firstWhere(sorted.length, (place) => (sorted[place] as number) > value);
}
