import type { CaptureRequest } from '../capture/index.js';
import { ProfilerError } from '../model/index.js';
import {
  type ChosenRoute,
  findPerf,
  findPySpy,
  type PerfRoute,
  perfRoute,
  probePerf,
  pythonSupport,
  type RouteContext,
} from '../target/index.js';
import type { Via } from './attach-route.js';
import type { Io } from './io.js';
import type { FoundTarget } from './target-flags.js';

/** What `--backend` takes. */
export const BACKEND_FLAGS = ['auto', 'py-spy', 'perf'] as const;
export type BackendFlag = (typeof BACKEND_FLAGS)[number];

/** The sampler's program. perf's way to the target is known once it was tried. */
export interface Sampler {
  readonly id: 'py-spy' | 'perf';
  readonly path: string;
  readonly version: string;
  found?: PerfRoute;
}

interface SamplerFlags {
  readonly backend: BackendFlag;
  readonly via: Via;
  readonly native?: true;
  readonly pySpy?: string;
}

/** The sampler that was named, else the one that knows the target. Throws `ProfilerError` where there is none, or it cannot be used so. */
export async function chooseSampler(io: Io, flags: SamplerFlags, { target }: FoundTarget): Promise<Sampler> {
  const { backend, pySpy } = flags;
  const isPerf = backend === 'perf' || (backend === 'auto' && target.runtime !== 'python');
  if (!isPerf) {
    const unsupported = pythonSupport(target);
    if (unsupported !== undefined) throw new ProfilerError(unsupported);
    const found = await findPySpy({
      env: io.env,
      target,
      ...(pySpy === undefined ? {} : { explicit: pySpy }),
    });
    return { id: 'py-spy', path: found.path, version: found.version };
  }
  refuseForPerf(flags);
  const perf = await findPerf(io.env);
  return { id: 'perf', ...perf };
}

/** perf reads a process from outside of whatever it lives in, and its stacks are native by themselves. */
function refuseForPerf({ via, native }: SamplerFlags): void {
  if (native === true)
    throw new ProfilerError(
      {
        id: 'perf-native',
        what: '--native is for py-spy: what perf records are native frames anyway.',
        why: 'They would be read twice.',
        fix: 'profiler attach … --backend perf',
      },
      2,
    );
  if (via === 'auto' || via === 'override') return;
  throw new ProfilerError(
    {
      id: 'perf-via',
      what: `--via ${via} is a way for py-spy: perf measures from this machine itself, also what lives in a container.`,
      why: 'The kernel takes its samples, wherever the process lives.',
      fix: 'profiler attach … --backend perf  (without --via)',
    },
    2,
  );
}

/** Tries perf on the target. Throws what stands in its way. */
export async function choosePerf(sampler: Sampler, context: RouteContext): Promise<ChosenRoute> {
  const { target, journal } = context;
  const probe = await probePerf({ target, journal, perf: sampler });
  if (!probe.works) {
    const { level: _, ...finding } = probe.finding;
    throw new ProfilerError(finding);
  }
  sampler.found = probe.route;
  return { route: probe.route.route, passedOver: [] };
}

/** As it would be tried first: nobody has. */
export function plannedPerf(sampler: Sampler, { target, journal }: RouteContext): PerfRoute['route'] {
  sampler.found = perfRoute({ target, journal, perf: sampler });
  return sampler.found.route;
}

/** What a capture by perf needs beside its route. */
export function perfOf({ found }: Sampler): Pick<CaptureRequest, 'perf'> {
  return found === undefined ? {} : { perf: { mode: found.mode, script: found.script } };
}
