import type { Engine } from '../docker/engine.js';
import type { Trace } from '../journal/journal.js';
import { containerRemedy, imageRemedy, type FindEngine } from './engine-remedy.js';
import { isOurs, OWNER_LABEL, ownerState } from './owner.js';
import type { Remedy, Stays } from './remedy.js';

/**
 * What an engine holds of profilers that have ended, found by labels. `inUse`: what living profilers wrote down. Rejects with what the
 * engine says.
 */
export async function sweepEngine(
  engine: Engine,
  inUse: readonly Trace[],
  find: FindEngine,
): Promise<readonly Remedy[]> {
  const { docker, host } = engine;
  const containers = (await docker.listContainers({ all: true })).filter(({ Labels }) =>
    isOurs('sidecar', Labels),
  );
  const written = new Set(inUse.map((trace) => nameOn(host, trace)));
  const remedies: Remedy[] = [];
  let living = 0;
  for (const { Names, Id, Labels, State } of containers) {
    const name = Names[0]?.replace(/^\//, '') ?? Id;
    const owner = ownerState(Labels[OWNER_LABEL]);
    if (written.has(name) || owner === 'lives') living += 1;
    else {
      const remedy = containerRemedy({ kind: 'container', engine: host, name }, find);
      // Somebody else's recording may be under way: another machine's, or another pid namespace's.
      const foreign = owner === 'unknown' && State === 'running';
      if (foreign) living += 1;
      remedies.push(foreign ? { ...remedy, look: async () => unknownOwner(name) } : remedy);
    }
  }
  // Profilers share an image: while one of them lives, its next sidecar is made from it.
  if (living > 0) return remedies;
  for (const { RepoTags, Id, Labels } of await docker.listImages()) {
    const reference = RepoTags?.find((tag) => !tag.startsWith('<none>')) ?? Id;
    if (isOurs('image', Labels) && !written.has(reference))
      remedies.push(imageRemedy({ kind: 'image', engine: host, reference }, find));
  }
  return remedies;
}

function nameOn(host: string, trace: Trace): string | undefined {
  if (trace.kind === 'container' && trace.engine === host) return trace.name;
  return trace.kind === 'image' && trace.engine === host ? trace.reference : undefined;
}

function unknownOwner(name: string): Stays {
  return {
    because: 'it runs, and whether its profiler does cannot be told from here',
    fix: `docker rm -f ${name}`,
  };
}
