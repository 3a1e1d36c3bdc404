import type { CostTable } from './table.js';

/** How fast a loop runs once it runs, from two runs of different length: what both have, such as start-up, cancels. */
export interface IntrinsicSpeed {
  readonly stepsPerS: number;
  /** Relative error by the rounding of what was printed. */
  readonly error: number;
  readonly realTimeFactor?: number;
}

/** Wall times are printed to the millisecond. */
const ROUNDING_US = 500;
/** Runs that differ by less than this part of the shorter one differ by chance as much as by length. */
const LONGER = 0.2;

/** A factor is printed to the hundredth: from here on it is known to one percent. */
const FINE_FACTOR = 0.5;

/** Undefined where the tables do not say steps and wall of a whole loop, or the runs are about as long. */
export function intrinsicSpeed(a: CostTable, b: CostTable): IntrinsicSpeed | undefined {
  if (a.kind !== 'flygym-throughput') return undefined;
  const { steps: stepsA, wholeUs: wallA } = a;
  const { steps: stepsB, wholeUs: wallB } = b;
  if (stepsA === undefined || stepsB === undefined || wallA === undefined || wallB === undefined)
    return undefined;
  const [steps, us] = [stepsB - stepsA, wallB - wallA];
  if (Math.abs(steps) < LONGER * Math.min(stepsA, stepsB) || !(steps / us > 0)) return undefined;
  const stepsPerS = steps / (us / 1e6);
  const [factor, simulatedS] =
    stepsB > stepsA ? [b.realTimeFactor, simulatedOf(b)] : [a.realTimeFactor, simulatedOf(a)];
  return {
    stepsPerS,
    error: (2 * ROUNDING_US) / Math.abs(us),
    ...(factor === undefined || simulatedS === undefined || factor < FINE_FACTOR
      ? {}
      : { realTimeFactor: stepsPerS * simulatedS }),
  };
}

/** What a round of the loop simulates, of all worlds together. */
function simulatedOf({ realTimeFactor, wholeUs, steps }: CostTable): number | undefined {
  return realTimeFactor === undefined || wholeUs === undefined || steps === undefined || steps === 0
    ? undefined
    : (realTimeFactor * wholeUs) / 1e6 / steps;
}
