import { hasEnded, readStat } from '../proc/stat.js';
import { readCommand } from '../proc/command.js';
import type { Trace } from '../journal/journal.js';
import { reachable, readTcp, socketInodes } from '../node/listening.js';
import { readInspectorOptions } from '../node/node-options.js';
import { closeOpened } from '../node/open-inspector.js';
import type { InspectorAddress } from '../node/inspector/connect.js';
import type { Remedy, Stays } from './remedy.js';

type InspectorLife = Trace & { readonly kind: 'inspector' };

const NOT_YET: Stays = {
  because: 'it was asked to open, and has not yet: its main thread is in native code',
  fix: 'profiler cleanup  (once it goes on)',
};

/** An inspector that an ended profiler opened, by its port, or by the one where SIGUSR1 would have opened it. */
export function inspectorRemedy(life: InspectorLife, program?: string): Remedy {
  const { pid } = life;
  const command = readCommand(pid).join(' ');
  return {
    kind: 'inspector',
    what: `inspector of process ${pid}${command === '' ? '' : ` (${command})`}`,
    verb: 'closed',
    look: async () => {
      if (!isAlive(life)) return 'gone';
      if (addressOf(life) !== undefined) return 'there';
      return life.port === 0 ? NOT_YET : 'gone';
    },
    take: async () => {
      const address = isAlive(life) ? addressOf(life) : undefined;
      if (address === undefined) return undefined;
      const left = await closeOpened({ pid, ...(program === undefined ? {} : { program }) }, address);
      return left === undefined
        ? undefined
        : { because: left.why, fix: `profiler cleanup  (or end process ${pid})` };
    },
  };
}

function isAlive({ pid, startTicks }: InspectorLife): boolean {
  const stat = readStat(pid);
  return stat !== undefined && stat.startTicks === startTicks && !hasEnded(stat);
}

function addressOf({ pid, port: known }: InspectorLife): InspectorAddress | undefined {
  const port = known === 0 ? readInspectorOptions(pid, readCommand(pid)).port : known;
  const own = socketInodes(pid);
  const found = readTcp(pid).find(
    (socket) => socket.state === 'listening' && socket.port === port && own?.has(socket.inode) === true,
  );
  return found === undefined ? undefined : reachable(found);
}
