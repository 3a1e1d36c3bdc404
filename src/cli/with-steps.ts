import type { CaptureRequest } from '../capture/index.js';
import type { Finding } from '../model/index.js';
import { builtInPacks, type StepCalls } from '../rules/index.js';
import {
  type NoTracing,
  openStepProbe,
  plannedStepProbe,
  type RouteContext,
  type Target,
} from '../target/index.js';

/** Functions that make a step, as the packs name them. */
export const KNOWN_STEPS: readonly StepCalls[] = builtInPacks.flatMap(({ steps }) => steps ?? []);

/**
 * Does something with a probe on the target's steps, where one can be put there; without it where not: what is lost is the real-time factor, and a
 * profile is none the worse. The probe is gone afterwards.
 */
export async function withSteps<T>(
  { target, journal }: Pick<RouteContext, 'target' | 'journal'>,
  wanted: boolean,
  work: (request: Pick<CaptureRequest, 'steps' | 'findings'>) => Promise<T>,
): Promise<T> {
  const probe =
    wanted && mayStep(target) ? openStepProbe({ pid: target.pid, journal, steps: KNOWN_STEPS }) : undefined;
  if (probe === undefined) return work({});
  if ('because' in probe) {
    const planned = plannedStepProbe(target.pid, KNOWN_STEPS);
    // What is not for this user, or not there at all, is missed by nobody.
    const isMissed = planned !== undefined && (planned.refused === undefined || probe.fix !== undefined);
    return work(isMissed ? { findings: [notProbed(planned.symbol, probe)] } : {});
  }
  try {
    return await work({ steps: probe });
  } finally {
    probe.close();
  }
}

function notProbed(symbol: string, { because, fix = 'profiler doctor' }: NoTracing): Finding {
  return {
    level: 'note',
    id: 'steps-not-probed',
    what: `There is no real-time factor and no share by step: no probe was put on ${symbol}.`,
    why: `${because.charAt(0).toUpperCase()}${because.slice(1)}.`,
    fix,
  };
}

/** What a plan says of it: nothing where no probe would be put. */
export function plannedSteps(target: Target, wanted: boolean): string {
  const step = wanted && mayStep(target) ? plannedStepProbe(target.pid, KNOWN_STEPS) : undefined;
  if (step === undefined || step.refused !== undefined) return '';
  return ` A probe on ${step.symbol} tells the kernel to write down each step, which costs 2 to 4 µs a step; it is taken off where that is more than 1 %, and --no-steps leaves it out.`;
}

function mayStep({ elsewhere, runtime }: Target): boolean {
  return elsewhere === undefined && runtime !== 'node';
}
