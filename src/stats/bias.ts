import type { SamplerPriority } from './thread-estimate.js';

/** A thread that sleeps this part of its time keeps a pace. */
const PACED_SLEEP = 0.02;

/** Measured on a real simulation: samplers on real code are off by this beyond counting noise. */
const PACED_BIAS = 0.01;
const UNPACED_BIAS = 0.02;

/**
 * A sampler of normal priority wakes when the target rests. 95 of 100 net shares were then within 4.6 points and
 * 95 of 100 wall shares within 9.2 (the worst: 10 and 19).
 */
const NORMAL_PRIORITY_BIAS = { net: 0.05, wall: 0.1 } as const;

/** A sampler wakes about this much later on an idle CPU, which hides sleep from wall shares of fast paced loops. */
const WAKE_UP_DELAY_S = 60e-6;
const FAST_LOOP_HZ = 500;

/** Systematic error to allow for at both ends of an interval, as a share. */
export function bias(facts: {
  readonly mode: 'net' | 'wall' | 'samples';
  readonly sleep: number;
  readonly priority: SamplerPriority;
  readonly loopRateHz?: number;
  readonly samplerBias?: number;
}): number {
  if (facts.mode === 'samples') return 0;
  const paced = isPaced(facts.sleep);
  const loop = paced ? PACED_BIAS : UNPACED_BIAS;
  const held = facts.priority === 'other' ? NORMAL_PRIORITY_BIAS[facts.mode] : 0;
  const rateHz = facts.loopRateHz ?? 0;
  const late = facts.mode === 'wall' && paced && rateHz >= FAST_LOOP_HZ ? WAKE_UP_DELAY_S * rateHz : 0;
  return Math.max(loop, held, late, facts.samplerBias ?? 0);
}

/** Whether a thread with this share of sleep keeps a pace. */
export function isPaced(sleep: number): boolean {
  return sleep >= PACED_SLEEP;
}
