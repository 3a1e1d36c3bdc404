import type { StateCounts } from './protocol.js';

/** Points by which samples and kernel may differ before the sampler itself is in the way: fixed on windows with known truth. */
const RUNNING_OFF = 0.025;
const WAITING_OFF = 0.04;
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
 * S1: whether the sampler sees a thread run and wait as often as the kernel says that it does. A sampler that takes the CPU from the
 * thread it looks at sees it waiting, and less of it running. True where too little was seen to tell.
 */
export function agreesWithKernel({ looks, running, cpuWait }: StateCounts, { on, wait }: Charged): boolean {
  if (looks < FEW_LOOKS) return true;
  const ran = (running - cpuWait) / looks;
  return Math.abs(ran - on) <= RUNNING_OFF && Math.abs(cpuWait / looks - wait) <= WAITING_OFF;
}

/** Half the rate, where that is not too slow. */
export function lowered(rateHz: number): number {
  return Math.max(Math.min(SLOWEST_HZ, rateHz), Math.round(rateHz / 2));
}
