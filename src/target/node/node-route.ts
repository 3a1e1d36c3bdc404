import type { Finding } from '../../model/index.js';
import type { Journal } from '../journal/journal.js';
import { isRoot } from '../routes/namespaces.js';
import { startLocal } from '../routes/local-process.js';
import type { Route } from '../routes/route.js';
import { undoProcesses } from '../routes/undo-processes.js';
import { sameProcess } from '../process.js';
import { shownPid, type Target } from '../target.js';
import { askInspector, inspectorArgv, type InspectorPlace, sharesNetwork } from './inspector-program.js';
import { inspectorCandidates, lookAtNode, type NodeFacts } from './node-look.js';
import { nodeObstacle, seemsOpen } from './node-obstacle.js';
import { closeOpened, inspectorTrace, openInspector } from './open-inspector.js';
import type { InspectorAddress } from './inspector/connect.js';

export interface NodeContext {
  readonly target: Target;
  /** Whatever could outlive us is written here before it is made. */
  readonly journal: Journal;
  /** The compiled program that talks to inspectors, where it is not beside its source. */
  readonly program?: string;
}

/** A way to the inspector of a Node. */
export interface NodeRoute {
  readonly route: Route;
  readonly address: InspectorAddress;
  /** It was open before we came, and stays so. */
  readonly wasOpen: boolean;
  readonly version: string;
}

export type NodeProbe =
  | { readonly works: true; readonly route: NodeRoute }
  | { readonly works: false; readonly finding: Finding };

/** What keeps us from the network that the process lives in. */
function networkObstacle(target: Target): Finding | undefined {
  if (target.elsewhere !== undefined)
    return {
      level: 'blocker',
      id: 'node-not-here',
      what: `The process is on the machine of the engine (${target.elsewhere}).`,
      why: 'Its inspector listens there, and only there.',
      fix: 'profiler attach … --backend node  (on that machine)',
    };
  if (sharesNetwork(target.pid) !== false || isRoot()) return undefined;
  return {
    level: 'blocker',
    id: 'node-other-network',
    what: `Process ${shownPid(target)} lives in a network of its own, as in a container.`,
    why: 'Its inspector listens on the loopback there; only root may join that network.',
    fix: `sudo profiler attach --pid ${target.pid} --backend node`,
  };
}

/** What is to be expected of a target that is not touched: for `doctor` and `--dry-run`. */
export interface NodeOutlook {
  /** What stands in the way. */
  readonly blocked: Finding | undefined;
  readonly version: string;
  readonly isOpen: boolean;
}

export function nodeOutlook(target: Target): NodeOutlook {
  const facts = lookAtNode(target);
  const isOpen = seemsOpen(facts);
  const blocked = networkObstacle(target) ?? nodeObstacle(target, facts, isOpen);
  return { blocked, version: facts.version ?? 'of unknown version', isOpen };
}

/** Opens the inspector of the target, unless it is open, and sees that its JavaScript answers. */
export async function probeNode(context: NodeContext): Promise<NodeProbe> {
  const { target, journal } = context;
  const blocked = networkObstacle(target);
  if (blocked !== undefined) return { works: false, finding: blocked };
  const facts = lookAtNode(target);
  const open = await findOpen(context, facts);
  const obstacle = nodeObstacle(target, facts, open !== undefined);
  if (obstacle !== undefined) return { works: false, finding: obstacle };
  if (open !== undefined) return { works: true, route: routeOf(context, facts, open, true) };
  const opened = await openInspector(target, journal);
  if (!opened.works) return opened;
  const { address } = opened;
  const { works, said } = await askInspector(placeOf(context), 'look', address);
  const route = routeOf(context, facts, address, false);
  if (works) return { works: true, route };
  await route.route.undo();
  return { works: false, finding: unresponsive(target, said) };
}

/** The inspector that answers already. */
async function findOpen(context: NodeContext, facts: NodeFacts): Promise<InspectorAddress | undefined> {
  for (const address of inspectorCandidates(facts)) {
    const { works } = await askInspector(placeOf(context), 'look', address);
    if (works) return address;
  }
  return undefined;
}

function placeOf({ target, program }: NodeContext): InspectorPlace {
  return { pid: target.pid, ...(program === undefined ? {} : { program }) };
}

function unresponsive(target: Target, said: string): Finding {
  return {
    level: 'blocker',
    id: 'node-unresponsive',
    what: `The inspector of process ${shownPid(target)} is open, and its JavaScript does not answer.`,
    why: `Its main thread is in native code that does not return, or is held by a debugger. ${said.slice(-200)}`,
    fix: 'profiler attach … --backend perf  (sees native code)',
  };
}

/** A route that nobody has tried: where its inspector is, or would be. */
export function nodeRoute(context: NodeContext): NodeRoute {
  const facts = lookAtNode(context.target);
  const open = inspectorCandidates(facts)[0];
  const address = open ?? { host: '127.0.0.1', port: facts.options.port };
  return routeOf(context, facts, address, open !== undefined);
}

function routeOf(
  context: NodeContext,
  facts: NodeFacts,
  address: InspectorAddress,
  wasOpen: boolean,
): NodeRoute {
  const { target, journal, program } = context;
  const running = undoProcesses();
  const place = placeOf(context);
  const sampler: Route['commands'] = (args) => [inspectorArgv(place, args)];
  const open = wasOpen ? [] : [['kill', '-USR1', String(target.pid)]];
  return {
    address,
    wasOpen,
    version: facts.version ?? 'unknown',
    route: {
      id: sharesNetwork(target.pid) === false ? 'nsenter' : 'direct',
      targetPid: target.pid,
      output: 'file',
      findings: facts.ownHandler === undefined && !wasOpen ? [handlerUnknown(target)] : [],
      commands: (args) => [...open, ...sampler(args)],
      start: (args) => running.add(startLocal({ argv: sampler(args).at(-1) ?? [], forks: false }, journal)),
      undo: async () => {
        const left = await running.undo();
        if (wasOpen) return left;
        const still = sameProcess(target)
          ? await closeOpened({ pid: target.pid, ...(program === undefined ? {} : { program }) }, address)
          : undefined;
        if (still === undefined) journal.remove(inspectorTrace(target, address.port));
        return still === undefined ? left : [...left, still];
      },
    },
  };
}

function handlerUnknown(target: Target): Finding {
  return {
    level: 'note',
    id: 'node-handler-unknown',
    what: `Whether process ${shownPid(target)} handles SIGUSR1 itself could not be seen before it was sent.`,
    why: 'Its Node has no symbols, or its memory may not be read; the inspector opened, so it does not.',
  };
}
