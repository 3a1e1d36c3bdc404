import type { Finding } from '../../model/index.js';
import type { Engine } from '../docker/engine.js';
import type { Check } from './check.js';

/** Facts about an engine, without the connection to it. */
export type EngineFacts =
  | ({ readonly found: true } & Omit<Engine, 'docker'>)
  | { readonly found: false; readonly finding: Finding };

const FROM = {
  DOCKER_HOST: 'named by DOCKER_HOST',
  context: "of docker's current context",
  default: 'at the usual place',
} as const;

/** Which engine answers, and what follows from its kind. Without one, processes of this machine can still be sampled. */
export function engineCheck(facts: EngineFacts): Check {
  const check = { group: 'containers', id: 'engine', name: 'engine' } as const;
  if (!facts.found) {
    const { what, why, fix } = facts.finding;
    return {
      ...check,
      state: 'note',
      what: `${[what, why].filter(Boolean).join(' ')} Processes can still be named by --pid and --match.`,
      ...(fix === undefined ? {} : { fix }),
    };
  }
  const { kind, version, apiVersion, host, from, rootless, local } = facts;
  const found = `${kind} ${version}, API ${apiVersion}, ${host} (${FROM[from]})`;
  const limits = [
    ...(local
      ? []
      : ['where it is another machine, its containers are sampled by a sidecar there, by samples alone']),
    ...(rootless ? ['rootless: root in its containers is an ordinary user, without real-time priority'] : []),
    ...(kind === 'podman' ? ["speaks Docker's API, not in all things the same"] : []),
  ];
  return limits.length === 0
    ? { ...check, state: 'works', what: found }
    : { ...check, state: 'limited', what: `${found}; ${limits.join('; ')}` };
}
