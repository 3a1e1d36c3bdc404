import { ProfilerError, type Finding } from '../../model/index.js';
import { changedError, containerNow } from '../docker/container-now.js';
import { sameProcess } from '../process.js';
import { direct } from './direct.js';
import { exec, privileged } from './exec.js';
import { host } from './host.js';
import { isHere, isRoot, sharesPids } from './namespaces.js';
import { nsenter } from './nsenter.js';
import type { Route, RouteContext, RouteId, RouteKind } from './route.js';
import { sidecar } from './sidecar.js';
import { shownPid } from '../target.js';

/** `auto`: the first of the routes, in order of least harm and best answer, that works. */
export type RouteVia = 'auto' | RouteId;

/** In the order in which they are tried. */
export const ROUTE_KINDS: readonly RouteKind[] = [direct, nsenter, sidecar, exec, host, privileged];

export interface ChosenRoute {
  readonly route: Route;
  /** A note for each route that was tried before and does not work. */
  readonly passedOver: readonly Finding[];
}

/** A route by the facts at hand, for a plan: nobody tried it. */
export interface UntriedRoute {
  readonly route: Pick<Route, 'id' | 'targetPid' | 'output' | 'commands'>;
  readonly passedOver: readonly Finding[];
}

/** The target's own fault: no route mends it. */
const FAULTS_OF_TARGET: ReadonlySet<string> = new Set([
  'pyspy-no-python',
  'pyspy-python-version',
  'pyspy-emulated',
  'route-no-thread',
]);

interface Refusal {
  readonly id: RouteId;
  readonly finding: Finding;
  /** It was tried, and not only ruled out. */
  readonly tried: boolean;
}

/**
 * Finds a way to the target that one stack dump has proved. Throws `ProfilerError`: what stands in the way of the route that was asked
 * for by name; `no-route` with the reason of each; `target-ended` when it did so meanwhile; or what is wrong with the target
 * itself. Given the signal, it ends after the probe that runs, with the signal's reason; a route that works is given all the same.
 */
export async function chooseRoute(
  context: RouteContext,
  via: RouteVia,
  signal?: AbortSignal,
): Promise<ChosenRoute> {
  const here = isHere(context);
  const refusals: Refusal[] = [];
  for (const kind of kindsFor(context, via)) {
    // A probe is never cut short: what it made it takes back itself.
    signal?.throwIfAborted();
    const obstacle = kind.obstacle(context);
    const probe =
      obstacle === undefined
        ? await kind.probe(context)
        : ({ works: false, id: kind.id, finding: obstacle } as const);
    if (probe.works) return { route: probe.route, passedOver: notesOf(refusals) };
    signal?.throwIfAborted();
    if (here && !sameProcess(context.target)) throw gone(context);
    if (!here) await refuseChanged(context);
    refusals.push({ ...probe, tried: obstacle === undefined });
  }
  throw noRoute(context, refusals);
}

/** Of a container elsewhere only its engine knows that it is not any more what it was. */
async function refuseChanged({ engine, container }: RouteContext): Promise<void> {
  if (engine === undefined || container === undefined) return;
  const changed = changedError(await containerNow(engine, container), container);
  if (changed !== undefined) throw changed;
}

/** The first route, or the one named, that nothing known stands in the way of. Touches nothing. Throws as `chooseRoute` does. */
export function planRoute(context: RouteContext, via: RouteVia): UntriedRoute {
  const refusals: Refusal[] = [];
  for (const kind of kindsFor(context, via)) {
    const finding = kind.obstacle(context);
    if (finding === undefined) {
      const { id, output } = kind;
      const commands: Route['commands'] = (args) => kind.commands(context, args);
      return {
        route: { id, output, targetPid: kind.targetPid(context), commands },
        passedOver: notesOf(refusals),
      };
    }
    refusals.push({ id: kind.id, finding, tried: false });
  }
  throw noRoute(context, refusals);
}

function kindsFor(context: RouteContext, via: RouteVia): readonly RouteKind[] {
  if (via !== 'auto') return ROUTE_KINDS.filter(({ id }) => id === via);
  // Without a container there is nothing to go round: what refuses there, refuses everywhere.
  if (context.container === undefined && direct.obstacle(context) === undefined) return [direct];
  const outside = !sharesPids(context.target);
  return ROUTE_KINDS.filter(({ id }) => id !== 'privileged' && (id !== 'host' || outside));
}

/** That a container's processes cannot be reached as if there was none goes without saying. */
function notesOf(refusals: readonly Refusal[]): readonly Finding[] {
  return refusals
    .filter(({ id, tried }) => id !== 'direct' || tried)
    .map(({ id, finding: { what, why, fix } }) => ({
      level: 'note',
      id: 'route-passed-over',
      what: `The route ${id} was passed over: ${what}`,
      why,
      ...(fix === undefined ? {} : { fix }),
    }));
}

function noRoute(context: RouteContext, refusals: readonly Refusal[]): ProfilerError {
  const { target, container } = context;
  const tried = refusals.filter((refusal) => refusal.tried);
  const [first] = tried.length === 0 ? refusals : tried;
  const sameFault = first !== undefined && tried.every(({ finding }) => finding.id === first.finding.id);
  const isFault = sameFault && FAULTS_OF_TARGET.has(first.finding.id);
  if (first !== undefined && (refusals.length === 1 || isFault)) {
    const { level: _, ...finding } = first.finding;
    return new ProfilerError(finding);
  }
  const where = container?.name ?? target.container;
  return new ProfilerError({
    id: 'no-route',
    what: `No way leads to process ${shownPid(target)}${where === undefined ? '' : ` of container ${where}`}.`,
    list: refusals.map(({ id, finding }) => `${id}: ${finding.what} ${finding.why}`),
    why: 'Each of them is closed, for the reason in its line.',
    fix: askFor(context),
  });
}

/** One line for whoever can open a gate. */
function askFor({ native, engine, container }: RouteContext): string {
  if (!isRoot()) {
    const group = engine === undefined ? ', or for a place in the group docker' : '';
    return `sudo profiler attach …  (or ask the administrator for root on this machine${group})`;
  }
  const added = 'ask the administrator for a container with --cap-add SYS_PTRACE';
  if (native) return `profiler attach …  (without --native; or ${added})`;
  return container === undefined
    ? `profiler doctor  (shows what is missing; or ${added})`
    : `profiler override --container ${container.name}  (or ${added})`;
}

function gone({ target }: RouteContext): ProfilerError {
  return new ProfilerError({
    id: 'target-ended',
    what: `Process ${shownPid(target)} ended before the recording began.`,
    why: 'It was about to finish, or crashed.',
    fix: 'Start the simulation again, then attach.',
  });
}
