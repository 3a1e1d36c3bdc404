import type { TimedRun } from '../simulator/index.js';
import { studentT95, studentT99 } from '../stats/index.js';

/** Runs of each length from which on an interval of 99 % is not several times as wide as one of 95 %. */
const MANY = 3;

/**
 * How sure the interval of runs is: whoever times some runs does so once, so 99 % where there are three of each length or more; of fewer 95 %.
 */
export function runsLevel(runs: readonly Pick<TimedRun, 'simS'>[]): {
  readonly level: 0.95 | 0.99;
  readonly studentT: (degrees: number) => number;
} {
  const counts = new Map<number, number>();
  for (const { simS } of runs) counts.set(simS, (counts.get(simS) ?? 0) + 1);
  return Math.min(...counts.values()) >= MANY
    ? { level: 0.99, studentT: studentT99 }
    : { level: 0.95, studentT: studentT95 };
}
