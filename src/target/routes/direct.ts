import type { Finding } from '../../model/index.js';
import { startLocal } from './local-process.js';
import { explainLocal } from './local-refusal.js';
import { isHere, sharesNamespace, sharesPids } from './namespaces.js';
import { probeDump } from './probe-dump.js';
import type { Route, RouteContext, RouteKind } from './route.js';
import { notHere } from './route-findings.js';
import { undoProcesses } from './undo-processes.js';

/** py-spy as it was found, for a target that sees the same processes and files as we do. */
export const direct: RouteKind = {
  id: 'direct',
  output: 'file',
  targetPid: ({ target }) => target.pid,
  commands: ({ priority, pyspy }, args) => [[...priority, pyspy.path, ...args]],
  obstacle: (context): Finding | undefined => {
    const { target, container } = context;
    if (!isHere(context)) return notHere('direct', context);
    const inContainer = container !== undefined || target.container !== undefined;
    // A service with a private /tmp has a mount namespace of its own, and needs nothing else for that.
    const sameFiles = sharesNamespace('mnt', target) ?? !inContainer;
    if (sharesPids(target) && (sameFiles || !inContainer)) return undefined;
    return {
      level: 'blocker',
      id: 'direct-namespaces',
      what: `Process ${target.pid} lives in namespaces of its own${
        target.nsPid === undefined ? '' : `, where it is process ${target.nsPid}`
      }.`,
      why: 'Seen from outside, its thread ids and files are not the ones that py-spy reads in its memory.',
    };
  },
  probe: async (context) => {
    const route = localRoute(direct, context, []);
    const dump = await probeDump(route, context);
    if (dump.works) return { works: true, route };
    return { works: false, id: 'direct', finding: await explainLocal(context, dump, 'directly') };
  },
};

/** A route that runs py-spy on this machine and needs nothing else. */
export function localRoute(kind: RouteKind, context: RouteContext, findings: readonly Finding[]): Route {
  const running = undoProcesses();
  return {
    id: kind.id,
    targetPid: kind.targetPid(context),
    output: kind.output,
    findings,
    commands: (args) => kind.commands(context, args),
    start: (args) =>
      running.add(
        startLocal({ argv: kind.commands(context, args).at(-1) ?? [], forks: false }, context.journal),
      ),
    undo: running.undo,
  };
}
