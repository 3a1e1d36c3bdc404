import type Docker from 'dockerode';
import { ProfilerError } from '../../model/index.js';
import type { Container } from './container.js';
import type { Engine } from './engine.js';
import { engineFailure } from './engine-error.js';
import { nearestNames } from './nearest.js';
import { runningContainer } from './running.js';

/**
 * The running container of that name, id, or beginning of an id. Throws `ProfilerError`: `no-such-container` (with the nearest names),
 * `container-ambiguous`, and what `runningContainer` throws for one that does not run.
 */
export async function findContainer(engine: Engine, wanted: string): Promise<Container> {
  const all = await listContainers(engine);
  const name = wanted.replace(/^\//, '');
  const named = all.find((one) => one.Id === name) ?? all.find((one) => nameOf(one) === name);
  if (named !== undefined) return runningContainer(engine, named.Id);
  const begun = /^[0-9a-f]+$/.test(name) ? all.filter(({ Id }) => Id.startsWith(name)) : [];
  const [only] = begun;
  if (only === undefined) throw missing(engine, name, all);
  if (begun.length > 1) {
    throw new ProfilerError({
      id: 'container-ambiguous',
      what: `The ids of ${begun.length} containers begin with ${name}.`,
      list: begun.map((one) => `${one.Id.slice(0, SHORT_ID)} ${nameOf(one)}, ${one.State}`),
      why: 'Which of them is meant cannot be told.',
      fix: 'profiler attach --container NAME',
    });
  }
  return runningContainer(engine, only.Id);
}

const SHORT_ID = 12;

/** Every container of the engine, running or not. Throws `ProfilerError`: `engine-unreachable`, `engine-refused`. */
export async function listContainers(engine: Engine, label?: string): Promise<Docker.ContainerInfo[]> {
  const filter = label === undefined ? {} : { filters: { label: [label] } };
  return engine.docker.listContainers({ all: true, ...filter }).catch((error: unknown) => {
    throw engineFailure('list its containers', '', error);
  });
}

/** A container that others link to has further names, in which a container stands before a slash. */
export function nameOf({ Names, Id }: Docker.ContainerInfo): string {
  const names = Names.map((name) => name.replace(/^\//, ''));
  return names.find((name) => !name.includes('/')) ?? names[0] ?? Id;
}

function missing(engine: Engine, name: string, all: readonly Docker.ContainerInfo[]): ProfilerError {
  // Running ones first: of equally near names they are the likelier.
  const byLife = [...all].sort((a, b) => Number(b.State === 'running') - Number(a.State === 'running'));
  const near = nearestNames(name, byLife.map(nameOf));
  const states = new Map(all.map((one) => [nameOf(one), one.State]));
  const running = all.filter(({ State }) => State === 'running').length;
  return new ProfilerError({
    id: 'no-such-container',
    what: `There is no container ${name} in the engine at ${engine.host}.`,
    ...(near.length === 0 ? {} : { list: near.map((one) => `${one}, ${states.get(one) ?? ''}`) }),
    why:
      near.length > 0
        ? 'These have a name like it.'
        : `None of its ${all.length} containers, of which ${running} run, has a name like it.`,
    fix: near[0] === undefined ? 'docker ps -a' : 'profiler attach --container NAME',
  });
}
