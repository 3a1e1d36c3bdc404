import { fileURLToPath } from 'node:url';
import type { Realtime } from '../target/index.js';
import { cpuFollowerArgv } from './cpu-follower.js';
import {
  type Backend,
  cpython,
  node as nodeInspector,
  perf,
  pySpy,
  type SlicePlan,
} from './backends/index.js';
import { planBeside } from './plan-beside.js';
import { look, primaryOf, SHORT_LOOK_S } from './look.js';
import { rateFor } from './rate.js';
import type { Plan, PlannedCommand, PlanRequest, RatedPlanRequest } from './request.js';

/** A plan with what only the run itself needs. */
export interface CapturePlan extends SlicePlan {
  /** Absent where the target is on another machine. */
  readonly stateSampler?: PlannedCommand;
  /** What perf does beside the sampler. */
  readonly beside?: SlicePlan;
  /** Absent there, and in blocking mode, where the target stands still anyway. */
  readonly cpuFollower?: PlannedCommand;
}

/** The compiled state sampler, beside this file. */
export function stateSamplerPath(): string {
  return fileURLToPath(new URL('./state-sampler/main.js', import.meta.url));
}

/** Goes in front of a command line to give it real-time priority: `chrt -f 50`; empty where that is refused. */
function priorityOf(realtime: Realtime): readonly string[] {
  return realtime.allowed ? realtime.argv : [];
}

/** The sampler of a request. */
export function backendOf(asked: Pick<PlanRequest, 'perf' | 'node' | 'cpython'>): Backend {
  if (asked.cpython === true) return cpython;
  if (asked.node !== undefined) return nodeInspector;
  return asked.perf === undefined ? pySpy : perf;
}

function withBeside(plan: SlicePlan, beside: SlicePlan | undefined): CapturePlan {
  if (beside === undefined) return plan;
  return {
    ...plan,
    backend: `${plan.backend}+${beside.backend}`,
    commands: [...plan.commands, ...beside.commands],
    cost: `${plan.cost} perf beside it: ${beside.cost}`,
    beside,
  };
}

/** Everything that a capture will run, as data. Pure: `node` and `stateSampler` are paths. */
export function planCapture(request: RatedPlanRequest, node: string, stateSampler: string): CapturePlan {
  const plan = withBeside(backendOf(request).plan(request), planBeside(request));
  // Its samples know their states, and it follows nobody.
  if (request.target.elsewhere !== undefined || request.cpython === true) return plan;
  const priority = priorityOf(request.realtime);
  const states: PlannedCommand = {
    argv: [...priority, node, stateSampler, String(request.target.pid)],
    purpose:
      'read the state of the threads up to 250 times a second, while they block at all (GIL wait, sleep, the rest)',
  };
  if (request.native || request.perf !== undefined || request.node !== undefined)
    return { ...plan, commands: [states, ...plan.commands], stateSampler: states };
  const follower: PlannedCommand = {
    argv: cpuFollowerArgv(priority, request.target.pid),
    purpose:
      'keep the sampler on the CPU of a physics thread that never sleeps, which then waits while it is read',
  };
  return {
    ...plan,
    commands: [states, follower, ...plan.commands],
    stateSampler: states,
    cpuFollower: follower,
  };
}

/**
 * The plan of `record`, without touching the target: its threads' counters are read for half a second.
 */
export async function dryRun(request: PlanRequest): Promise<Plan> {
  const { pid } = request.target;
  const looks = await look(
    pid,
    pid,
    SHORT_LOOK_S,
    () => process.hrtime.bigint(),
    new AbortController().signal,
  );
  const rated = { ...request, rateHz: rateFor(request, looks, primaryOf(request, looks)) };
  const { backend, route, commands, cost } = planCapture(rated, process.execPath, stateSamplerPath());
  return { backend, route, commands, cost };
}
