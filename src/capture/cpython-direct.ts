import { fileURLToPath } from 'node:url';
import type { Finding } from '../model/index.js';
import { findGilRange, type Realtime, readMaps, type Route, shownPid, type Target } from '../target/index.js';
import type { SamplerMessage } from './backends/cpython/protocol.js';
import { readerPlan } from './cpython-plan.js';
import { CpythonProcess, routedWindow } from './cpython-process.js';
import { cpythonRefused } from './cpython-refusal.js';
import type { PlannedRoute } from './request.js';
import { spawnSampler } from './sampler-child.js';

/** Path of the compiled sampler, beside this file. */
export function cpythonSamplerPath(): string {
  return fileURLToPath(new URL('./backends/cpython/main.js', import.meta.url));
}

export interface CpythonContext {
  readonly target: Target;
  readonly realtime: Realtime;
  /** Where the compiled sampler is not beside its source. */
  readonly program?: string;
}

export type CpythonProbe =
  | { readonly works: true; readonly route: Route }
  | { readonly works: false; readonly finding: Finding };

/** What the sampler is started with, or why it need not be. */
function planOf(target: Target): { readonly plan: object } | { readonly finding: Finding } {
  if (target.elsewhere !== undefined) return { finding: cpythonRefused(target, 'elsewhere') };
  if (target.runtime !== 'python') return { finding: cpythonRefused(target, 'not-python') };
  if (target.freeThreaded === true) return { finding: cpythonRefused(target, 'free-threaded') };
  const range = findGilRange(target);
  if (range !== undefined) return { plan: readerPlan(target.pid, target.runtimeVersion, range) };
  const isHidden = readMaps(target.pid) === undefined;
  return {
    finding: isHidden
      ? cpythonRefused(target, 'permission', `/proc/${target.pid}/maps`)
      : cpythonRefused(target, 'no-runtime'),
  };
}

function argvOf({ realtime, program }: CpythonContext, plan: object): readonly string[] {
  const priority = realtime.allowed ? realtime.argv : [];
  return [...priority, process.execPath, program ?? cpythonSamplerPath(), JSON.stringify(plan)];
}

/** The way of our own sampler: from this machine, into whatever the process lives in. */
function routeId({ nsPid }: Target): Route['id'] {
  return nsPid === undefined ? 'direct' : 'host';
}

/** As it would be done, untried; or what can be seen to stand in its way. */
export function plannedCpython(context: CpythonContext): PlannedRoute | Finding {
  const planned = planOf(context.target);
  if ('finding' in planned) return planned.finding;
  const argv = argvOf(context, planned.plan);
  return {
    id: routeId(context.target),
    targetPid: context.target.pid,
    output: 'file',
    commands: (args) => [[...argv, ...args]],
  };
}

/** Starts the sampler and has it test itself on the target. */
export async function probeCpython(context: CpythonContext): Promise<CpythonProbe> {
  const { target } = context;
  const planned = planOf(target);
  if ('finding' in planned) return { works: false, finding: planned.finding };
  const argv = argvOf(context, planned.plan);
  let sampler = new CpythonProcess(spawnSampler(argv));
  const said = await sampler.first();
  if (said?.kind !== 'ready') return { works: false, finding: await refusedBy(target, sampler, said) };
  const route: Route = {
    id: routeId(target),
    targetPid: target.pid,
    output: 'file',
    findings: exactness(target, said),
    commands: (args) => [[...argv, ...args]],
    start: (args) => {
      // One that failed has ended; the next window gets another.
      if (sampler.ended) sampler = new CpythonProcess(spawnSampler(argv));
      return routedWindow(sampler, args, { among: false, isOver: () => false });
    },
    undo: async () => {
      await sampler.end();
      return [];
    },
  };
  return { works: true, route };
}

/** Why a sampler whose first word was not that it is ready serves no target. */
export async function refusedBy(
  target: Target,
  sampler: CpythonProcess,
  said: SamplerMessage | undefined,
): Promise<Finding> {
  const how = await sampler.exit;
  if (said?.kind === 'refused') return cpythonRefused(target, said.because, said.detail);
  const complaint = sampler.complaint.trim();
  return cpythonRefused(target, 'start', complaint === '' ? String(how) : complaint.slice(-200));
}

/** What a sampler that is ready says of how exact it can be. */
export function exactness(
  target: Target,
  { switches }: SamplerMessage & { readonly kind: 'ready' },
): readonly Finding[] {
  return switches === 'status' ? [lessExact(target)] : [];
}

function lessExact(target: Target): Finding {
  return {
    level: 'note',
    id: 'switch-times-unknown',
    what: `The kernel does not show when threads of process ${shownPid(target)} left their CPU (no /proc/PID/sched).`,
    why: 'Whether a thread waits for a CPU or was displaced by the sampler itself is told by the CPU that it was on last: the waiting may be off by a few points.',
  };
}
