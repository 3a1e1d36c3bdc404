import {
  type Beside,
  type CaptureRequest,
  plannedCpython,
  plannedCpythonSidecar,
  type PlannedRoute,
  probeCpython,
  probeCpythonSidecar,
} from '../capture/index.js';
import { type Finding, ProfilerError } from '../model/index.js';
import {
  type ChosenRoute,
  findPerf,
  findPySpy,
  findZeroX,
  nodeOutlook,
  nodeRoute,
  type NodeRoute,
  type Perf,
  type PerfRoute,
  perfRoute,
  probeNode,
  probePerf,
  pythonSupport,
  type Realtime,
  type RouteContext,
  type Target,
  type ZeroX,
} from '../target/index.js';
import type { Via } from './attach-route.js';
import type { Io } from './io.js';
import type { FoundTarget } from './target-flags.js';

/** What `--backend` takes. */
export const BACKEND_FLAGS = ['auto', 'cpython', 'py-spy', 'perf', 'py-spy+perf', 'node', '0x'] as const;
export type BackendFlag = (typeof BACKEND_FLAGS)[number];

/** The sampler's program. The way of perf or of an inspector to the target is known once it was tried. */
export interface Sampler {
  readonly id: 'cpython' | 'py-spy' | 'perf' | 'node';
  readonly path: string;
  readonly version: string;
  /** perf, where it samples beside this one. */
  readonly perf?: Perf;
  /** What draws the recording, where 0x was asked for. */
  readonly zeroX?: ZeroX;
  /** Why it is not the one that would serve this target best. */
  readonly insteadOf?: Finding;
  /** Our own where it cannot read the target from here, but a container may: what takes over where that fails too. */
  readonly otherwise?: () => Promise<Sampler>;
  found?: PerfRoute;
  inspector?: NodeRoute;
}

interface SamplerFlags {
  readonly backend: BackendFlag;
  readonly via: Via;
  readonly native?: true;
  readonly pySpy?: string;
}

/** What is known before a sampler is chosen. `touch`: whether the target may be looked into. */
export interface SamplerSearch {
  readonly found: FoundTarget;
  readonly realtime: Realtime;
  readonly touch: boolean;
}

/** The sampler that was named, else the one that knows the target. Throws `ProfilerError` where there is none, or it cannot be used so. */
export async function chooseSampler(io: Io, flags: SamplerFlags, search: SamplerSearch): Promise<Sampler> {
  const { target } = search.found;
  if (flags.backend !== 'auto') return namedSampler(io, flags, flags.backend, target);
  const backend = backendFor(target);
  if (backend !== 'py-spy' || wantsPySpy(flags)) return namedSampler(io, flags, backend, target);
  const refused = await ownRefused(search);
  if (refused === undefined) return namedSampler(io, flags, 'cpython', target);
  const otherwise = async (): Promise<Sampler> => ({
    ...(await namedSampler(io, flags, 'py-spy', target)),
    insteadOf: refused,
  });
  if (!mayTakeSidecar(search.found, refused)) return otherwise();
  return { ...(await namedSampler(io, flags, 'cpython', target)), otherwise };
}

/** Whether what refuses here may be passed by a container of ours. */
export function mayTakeSidecar(
  { target, engine, container }: Pick<FoundTarget, 'target' | 'engine' | 'container'>,
  refused: Finding,
): boolean {
  return (
    refused.id === 'cpython-permission' &&
    engine !== undefined &&
    container !== undefined &&
    target.elsewhere === undefined
  );
}

/** What only py-spy does: frames of C, ways into a container, and being the one that was named. */
function wantsPySpy({ native, via, pySpy }: SamplerFlags): boolean {
  return native === true || pySpy !== undefined || !(via === 'auto' || via === 'override');
}

/** Why our own sampler is not the one, found out on the target itself where that may be looked into. */
async function ownRefused({ found, realtime, touch }: SamplerSearch): Promise<Finding | undefined> {
  const context = { target: found.target, realtime };
  const planned = plannedCpython(context);
  if ('what' in planned) return planned;
  if (!touch) return undefined;
  const probe = await probeCpython(context);
  if (!probe.works) return probe.finding;
  await probe.route.undo();
  return undefined;
}

async function namedSampler(
  io: Io,
  flags: SamplerFlags,
  backend: Exclude<BackendFlag, 'auto'>,
  target: Target,
): Promise<Sampler> {
  const { pySpy } = flags;
  if (backend === 'py-spy+perf' && flags.native === true) throw nativeTwice();
  if (backend === 'node' || backend === '0x') {
    refuseFlags(flags, NODE_REFUSES);
    // It starts programs and attaches to none: it only draws what the inspector gave.
    const zeroX = backend === '0x' ? await findZeroX(io.env) : undefined;
    return { id: 'node', path: process.execPath, version: process.version, ...(zeroX && { zeroX }) };
  }
  if (backend === 'cpython') {
    refuseFlags(flags, CPYTHON_REFUSES);
    return { id: 'cpython', path: process.execPath, version: process.version };
  }
  if (backend === 'py-spy' || backend === 'py-spy+perf') {
    const unsupported = pythonSupport(target);
    if (unsupported !== undefined) throw new ProfilerError(unsupported);
    const found = await findPySpy({
      env: io.env,
      target,
      ...(pySpy === undefined ? {} : { explicit: pySpy }),
    });
    const perf = backend === 'py-spy' ? undefined : await findPerf(io.env);
    return { id: 'py-spy', path: found.path, version: found.version, ...(perf && { perf }) };
  }
  refuseFlags(flags, PERF_REFUSES);
  const perf = await findPerf(io.env);
  return { id: 'perf', ...perf };
}

/** The sampler that knows a target best. Deno and Bun are none that an inspector can be had of. */
function backendFor({ runtime, exe, command }: Target): Sampler['id'] {
  if (runtime === 'python') return 'py-spy';
  const isNode = runtime === 'node' && !/(?:^|\/)(?:deno|bun)$/.test(exe ?? command[0] ?? '');
  return isNode ? 'node' : 'perf';
}

interface Refusals {
  readonly id: 'perf' | 'node' | 'cpython';
  readonly native: { readonly what: string; readonly why: string; readonly fix: string };
  readonly via: { readonly what: string; readonly why: string };
  /** Those of `--via` that it takes all the same. */
  readonly ways?: readonly Via[];
}

/** perf reads a process from outside of whatever it lives in, and its stacks are native by themselves. */
const PERF_REFUSES: Refusals = {
  id: 'perf',
  native: {
    what: '--native is for py-spy: what perf records are native frames anyway.',
    why: 'They would be read twice.',
    fix: 'profiler attach … --backend perf',
  },
  via: {
    what: 'perf measures from this machine itself, also what lives in a container.',
    why: 'The kernel takes its samples, wherever the process lives.',
  },
};

/** An inspector is called in the network of its process, whatever else that lives in; V8 sees JavaScript alone. */
const NODE_REFUSES: Refusals = {
  id: 'node',
  native: {
    what: '--native is for py-spy: the inspector of Node knows only JavaScript.',
    why: 'V8 walks its own stacks; native frames below them are seen by perf.',
    fix: 'profiler attach … --backend perf',
  },
  via: {
    what: 'the inspector of Node is called from this machine itself, also in a container.',
    why: 'As root the network of the process is joined; nothing is made inside.',
  },
};

/** It reads from this machine, whatever the process lives in, or from a container of ours, and only what Python knows. */
const CPYTHON_REFUSES: Refusals = {
  id: 'cpython',
  native: {
    what: '--native is for py-spy: our own sampler reads only frames of Python.',
    why: 'Native frames need the stack of the C code, which py-spy stops the target for, and perf does not.',
    fix: 'profiler attach … --backend py-spy+perf',
  },
  via: {
    what: 'our own sampler reads from this machine itself, also what lives in a container, or by --via sidecar.',
    why: 'As root the memory of any process here can be read.',
  },
  ways: ['sidecar'],
};

function refuseFlags({ via, native }: SamplerFlags, { id, ways = [], ...refusals }: Refusals): void {
  if (native === true) throw new ProfilerError({ id: `${id}-native`, ...refusals.native }, 2);
  if (via === 'auto' || via === 'override' || ways.includes(via)) return;
  throw new ProfilerError(
    {
      id: `${id}-via`,
      what: `--via ${via} is a way for py-spy: ${refusals.via.what}`,
      why: refusals.via.why,
      fix: `profiler attach … --backend ${id}  (without --via)`,
    },
    2,
  );
}

/** Opens the inspector of the target, unless it is open. Throws what stands in its way. */
export async function chooseNode(sampler: Sampler, context: RouteContext): Promise<ChosenRoute> {
  const { target, journal } = context;
  const probe = await probeNode({ target, journal });
  if (!probe.works) {
    const { level: _, ...finding } = probe.finding;
    throw new ProfilerError(finding);
  }
  sampler.inspector = probe.route;
  return { route: probe.route.route, passedOver: [] };
}

/** As it would be done. Throws what can be seen to stand in its way. */
export function plannedNode(sampler: Sampler, { target, journal }: RouteContext): NodeRoute['route'] {
  const { blocked } = nodeOutlook(target);
  if (blocked !== undefined) {
    const { level: _, ...finding } = blocked;
    throw new ProfilerError(finding);
  }
  sampler.inspector = nodeRoute({ target, journal });
  return sampler.inspector.route;
}

/** How our own sampler is looked for. */
interface CpythonSearch {
  readonly context: RouteContext;
  readonly realtime: Realtime;
  readonly via: Via;
}

/** Has our own sampler test itself on the target, from here or, where that is refused, in a container of ours. Throws what stands in its way. */
export async function chooseCpython(
  { context, realtime, via }: CpythonSearch,
  signal: AbortSignal,
): Promise<ChosenRoute> {
  const { target } = context;
  const refused: Finding[] = [];
  if (via !== 'sidecar') {
    const probe = await probeCpython({ target, realtime });
    if (probe.works) return { route: probe.route, passedOver: [] };
    if (!mayTakeSidecar(context, probe.finding)) throw cpythonError(probe.finding);
    refused.push(probe.finding);
    signal.throwIfAborted();
  }
  const probe = await probeCpythonSidecar(context);
  if (!probe.works) throw cpythonError(probe.finding);
  return { route: probe.route, passedOver: refused.map(takenByContainer) };
}

/** As it would be done. Throws what can be seen to stand in its way. */
export function plannedOwn({ context, realtime, via }: CpythonSearch): PlannedRoute {
  const direct = via === 'sidecar' ? undefined : plannedCpython({ target: context.target, realtime });
  if (direct !== undefined && !('what' in direct)) return direct;
  if (direct !== undefined && !mayTakeSidecar(context, direct)) throw cpythonError(direct);
  const planned = plannedCpythonSidecar(context);
  if ('what' in planned) throw cpythonError(planned);
  return planned;
}

function takenByContainer({ why, ...finding }: Finding): Finding {
  return {
    ...finding,
    what: 'Our own sampler may not read the process from here; it does so in a container of ours.',
    why,
  };
}

/** Ours was named: nothing else is taken. */
function cpythonError({ id, what, why }: Finding): ProfilerError {
  // Nothing takes over where it was named.
  const alone = what.replace(/; py-spy is\.$/, '.');
  return new ProfilerError({ id, what: alone, why, fix: 'profiler attach … --backend py-spy' });
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

function nativeTwice(): ProfilerError {
  return new ProfilerError(
    {
      id: 'perf-native',
      what: '--native is for py-spy alone: with py-spy+perf, perf reads the native frames.',
      why: 'They would be read twice, and --native stops the target for every sample.',
      fix: 'profiler attach … --backend py-spy+perf',
    },
    2,
  );
}

/**
 * Does `work` with perf ready to sample beside the sampler, where it is asked for, and takes back what that needed. Throws what stands in
 * perf's way.
 */
export async function withBeside<T>(
  { perf }: Sampler,
  { target, journal }: Pick<RouteContext, 'target' | 'journal'>,
  work: (request: Pick<CaptureRequest, 'beside'>) => Promise<T>,
): Promise<T> {
  if (perf === undefined) return work({});
  const probe = await probePerf({ target, journal, perf, beside: true });
  if (!probe.works) {
    const { level: _, ...finding } = probe.finding;
    throw new ProfilerError(finding);
  }
  const beside: Beside = { ...probe.route, version: perf.version };
  try {
    return await work({ beside });
  } finally {
    await beside.route.undo();
  }
}

/** As it would be tried first: nobody has. */
export function plannedBeside(
  { perf }: Sampler,
  { target, journal }: RouteContext,
): Pick<CaptureRequest, 'beside'> {
  if (perf === undefined) return {};
  return { beside: { ...perfRoute({ target, journal, perf, beside: true }), version: perf.version } };
}

/** What a capture by perf or by an inspector needs beside its route. */
export function foundBy({
  id,
  found,
  inspector,
}: Sampler): Pick<CaptureRequest, 'perf' | 'node' | 'cpython'> {
  return {
    ...(id === 'cpython' ? { cpython: true } : {}),
    ...(found === undefined ? {} : { perf: { mode: found.mode, script: found.script } }),
    ...(inspector === undefined ? {} : { node: { address: inspector.address, wasOpen: inspector.wasOpen } }),
  };
}
