import type { CaptureRequest } from '../capture/index.js';
import { builtInPacks, type StepCalls } from '../rules/index.js';
import { openStepProbe, plannedStepProbe, type RouteContext, type Target } from '../target/index.js';

/** Functions that make a step, as the packs name them. */
export const KNOWN_STEPS: readonly StepCalls[] = builtInPacks.flatMap(({ steps }) => steps ?? []);

/**
 * Does something with a probe on the target's steps, where one can be put there; without it where not: what is lost is the real-time factor, and a
 * profile is none the worse. The probe is gone afterwards.
 */
export async function withSteps<T>(
  { target, journal }: Pick<RouteContext, 'target' | 'journal'>,
  wanted: boolean,
  work: (request: Pick<CaptureRequest, 'steps'>) => Promise<T>,
): Promise<T> {
  const probe =
    wanted && mayStep(target) ? openStepProbe({ pid: target.pid, journal, steps: KNOWN_STEPS }) : undefined;
  if (probe === undefined || typeof probe === 'string') return work({});
  try {
    return await work({ steps: probe });
  } finally {
    probe.close();
  }
}

/** What a plan says of it: nothing where no probe would be put. */
export function plannedSteps(target: Target, wanted: boolean): string {
  const step = wanted && mayStep(target) ? plannedStepProbe(target.pid, KNOWN_STEPS) : undefined;
  if (step === undefined) return '';
  return ` A probe on ${step.symbol} tells the kernel to write down each step, which costs 2 to 4 µs a step; it is taken off where that is more than 1 %, and --no-steps leaves it out.`;
}

function mayStep({ elsewhere, runtime }: Target): boolean {
  return elsewhere === undefined && runtime !== 'node';
}
