import type { Finding } from '../../model/index.js';
import type { RouteId } from '../routes/route.js';
import type { Check } from './check.js';

/** What trying a route came to. */
export type RouteFacts =
  | {
      readonly id: RouteId;
      readonly works: true;
      readonly findings: readonly Finding[];
      readonly left: readonly Finding[];
    }
  | { readonly id: RouteId; readonly works: false; readonly finding: Finding };

const MEANING: Readonly<Record<RouteId, string>> = {
  direct: 'beside it, in the same namespaces',
  nsenter: "inside its namespaces, from this machine's root",
  sidecar: 'a container of our own in its pid namespace',
  exec: "inside its container, as the target's own user",
  host: 'from outside, thread ids as the container numbers them',
  privileged: 'inside its container, with every capability',
};

/** How to ask for a route by name. */
function via(id: RouteId, targetFlags: string): string {
  return `profiler attach ${targetFlags} --via ${id}`;
}

/** One route on one target. `targetFlags` names the target as the user did: `--container bridge`. */
export function routeCheck(facts: RouteFacts, targetFlags: string): Check {
  const check = { group: 'routes', id: `route-${facts.id}`, name: facts.id } as const;
  if (!facts.works) {
    const { what, why, fix } = facts.finding;
    return {
      ...check,
      state: 'fails',
      what: [what, why].filter(Boolean).join(' '),
      ...(fix === undefined ? {} : { fix }),
    };
  }
  const limits = [...facts.findings, ...facts.left].filter(({ level }) => level !== 'note');
  const [first] = limits;
  if (first === undefined)
    return { ...check, state: 'works', what: MEANING[facts.id], fix: via(facts.id, targetFlags) };
  return {
    ...check,
    state: 'limited',
    what: `${MEANING[facts.id]}. ${limits.map(({ what, why }) => `${what} ${why}`).join(' ')}`,
    fix: first.fix ?? via(facts.id, targetFlags),
  };
}

/** The ways that are never tried unasked, because they change the target or hold every right. */
export function unaskedChecks(service: string | undefined): readonly Check[] {
  const override: Check = {
    group: 'routes',
    id: 'route-override',
    name: 'override',
    state: 'note',
    what: 'recreates the container with the capability, and restores it afterwards; never done unasked',
    fix: `profiler override --service ${service ?? ''}  (shows what it would do)`,
  };
  return service === undefined ? [] : [override];
}
