import {
  type ChosenRoute,
  chooseRoute,
  notWritten,
  openJournal,
  ROUTE_KINDS,
  type Realtime,
  type Route,
  type RouteContext,
  type RouteVia,
} from '../target/index.js';
import { errorJson } from '../report/index.js';
import { interrupted, interruptible, type Interruption } from './interrupt.js';
import type { Io } from './io.js';
import type { FoundTarget } from './target-flags.js';
import { tellFindings } from './tell-findings.js';

export type Via = RouteVia | 'override';

/** What `--via` takes. */
export const VIAS: readonly Via[] = ['auto', ...ROUTE_KINDS.map(({ id }) => id), 'override'];

export interface RouteWish {
  readonly found: FoundTarget;
  readonly pyspy: { readonly path: string; readonly version: string };
  readonly native: boolean;
  readonly realtime: Realtime;
}

/** The service is made anew first; then the first route that works is taken. */
export function routeVia(via: Via): RouteVia {
  return via === 'override' ? 'auto' : via;
}

/** What a route is tried with. Its journal touches the disk only once something is made. */
export function routeContext(io: Io, { found, pyspy, native, realtime }: RouteWish): RouteContext {
  const { target, engine, container } = found;
  return {
    target,
    pyspy,
    native,
    ...(engine === undefined ? {} : { engine }),
    ...(container === undefined ? {} : { container }),
    journal: openJournal(io.env, new Date().toISOString()),
    priority: realtime.allowed ? realtime.argv : [],
  };
}

export interface RouteSearch extends Pick<RouteContext, 'target' | 'native' | 'engine' | 'journal'> {
  /** Finds the way, or throws; a signal may cut it short between two tries. */
  readonly choose: (signal: AbortSignal) => Promise<ChosenRoute>;
  /** A signal that came before: nothing is begun. */
  readonly came?: AbortSignal;
  /** Who listens to signals meanwhile; left out, they end the work early. */
  readonly interruptibly?: typeof interruptible;
}

/** The routes of py-spy: the first that works, or the one that is named. */
export function pySpyRoute(context: RouteContext, via: RouteVia): RouteSearch {
  return { ...context, choose: (signal) => chooseRoute(context, via, signal) };
}

/**
 * Finds a way to the target, does `work` by it, and takes back whatever the way needed. The route's findings begin with why each earlier
 * one was passed over. Undefined where a signal came before it began: then all is taken back. Throws
 * ProfilerError `no-route`, or why the named one does not work.
 */
export async function byRoute<T>(
  io: Io,
  search: RouteSearch,
  work: (route: Route, interruption: Interruption) => Promise<T>,
): Promise<T | undefined> {
  const done = await (search.interruptibly ?? interruptible)(io, async (interruption) => {
    const { signal } = interruption;
    interruption.phase('', () => LEFT);
    if (search.came?.aborted === true) return undefined;
    const chosen = await search.choose(signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (chosen === undefined) return undefined;
    if (!signal.aborted) return { value: await workBy(io, search, chosen, interruption, work) };
    tellFindings(io, await chosen.route.undo());
    return undefined;
  });
  return done?.value;
}

/** What insisting leaves while a route is looked for or taken back. */
const LEFT = '`profiler cleanup` takes back what is left.';

/** What is said of a recording that was interrupted too early; with `json` the one object too that is always there. */
export async function sayNothingRecorded(io: Io, json: boolean): Promise<void> {
  const { finding, exitCode } = interrupted();
  io.setExitCode(exitCode);
  io.err(`${finding.what}\n`);
  if (json) await io.out(errorJson(finding));
}

async function workBy<T>(
  io: Io,
  { journal, native, target, engine }: RouteSearch,
  { route, passedOver }: ChosenRoute,
  interruption: Interruption,
  work: (route: Route, interruption: Interruption) => Promise<T>,
): Promise<T> {
  // Whoever reads native frames stops the target for each sample: after a crash somebody has to make it go on.
  const stopping = { kind: 'probed', pid: target.pid, startTicks: target.startTicks } as const;
  if (native) journal.add(stopping);
  try {
    return await work(
      {
        ...route,
        ...(engine === undefined ? {} : { engine: engine.host }),
        // What a route knows of its sampler's priority may change while it runs.
        get findings() {
          return [...passedOver, ...notWritten(journal), ...route.findings];
        },
      },
      interruption,
    );
  } finally {
    if (native) journal.remove(stopping);
    interruption.phase('What was made for the recording is taken back first.', () => LEFT);
    tellFindings(io, await route.undo());
  }
}
