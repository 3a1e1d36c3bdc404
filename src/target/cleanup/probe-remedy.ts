import { errorReason } from '../../model/index.js';
import type { Trace } from '../journal/journal.js';
import { deadGroups, findTracefs, hasGroup, removeGroup } from '../tracing/tracefs.js';
import type { Remedy, Stays } from './remedy.js';

type Uprobe = Trace & { readonly kind: 'uprobe' };

/** Names of what ended profilers left in the kernel, whatever journal tells of it. */
export function leftProbes(): readonly string[] {
  const found = findTracefs();
  try {
    return 'because' in found ? [] : deadGroups(found.path);
  } catch {
    return [];
  }
}

/** Probes that an ended profiler left in the kernel. */
export function probeRemedy({ group }: Uprobe): Remedy {
  const found = findTracefs();
  return {
    kind: 'uprobe',
    what: `user-space probe ${group}`,
    verb: 'removed',
    look: async () => {
      if ('because' in found) return stays(found.because);
      try {
        return hasGroup(found.path, group) ? 'there' : 'gone';
      } catch (error) {
        return stays(errorReason(error));
      }
    },
    take: async () => {
      if ('because' in found) return stays(found.because);
      try {
        removeGroup(found.path, group);
        return undefined;
      } catch (error) {
        return stays(errorReason(error));
      }
    },
  };
}

function stays(because: string): Stays {
  return { because: `the kernel's tracing refuses: ${because}`, fix: 'sudo profiler cleanup' };
}
