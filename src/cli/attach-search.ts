import {
  type ChosenRoute,
  type Realtime,
  type Target,
  type RouteContext,
  shownPid,
} from '../target/index.js';
import { ProfilerError } from '../model/index.js';
import { pySpyRoute, routeContext, type RouteSearch, routeVia, type Via } from './attach-route.js';
import { chooseCpython, chooseNode, choosePerf, type Sampler } from './attach-sampler.js';
import type { Io } from './io.js';
import type { FoundTarget } from './target-flags.js';

/** All that is known before a way to the target is looked for. */
export interface Ready {
  readonly flags: { readonly native?: true; readonly via: Via };
  readonly found: FoundTarget;
  /** Another one once the way is known, where this one found none. */
  sampler: Sampler;
  readonly realtime: Realtime;
}

export function contextOf(io: Io, { flags, found, sampler, realtime }: Ready): RouteContext {
  return routeContext(io, { found, pyspy: sampler, realtime, native: flags.native === true });
}

/** How a way to the target is looked for with that sampler. */
export function searchOf(io: Io, ready: Ready): RouteSearch {
  const context = contextOf(io, ready);
  const { sampler, flags } = ready;
  if (sampler.id === 'cpython') return { ...context, choose: (signal) => chooseOwn(ready, context, signal) };
  if (sampler.id === 'perf') return { ...context, choose: () => choosePerf(sampler, context) };
  if (sampler.id === 'node') return { ...context, choose: () => chooseNode(sampler, context) };
  const { choose, ...search } = pySpyRoute(context, routeVia(flags.via));
  const { insteadOf } = sampler;
  if (insteadOf === undefined) return { ...search, choose };
  return {
    ...search,
    choose: async (signal) => {
      const { route, passedOver } = await choose(signal);
      return { route, passedOver: [insteadOf, ...passedOver] };
    },
  };
}

/** Our own sampler, else what takes over. */
async function chooseOwn(ready: Ready, context: RouteContext, signal: AbortSignal): Promise<ChosenRoute> {
  const { realtime, sampler, flags } = ready;
  try {
    return await chooseCpython({ context, realtime, via: flags.via }, signal);
  } catch (error) {
    if (sampler.otherwise === undefined || !(error instanceof ProfilerError)) throw error;
    signal.throwIfAborted();
    const { id, what, why } = error.finding;
    const pyspy = await sampler.otherwise();
    const { route, passedOver } = await pySpyRoute({ ...context, pyspy }, routeVia(flags.via)).choose(signal);
    ready.sampler = pyspy;
    const before = [pyspy.insteadOf, { level: 'note', id, what, why } as const];
    return { route, passedOver: [...before.filter((one) => one !== undefined), ...passedOver] };
  }
}

export function ended(target: Target): ProfilerError {
  return new ProfilerError({
    id: 'target-ended',
    what: `Process ${shownPid(target)} ended before the recording began.`,
    why: 'It was about to finish, or crashed.',
    fix: 'Start the simulation again, then attach.',
  });
}
