import { existsSync } from 'node:fs';
import type { OverrideUndo } from '../journal/journal.js';
import type { Finding } from '../../model/index.js';
import type { Remedy } from './remedy.js';

/** Brings a compose service back to how it was; resolves with what could not be brought back. */
export type RestoreOverride = (undo: OverrideUndo) => Promise<readonly Finding[]>;

/** A compose service that still runs with our override, or was left half recreated. */
export function overrideRemedy(undo: OverrideUndo, restore: RestoreOverride): Remedy {
  const { project, service } = undo;
  return {
    kind: 'override',
    what: `override of service ${service} in project ${project}`,
    verb: 'restored',
    ask: `Restore service ${service} of project ${project}? Its container is recreated, so the simulation in it starts anew.`,
    look: async () => (existsSync(undo.cwd) ? 'there' : 'there'),
    take: async () => {
      const [first] = await restore(undo);
      if (first === undefined) return undefined;
      return {
        because: `${first.what} ${first.why}`.trim(),
        ...(first.fix === undefined ? {} : { fix: first.fix }),
      };
    },
  };
}
