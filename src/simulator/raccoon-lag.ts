import { firstAfter } from './covered-time.js';
import { spread } from './quantile.js';
import { grouped, tenths } from './raccoon-runs.js';
import type { LagSample, RaccoonPhase, RaccoonStep, RaccoonTrace } from './raccoon-trace-events.js';
import type { CostRow, LateTurns } from './table.js';

export const LAG = 'event-loop lag';
export const BETWEEN = '(between steps)';
const WORST = 8;

interface Spike extends LagSample {
  /** The step that ran when the monitor woke up, as the report of the profiler names it. */
  readonly near: string;
  readonly blockedBy?: string;
}

/** The lag of all samples, spikes by the step that ran, and the worst spikes one by one. `steps` are no composites. */
export function lagRows(trace: RaccoonTrace, steps: readonly RaccoonStep[]): readonly CostRow[] {
  if (trace.lag.length === 0) return [];
  const spikes = withPlaces(trace.spikes, steps);
  return [
    {
      name: LAG,
      path: [],
      role: 'part',
      ...spread(trace.lag.map(({ lagUs }) => lagUs)),
      meaning: 'how late the loop came back to a task that slept: something blocked it',
    },
    ...[...grouped(spikes, ({ near }) => near)].map(([near, own]) => spikesAt(near, own)).toSorted(byTotal),
    ...spikes
      .toSorted((a, b) => b.lagUs - a.lagUs)
      .slice(0, WORST)
      .map(({ near, atUs, lagUs, blockedBy }): CostRow => ({
        name: 'spike',
        path: [LAG, near],
        role: 'part',
        atUs,
        totalUs: lagUs,
        ...(blockedBy === undefined ? {} : { meaning: `blocked by ${blockedBy}` }),
      })),
  ];
}

/** All spikes. Between two looks of the monitor lie its sleep and the lag of the second, so that the times of all tell the sleep. */
export function lateTurns({ lag, spikes }: RaccoonTrace): LateTurns {
  const looks = lag.toSorted((a, b) => a.atUs - b.atUs);
  const sleeps = looks
    .flatMap(({ atUs, lagUs }, at) => (at === 0 ? [] : [atUs - lagUs - (looks[at - 1]?.atUs ?? 0)]))
    .toSorted((a, b) => a - b);
  return {
    each: spikes.toSorted((a, b) => a.atUs - b.atUs),
    intervalUs: tenths(Math.max(0, sleeps[Math.floor(sleeps.length / 2)] ?? 0)),
    untilUs: looks.at(-1)?.atUs ?? 0,
    clocks: 1,
  };
}

function spikesAt(near: string, spikes: readonly Spike[]): CostRow {
  return {
    name: near,
    path: [LAG],
    role: 'part',
    of: 'spikes',
    totalUs: tenths(spikes.reduce((sum, { lagUs }) => sum + lagUs, 0)),
    ...spread(spikes.map(({ lagUs }) => lagUs)),
  };
}

function byTotal(a: CostRow, b: CostRow): number {
  return (b.totalUs ?? 0) - (a.totalUs ?? 0);
}

function withPlaces(spikes: readonly LagSample[], steps: readonly RaccoonStep[]): readonly Spike[] {
  const inOrder = steps.toSorted((a, b) => a.startUs - b.startUs);
  const blocking = blockingPhases(steps);
  const found: Spike[] = [];
  let open: RaccoonStep[] = [];
  let next = 0;
  for (const spike of spikes.toSorted((a, b) => a.atUs - b.atUs)) {
    for (; (inOrder[next]?.startUs ?? Number.POSITIVE_INFINITY) <= spike.atUs; next += 1)
      open.push(inOrder[next] as RaccoonStep);
    open = open.filter(({ endUs }) => endUs >= spike.atUs);
    const blockedBy = blockerOf(spike, blocking);
    found.push({
      ...spike,
      near: deepest(open)?.signature ?? BETWEEN,
      ...(blockedBy === undefined ? {} : { blockedBy }),
    });
  }
  return found;
}

function deepest(steps: readonly RaccoonStep[]): RaccoonStep | undefined {
  let best: RaccoonStep | undefined;
  for (const step of steps) if (best === undefined || depthOf(step) > depthOf(best)) best = step;
  return best;
}

function depthOf({ path }: RaccoonStep): number {
  return path === '' ? 0 : path.split(' > ').length;
}

interface Blocking {
  readonly phases: readonly (RaccoonPhase & { readonly signature: string })[];
  readonly endUs: readonly number[];
}

/** Calls that do not let the loop run: one after the other, so that they end in the order in which they begin. */
function blockingPhases(steps: readonly RaccoonStep[]): Blocking {
  const phases = steps
    .flatMap(({ signature, phases: own }) => own.map((phase) => ({ ...phase, signature })))
    .filter(({ name }) => name.startsWith('hal:') || name === 'acquire')
    .toSorted((a, b) => a.endUs - b.endUs);
  return { phases, endUs: phases.map(({ endUs }) => endUs) };
}

/** The call that took at least half of the time by which the loop was late: the step that runs then may be the next one already. */
function blockerOf({ atUs, lagUs }: LagSample, { phases, endUs }: Blocking): string | undefined {
  const from = atUs - lagUs;
  for (let at = firstAfter(endUs, from); at < phases.length; at += 1) {
    const phase = phases[at];
    if (phase === undefined || phase.startUs >= atUs) return undefined;
    const shared = Math.min(phase.endUs, atUs) - Math.max(phase.startUs, from);
    if (shared * 2 >= lagUs) return `${phase.name} of ${phase.signature}`;
  }
  return undefined;
}
