import type { CaptureRequest } from '../capture/index.js';
import { openStepProbe, type RouteContext } from '../target/index.js';

/**
 * Does something with a probe on the target's steps, where one can be put there; without it where not: what is lost is the real-time factor, and a
 * profile is none the worse. The probe is gone afterwards.
 */
export async function withSteps<T>(
  { target, journal }: Pick<RouteContext, 'target' | 'journal'>,
  wanted: boolean,
  work: (request: Pick<CaptureRequest, 'steps'>) => Promise<T>,
): Promise<T> {
  const cannot = !wanted || target.elsewhere !== undefined || target.runtime === 'node';
  const probe = cannot ? undefined : openStepProbe({ pid: target.pid, journal });
  if (probe === undefined || typeof probe === 'string') return work({});
  try {
    return await work({ steps: probe });
  } finally {
    probe.close();
  }
}
