import type { Finding } from '../../model/index.js';
import { localRoute } from './direct.js';
import { explainLocal } from './local-refusal.js';
import { isHere, sharesPids } from './namespaces.js';
import { probeDump } from './probe-dump.js';
import type { RouteContext, RouteKind } from './route.js';
import { notHere } from './route-findings.js';

/** py-spy on this machine, looking into a container from outside. The last resort: see `host-thread-ids`. */
export const host: RouteKind = {
  id: 'host',
  output: 'file',
  targetPid: ({ target }) => target.pid,
  commands: ({ priority, pyspy }, args) => [[...priority, pyspy.path, ...args]],
  obstacle: (context): Finding | undefined => {
    if (!isHere(context)) return notHere('host', context);
    if (!context.native) return undefined;
    return {
      level: 'blocker',
      id: 'host-native',
      what: 'Native frames cannot be read from outside a container.',
      why: 'py-spy looks for the threads and libraries of the process under numbers and paths that only hold inside.',
      fix: 'profiler attach …  (without --native)',
    };
  },
  probe: async (context) => {
    const route = localRoute(host, context, sharesPids(context.target) ? [] : [threadIds(context)]);
    const dump = await probeDump(route, context);
    if (dump.works) return { works: true, route };
    return { works: false, id: 'host', finding: await explainLocal(context, dump, 'from outside') };
  },
};

function threadIds({ target }: RouteContext): Finding {
  return {
    level: 'note',
    id: 'host-thread-ids',
    what: `Process ${target.pid} was read from outside its container, where its threads have other ids.`,
    why: 'py-spy cannot tell there which threads sleep, so all are recorded, and their ids are mapped afterwards.',
    fix: 'sudo profiler attach … --via nsenter',
  };
}
