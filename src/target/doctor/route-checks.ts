import type { Finding } from '../../model/index.js';
import type { RouteId } from '../routes/route.js';
import { type Check, failing } from './check.js';

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
  if (!facts.works) return failing(check, facts.finding);
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
export function unaskedChecks(container: string | undefined, targetFlags: string): readonly Check[] {
  if (container === undefined) return [];
  const check = { group: 'routes', state: 'note' } as const;
  return [
    {
      ...check,
      id: 'route-privileged',
      name: 'privileged',
      what: `${MEANING.privileged}; only when asked for by name`,
      fix: via('privileged', targetFlags),
    },
    {
      ...check,
      id: 'route-override',
      name: 'override',
      what: 'makes the container of a compose service anew with the right, and again without it afterwards; never done unasked',
      fix: `profiler override --container ${container}  (shows what it would do)`,
    },
  ];
}
