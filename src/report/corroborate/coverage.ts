import type { Figure } from './line.js';

/** How much of the run the recording holds. */
export interface Coverage {
  readonly recordedS: number;
  /** Absent where no table says how long the run was. */
  readonly runS?: number;
}

/** What was not sampled may have taken, step by step, twice as much as what was, or half. */
const ELSEWHERE = 2;

/** Part of the run that was sampled, from 0 to 1: all of it where its length is not known. */
export function coveredPart({ recordedS, runS }: Coverage): number {
  return runS === undefined || !(runS > 0) ? 1 : Math.min(1, recordedS / runS);
}

/**
 * Within what a mean over the whole run has to be, after what samples say of a part of it: the start of a program, or a time in which the
 * machine was busy, may lie outside of what was sampled.
 */
export function overRun({ value, low, high }: Required<Figure>, coverage: Coverage): Required<Figure> {
  const inside = coveredPart(coverage);
  const outside = 1 - inside;
  return {
    value,
    low: low * (inside + outside / ELSEWHERE),
    high: high * (inside + outside * ELSEWHERE),
  };
}
