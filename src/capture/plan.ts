import { fileURLToPath } from 'node:url';
import { type Realtime, probeRealtime } from '../target/index.js';
import { type Means, pySpy, type SlicePlan } from './backends/index.js';
import type { CaptureRequest, Plan, PlannedCommand } from './request.js';

/** A plan with what only the run itself needs. */
export interface CapturePlan extends SlicePlan {
  readonly stateSampler: PlannedCommand;
}

/** The compiled state sampler, beside this file. */
export function stateSamplerPath(): string {
  return fileURLToPath(new URL('./state-sampler/main.js', import.meta.url));
}

export function meansOf(realtime: Realtime): Means {
  return { priority: realtime.allowed ? realtime.argv : [] };
}

/** Everything that a capture will run, as data. Pure: `node` and `stateSampler` are paths. */
export function planCapture(
  request: CaptureRequest,
  means: Means,
  node: string,
  stateSampler: string,
): CapturePlan {
  const plan = pySpy.plan(request, means);
  const states: PlannedCommand = {
    argv: [...means.priority, node, stateSampler, String(request.target.pid)],
    purpose:
      'read the state of the threads up to 500 times a second, while they block at all (GIL wait, sleep, the rest)',
  };
  return { ...plan, commands: [states, ...plan.commands], stateSampler: states };
}

/** The plan of `record`, without touching the target: the only process that it starts is a probe for real-time priority. */
export async function dryRun(request: CaptureRequest): Promise<Plan> {
  const { backend, commands, cost } = planCapture(
    request,
    meansOf(await probeRealtime()),
    process.execPath,
    stateSamplerPath(),
  );
  return { backend, commands, cost };
}
