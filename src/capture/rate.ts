import { blockedShare, sleepsPerS } from './loop-rates.js';
import { PERF_HZ, unlockedRate, V8_HZ, v8Rate } from './exact-rate.js';
import type { PlanRequest } from './request.js';
import type { Snapshot } from './thread-readings.js';

/** py-spy draws its gaps at random, so a round rate cannot lock with a loop of a round rate. */
export const DEFAULT_HZ = 250;
/** A sampler on the CPU of a loop that never sleeps takes 0.6 ms of it a sample: 15 % at 250 Hz, half of that at this rate. */
/** A sample of our own sampler costs a third of that, and a loop that never sleeps up to 2 % of its steps. */
export const CPYTHON_HZ = 500;
const UNPACED_HZ = 125;
const HARDLY_BLOCKED = 0.1;
/** Sleeps a second up to which the sampler may share the thread's CPU. */
const FEW_SLEEPS = 100;

/**
 * Whether the sampler is kept on the CPU of the thread. Waking on an idle CPU takes about 0.1 ms longer than on a busy one, so a
 * sampler that shares the CPU comes late to every sleep: 1 point of the shares for each 100 sleeps a second, against the samples
 * that it would lose otherwise.
 */
export function shouldFollow(looks: readonly Snapshot[], tid: number): boolean {
  const sleeps = sleepsPerS(looks, tid);
  return sleeps !== undefined && sleeps < FEW_SLEEPS;
}

/** The rate before anything is known of the loop. */
export function defaultRate({ perf, node, cpython }: Pick<PlanRequest, 'perf' | 'node' | 'cpython'>): number {
  if (cpython === true) return CPYTHON_HZ;
  if (node !== undefined) return v8Rate(V8_HZ);
  return perf === undefined ? DEFAULT_HZ : PERF_HZ;
}

/** The rate that was asked for, else what the loop can bear. Whose timer is exact gets one that meets no loop in step. */
export function rateFor(request: PlanRequest, looks: readonly Snapshot[], tid: number): number {
  if (request.perf !== undefined) return unlockedRate(request.rateHz ?? PERF_HZ);
  if (request.node !== undefined) return v8Rate(request.rateHz ?? V8_HZ);
  if (request.rateHz !== undefined) return request.rateHz;
  if (request.cpython === true) return CPYTHON_HZ;
  const blocked = blockedShare(looks, tid);
  const unpaced = blocked !== undefined && blocked < HARDLY_BLOCKED && shouldFollow(looks, tid);
  return unpaced && !request.native ? UNPACED_HZ : DEFAULT_HZ;
}
