import type { CostTable } from '../../simulator/index.js';
import type { Figure } from './line.js';
import { physicsShare } from './physics-share.js';
import type { Sampled } from './sampled.js';

/** Steps per second of the run: it makes a time for each step of a share of the wall time. */
export interface StepRate extends Required<Figure> {
  /** `given`: by a flag; `loop`: the simulator counted; `probe`: we did, while it was sampled; `timers`: MuJoCo's own times and what physics took in the samples. */
  readonly from: 'given' | 'loop' | 'probe' | 'timers';
}

/** How often the loop stepped; undefined where nothing tells. */
export function stepRate(
  { loop, timers }: { readonly loop?: CostTable; readonly timers?: CostTable },
  sampled: Sampled,
  givenHz: number | undefined,
): StepRate | undefined {
  if (givenHz !== undefined) return exact(givenHz, 'given');
  const counted = countedHz(loop);
  if (counted !== undefined) return exact(counted, 'loop');
  if (sampled.stepsPerS !== undefined) return exact(sampled.stepsPerS, 'probe');
  const stepUs = timers === undefined ? undefined : stepTime(timers);
  if (stepUs === undefined || !(stepUs > 0) || sampled.isLoad) return undefined;
  const { value, low, high } = physicsShare(sampled);
  if (!(low > 0)) return undefined;
  const hz = (share: number): number => (share * 1e6) / stepUs;
  return { value: hz(value), low: hz(low), high: hz(high), from: 'timers' };
}

function exact(hz: number, from: StepRate['from']): StepRate {
  return { value: hz, low: hz, high: hz, from };
}

/** From steps and seconds, which are not rounded to whole steps as the rate is. */
function countedHz(loop: CostTable | undefined): number | undefined {
  const { steps, wholeUs, stepsPerS } = loop ?? {};
  return steps !== undefined && steps > 0 && wholeUs !== undefined && wholeUs > 0
    ? (steps * 1e6) / wholeUs
    : stepsPerS;
}

/** Microseconds of a whole step of physics. */
export function stepTime({ rows }: CostTable): number | undefined {
  return rows.find(({ role }) => role === 'step')?.perStepUs;
}

/** A share of the wall time as microseconds of each step. */
export function perStep({ value, low, high }: Required<Figure>, rate: StepRate): Required<Figure> {
  return {
    value: (value * 1e6) / rate.value,
    low: (low * 1e6) / rate.high,
    high: (high * 1e6) / rate.low,
  };
}
