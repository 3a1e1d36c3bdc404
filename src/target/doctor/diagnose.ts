import { type Finding, ProfilerError } from '../../model/index.js';
import type { Container } from '../docker/container.js';
import type { Engine } from '../docker/engine.js';
import { isInUse, type Journal } from '../journal/journal.js';
import { lookIntoJournals } from '../journal/read-journals.js';
import { probePerf } from '../perf/perf-route.js';
import { probeRealtime, readRealtimeFacts } from '../probe-realtime.js';
import { pythonSupport } from '../python/support.js';
import { ROUTE_KINDS } from '../routes/choose-route.js';
import { direct } from '../routes/direct.js';
import type { RouteContext, RouteKind } from '../routes/route.js';
import type { Target } from '../target.js';
import type { Environment } from '../tools/folder.js';
import type { Check } from './check.js';
import { engineCheck, type EngineFacts } from './engine-checks.js';
import { kernelChecks } from './kernel-checks.js';
import { readKernelFacts } from './kernel-facts.js';
import { leftoverCheck } from './leftover-check.js';
import { composeCheck, samplerChecks } from './program-checks.js';
import { type ProgramFacts, readProgramFacts, type ProgramsFacts } from './program-facts.js';
import { routeCheck, unaskedChecks, type RouteFacts } from './route-checks.js';
import {
  nodeBackendCheck,
  notReadyCheck,
  perfBackendCheck,
  pyspyBackendCheck,
  targetCheck,
} from './target-checks.js';

export interface DiagnoseOptions {
  readonly env: Environment;
  /** As `process.arch` names it. */
  readonly arch: string;
  /** Rejects with a `ProfilerError` where no engine answers. */
  readonly openEngine: () => Promise<Engine>;
  readonly target?: DiagnosedTarget;
  /** Why the target that was named is nothing to look at now, though it exists. */
  readonly notReady?: Finding;
}

export interface DiagnosedTarget {
  readonly target: Target;
  readonly engine?: Engine;
  readonly container?: Container;
  /** How the user named it: `--container bridge`. */
  readonly flags: string;
  readonly journal: Journal;
  /** Tried one after the other; what each makes is undone before the next. Default: all that are ever tried unasked. */
  readonly kinds?: readonly RouteKind[];
}

/** Everything that decides what works here, and on the target where one is named. Never throws because a check fails. */
export async function diagnose(options: DiagnoseOptions): Promise<readonly Check[]> {
  const { env, arch, target, notReady } = options;
  const [programs, engine, realtime] = await Promise.all([
    readProgramFacts(env, target?.target),
    engineFacts(options.openEngine),
    probeRealtime(),
  ]);
  const about =
    target === undefined ? [] : await targetChecks(target, programs, realtime.allowed ? realtime.argv : []);
  return [
    ...(notReady === undefined ? about : [notReadyCheck(notReady)]),
    engineCheck(engine),
    composeCheck(programs),
    ...samplerChecks(programs, arch),
    ...kernelChecks(readKernelFacts(), realtime, readRealtimeFacts()),
    ...leftovers(env),
  ];
}

function leftovers(env: Environment): readonly Check[] {
  const { journals, unreadable } = lookIntoJournals(env);
  return leftoverCheck(
    journals.filter((journal) => !isInUse(journal)),
    unreadable.length,
  );
}

async function engineFacts(open: () => Promise<Engine>): Promise<EngineFacts> {
  try {
    const { docker: _docker, ...facts } = await open();
    return { found: true, ...facts };
  } catch (error) {
    if (error instanceof ProfilerError) return { found: false, finding: error.finding };
    const what = error instanceof Error ? error.message : String(error);
    return { found: false, finding: { level: 'note', id: 'engine', what, why: '' } };
  }
}

async function targetChecks(
  found: DiagnosedTarget,
  { pyspy, perf }: Pick<ProgramsFacts, 'pyspy' | 'perf'>,
  priority: readonly string[],
): Promise<readonly Check[]> {
  const { target, engine, container, flags, journal } = found;
  const routes: Check[] = [];
  if (pyspy.found) {
    const { path, version } = pyspy.pyspy;
    const context: RouteContext = {
      target,
      pyspy: { path, version },
      native: false,
      ...(engine === undefined ? {} : { engine }),
      ...(container === undefined ? {} : { container }),
      journal,
      priority,
    };
    for (const kind of found.kinds ?? kindsFor(context))
      routes.push(routeCheck(await tryRoute(kind, context), flags));
  }
  return [
    targetCheck(target, container),
    ...routes,
    ...unaskedChecks(container?.name, flags),
    pyspyBackendCheck(pythonSupport(target), routes),
    ...[nodeBackendCheck(target)].filter((check) => check !== undefined),
    ...(await perfBackendChecks(found, perf)),
  ];
}

/** A moment of perf on the target, where there is a perf. */
async function perfBackendChecks(
  { target, journal, flags }: DiagnosedTarget,
  perf: ProgramFacts,
): Promise<readonly Check[]> {
  if (!perf.found) return [];
  const probe = await probePerf({ target, journal, perf: { path: 'perf', version: perf.version } });
  return [perfBackendCheck(probe, flags)];
}

/** Without a container there is one way; with one, that the direct way is closed goes without saying. */
function kindsFor(context: RouteContext): readonly RouteKind[] {
  if (context.container === undefined && direct.obstacle(context) === undefined) return [direct];
  return ROUTE_KINDS.filter(({ id }) => id !== 'privileged' && id !== 'direct');
}

/** One stack dump by one route, and everything that it made taken back. */
async function tryRoute(kind: RouteKind, context: RouteContext): Promise<RouteFacts> {
  const { id } = kind;
  const obstacle = kind.obstacle(context);
  if (obstacle !== undefined) return { id, works: false, finding: obstacle };
  try {
    const probe = await kind.probe(context);
    if (!probe.works) return { id, works: false, finding: probe.finding };
    const { findings } = probe.route;
    return { id, works: true, findings, left: await probe.route.undo() };
  } catch (error) {
    if (error instanceof ProfilerError) return { id, works: false, finding: error.finding };
    const what = `It broke: ${error instanceof Error ? error.message : String(error)}.`;
    return { id, works: false, finding: { level: 'blocker', id: 'route-broke', what, why: '' } };
  }
}
