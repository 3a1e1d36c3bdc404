import type { StateCounts } from './protocol.js';

/** Points by which samples and kernel may differ before the sampler itself is in the way: fixed on windows with known truth. */
const RUNNING_OFF = 0.025;
const WAITING_OFF = 0.04;
/** Where few looks are less sure than that: so many standard deviations. Neighbouring looks may see one and the same thing. */
const SIGMAS = 4;
/** Fewer looks tell nothing. */
const FEW_LOOKS = 200;
/** Slower than this nothing is gained. */
const SLOWEST_HZ = 50;

/** What the kernel charged a thread over a window, as parts of it. */
export interface Charged {
  readonly on: number;
  readonly wait: number;
}

/**
 * S1, as far as it tells that the sampler is in the way: one that takes the CPU from the thread it looks at sees less of it running, and
 * more of it waiting, than the kernel charged. False where too little was seen to tell.
 */
export function displaces({ looks, running, cpuWait }: StateCounts, { on, wait }: Charged): boolean {
  if (looks < FEW_LOOKS) return false;
  const beyond = (share: number, off: number): number =>
    Math.max(off, SIGMAS * Math.sqrt((share * (1 - share)) / looks));
  const missed = on - (running - cpuWait) / looks;
  const waited = cpuWait / looks - wait;
  return missed > beyond(Math.min(1, on), RUNNING_OFF) || waited > beyond(Math.min(1, wait), WAITING_OFF);
}

/** Half the rate, where that is not too slow. */
export function lowered(rateHz: number): number {
  return Math.max(Math.min(SLOWEST_HZ, rateHz), Math.round(rateHz / 2));
}
