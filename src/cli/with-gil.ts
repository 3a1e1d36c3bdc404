import type { CaptureRequest } from '../capture/index.js';
import { ProfilerError } from '../model/index.js';
import { cleanText } from '../report/index.js';
import {
  plannedGilProbe,
  type NoTracing,
  openGilProbe,
  type RouteContext,
  type Target,
} from '../target/index.js';

/**
 * Does something with a probe on how the target takes the GIL, where that was asked for. The probe is gone afterwards.
 * @throws ProfilerError `no-exact-gil` where no probe can be put there: whoever asks for it needs it.
 */
export async function withGil<T>(
  { target, journal }: Pick<RouteContext, 'target' | 'journal'>,
  wanted: boolean,
  work: (request: Pick<CaptureRequest, 'gil'>) => Promise<T>,
): Promise<T> {
  if (!wanted) return work({});
  const probe = mayHaveGil(target) ? openGilProbe({ pid: target.pid, journal }) : noPython(target);
  if ('because' in probe) throw noExactGil(probe);
  try {
    return await work({ gil: probe });
  } finally {
    probe.close();
  }
}

/** What a plan says of it. Throws as `withGil`. */
export function plannedGil(target: Target, wanted: boolean): string {
  if (!wanted) return '';
  const planned = mayHaveGil(target) ? plannedGilProbe(target.pid) : noPython(target);
  if ('because' in planned) throw noExactGil(planned);
  const [{ symbol }] = planned.waited;
  return ` Probes on ${symbol} tell the kernel to write down each time that a thread takes the GIL, which costs that thread some 2 µs, and more where it has to wait for it.`;
}

function noPython({ pid }: Target): NoTracing {
  return { because: `process ${pid} runs no Python of this machine` };
}

function mayHaveGil({ elsewhere, runtime }: Target): boolean {
  return elsewhere === undefined && runtime === 'python';
}

const WITHOUT = 'leave out --exact-gil: samples tell the wait for the GIL too, with an interval';

function noExactGil({ because, fix = WITHOUT }: NoTracing): ProfilerError {
  return new ProfilerError({
    id: 'no-exact-gil',
    what: `How the threads take the GIL cannot be traced: ${cleanText(because)}.`,
    why: '--exact-gil puts probes into the kernel: that takes root of the machine (not of a container), and a Python that shows these functions.',
    fix,
  });
}
