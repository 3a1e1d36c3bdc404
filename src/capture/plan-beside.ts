import { perf, type PlannedSlice, type SlicePlan } from './backends/index.js';
import { BESIDE_HZ } from './exact-rate.js';
import type { RatedPlanRequest } from './request.js';

/** What perf does beside the sampler, slice by slice. Undefined where the request has none. */
export function planBeside(request: RatedPlanRequest): SlicePlan | undefined {
  const { beside } = request;
  if (beside === undefined) return undefined;
  const plan = perf.plan({ ...request, perf: beside, route: beside.route, rateHz: BESIDE_HZ });
  const slices = plan.slices.map((slice): PlannedSlice => ({
    ...slice,
    log: slice.log.replace(/\.log$/, '.perf.log'),
  }));
  return { ...plan, slices };
}
