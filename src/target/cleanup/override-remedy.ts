import { type Finding, ProfilerError } from '../../model/index.js';
import { restoreOverride } from '../compose/restore.js';
import type { OverrideUndo } from '../journal/journal.js';
import type { Environment } from '../tools/folder.js';
import type { FindEngine } from './engine-remedy.js';
import type { Remedy } from './remedy.js';

/** Undoes an override; resolves with what is to be said of it. Rejects with a `ProfilerError` where it cannot be undone. */
export type RestoreOverride = (undo: OverrideUndo) => Promise<readonly Finding[]>;

/** With the engine of the override, and its own journal entry rewritten. */
export function restorer(env: Environment, find: FindEngine): RestoreOverride {
  return async (undo) => {
    const engine = await find(undo.engine);
    if ('because' in engine) throw notReached(undo, engine.because);
    return (await restoreOverride(undo, { docker: engine.docker, env })).findings;
  };
}

function notReached({ engine }: OverrideUndo, because: string): ProfilerError {
  const fix = `DOCKER_HOST=${engine} docker version`;
  return new ProfilerError({ id: 'override-engine', what: `${because}.`, why: '', fix });
}

/** A compose service that still runs with our override, or was left half recreated. `told` gets what is to be said of it. */
export function overrideRemedy(
  undo: OverrideUndo,
  restore: RestoreOverride,
  told: (findings: readonly Finding[]) => void,
): Remedy {
  const { project, service } = undo;
  return {
    kind: 'override',
    what: `override of service ${service} in project ${project}`,
    verb: 'restored',
    ask: `Restore service ${service} of project ${project}? Its container is made anew, so the simulation in it starts anew.`,
    // What became of it meanwhile is found out while it is undone.
    look: async () => 'there',
    take: async () => {
      try {
        told(await restore(undo));
        return undefined;
      } catch (error) {
        if (!(error instanceof ProfilerError)) throw error;
        const { what, why, list = [], fix } = error.finding;
        const because = [what, ...list, why].filter(Boolean).join(' ').replace(/\.$/, '');
        return { because, ...(fix === undefined ? {} : { fix }) };
      }
    },
  };
}
