import { statFile } from '../docker/archive.js';
import { messageOf, statusOf } from '../docker/engine-error.js';
import type { Engine } from '../docker/engine.js';
import type { Trace } from '../journal/journal.js';
import { isInnerFile } from '../routes/inner-file-name.js';
import { isOurs } from './owner.js';
import { removeInside } from './remove-inside.js';
import type { Remedy, Stays } from './remedy.js';

/** Asks for the engine of a trace: the engine, or why it does not answer. */
export type FindEngine = (host: string) => Promise<Engine | Stays>;

type EngineTrace = Trace & { readonly kind: 'container' | 'image' | 'file' };

export function engineRemedy(trace: EngineTrace, find: FindEngine): Remedy {
  switch (trace.kind) {
    case 'container':
      return containerRemedy(trace, find);
    case 'image':
      return imageRemedy(trace, find);
    case 'file':
      return fileRemedy(trace, find);
  }
}

/** Does something with the engine of a trace, and puts what it says against it into words. */
async function withEngine<T>(
  host: string,
  find: FindEngine,
  use: (engine: Engine) => Promise<T>,
): Promise<T | Stays> {
  const engine = await find(host);
  if ('because' in engine) return engine;
  try {
    return await use(engine);
  } catch (error) {
    return { because: `the engine said: ${messageOf(error)}` };
  }
}

/** The answer of the engine; undefined for what it does not have. */
async function known<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

const FOREIGN: Stays = { because: 'it carries no label of ours, so somebody else made it' };

export function containerRemedy(
  { engine: host, name }: EngineTrace & { readonly kind: 'container' },
  find: FindEngine,
): Remedy {
  return {
    kind: 'container',
    what: `container ${name} at ${host}`,
    verb: 'removed',
    look: () =>
      withEngine(host, find, async ({ docker }) => {
        const found = await known(docker.getContainer(name).inspect());
        if (found === undefined) return 'gone';
        return isOurs('sidecar', found.Config.Labels) ? 'there' : FOREIGN;
      }),
    take: () =>
      withEngine(host, find, async ({ docker }): Promise<Stays | undefined> => {
        const container = docker.getContainer(name);
        try {
          await known(container.remove({ force: true, v: true }));
        } catch (error) {
          // 409: its own profiler, or another cleanup, removes it already.
          if (statusOf(error) !== 409) throw error;
        }
        const left = await known(container.inspect());
        if (left === undefined) return undefined;
        return { because: `the engine keeps it (${left.State.Status})`, fix: `docker rm -f ${name}` };
      }),
  };
}

export function imageRemedy(
  { engine: host, reference }: EngineTrace & { readonly kind: 'image' },
  find: FindEngine,
): Remedy {
  return {
    kind: 'image',
    what: `image ${reference} at ${host}`,
    verb: 'removed',
    look: () =>
      withEngine(host, find, async ({ docker }) => {
        const found = await known(docker.getImage(reference).inspect());
        if (found === undefined) return 'gone';
        return isOurs('image', found.Config.Labels) ? 'there' : FOREIGN;
      }),
    take: () =>
      withEngine(host, find, async ({ docker }): Promise<Stays | undefined> => {
        try {
          await known(docker.getImage(reference).remove());
          return undefined;
        } catch (error) {
          if (statusOf(error) !== 409) throw error;
          return { because: 'a container uses it', fix: `docker rmi ${reference}  (once it is gone)` };
        }
      }),
  };
}

function fileRemedy(
  { engine: host, container: id, path }: EngineTrace & { readonly kind: 'file' },
  find: FindEngine,
): Remedy {
  return {
    kind: 'file',
    what: `file ${path} in container ${id.slice(0, 12)} at ${host}`,
    verb: 'removed',
    look: async () => {
      // A journal may hold anything, and this is done as root.
      if (!isInnerFile(path)) return { because: 'no file of ours has such a name, so it is not removed' };
      return withEngine(host, find, async (engine) => {
        const found = await known(engine.docker.getContainer(id).inspect());
        if (found === undefined || (await statFile(engine, id, path)) === undefined) return 'gone';
        const short = id.slice(0, 12);
        if (found.State.Paused)
          return { because: 'the container is paused', fix: `docker unpause ${short} && profiler cleanup` };
        return found.State.Running
          ? 'there'
          : { because: 'the container does not run', fix: `docker start ${short} && profiler cleanup` };
      });
    },
    take: () =>
      withEngine(host, find, async (engine): Promise<Stays | undefined> => {
        if (await removeInside(engine, id, path)) return undefined;
        return {
          because: 'neither rm nor python3 could remove it there',
          fix: `docker exec -u 0 ${id.slice(0, 12)} rm ${path}`,
        };
      }),
  };
}
