import { randomBytes } from 'node:crypto';
import { PassThrough, type Writable } from 'node:stream';
import { type Finding, ProfilerError } from '../../model/index.js';
import { engineFailure } from '../docker/engine-error.js';
import { KIND_LABEL } from '../docker/labels.js';
import { endAll, type EngineProcess } from './engine-process.js';
import { innerPid, isHere } from './namespaces.js';
import { nodeFiles, nodeImage, SIDECAR_LIBRARIES, SIDECAR_NODE, SIDECAR_SCRIPT } from './node-image.js';
import { raiser, rehearseRaise } from './raise-priority.js';
import type { Route, RouteContext, RoutedProcess } from './route.js';
import { noEngine, notHere, samplersLeft } from './route-findings.js';
import { lifeOf } from './running.js';
import { removeSidecar, startSidecar, type SidecarPlan } from './sidecar-container.js';
import { imageTrace, sidecarImage } from './sidecar-image.js';
import { BOUNDS } from './sidecar.js';
import { REMOVED_MS, within } from './within.js';

/** What a script of ours needs to be run beside a target in a container. */
export type NodeSidecarContext = Pick<RouteContext, 'target' | 'engine' | 'container' | 'journal'>;

/** A running Node of ours, in a container in the target's pid namespace. */
export interface SidecarProgram extends RoutedProcess {
  readonly stdin: Writable;
  /** Gives it real-time priority from outside, where we may; to be asked for once it has all its threads. */
  readonly raise: () => Promise<void>;
}

/** Sidecars that run one script with the Node of this very process, which an image of ours brings. */
export interface NodeSidecar extends Pick<Route, 'targetPid' | 'findings' | 'undo'> {
  /** Never throws: what cannot be started has an `exit` that says so. */
  readonly start: (args: readonly string[]) => SidecarProgram;
}

/** What stands in its way by the facts at hand. It is for processes of this machine: Node and its libraries are this machine's own. */
export function nodeSidecarObstacle(context: NodeSidecarContext): Finding | undefined {
  const { target, engine, container } = context;
  if (target.elsewhere !== undefined || !isHere(context)) return notHere('sidecar', context);
  return engine === undefined || container === undefined ? noEngine('sidecar', context) : undefined;
}

/** The image, made where the engine has none. Nothing runs yet. Throws `ProfilerError` where the engine makes none. */
export async function openNodeSidecar(context: NodeSidecarContext, script: string): Promise<NodeSidecar> {
  const { engine, container, journal } = context;
  if (engine === undefined || container === undefined)
    throw new ProfilerError({
      id: 'sidecar-no-engine',
      what: 'There is no container engine to ask.',
      why: 'A sidecar is made by one.',
    });
  const session = randomBytes(6).toString('hex');
  const recipe = await nodeImage(script).catch((error: unknown) => {
    throw new ProfilerError({
      id: 'sidecar-files',
      what: 'The files of the image of the sidecar cannot be read.',
      why: error instanceof Error ? error.message : String(error),
      fix: 'npm install --global sim-profiler',
    });
  });
  const shared = imageTrace(engine, recipe);
  journal.add(shared);
  const [image, rehearsal] = await Promise.all([
    sidecarImage(engine, recipe, session),
    rehearseRaise(),
  ]).catch((error: unknown) => {
    journal.remove(shared);
    throw engineFailure('make the image of the sidecar', container.name, error);
  });
  const plan: Omit<SidecarPlan, 'stdin'> = {
    context,
    engine,
    container,
    session,
    image,
    recipe,
    shared,
    program: SIDECAR_NODE,
    env: { LD_LIBRARY_PATH: SIDECAR_LIBRARIES },
    capAdd: capabilitiesFor(context),
  };
  const left = new Map<string, EngineProcess>();
  let count = 0;
  const { raise, refused } = raiser(rehearsal);
  return {
    targetPid: innerPid(context),
    get findings() {
      return [refused()].filter((finding) => finding !== undefined);
    },
    start: (args) => {
      count += 1;
      const name = `sim-profiler-${session}-${count}`;
      const stdin = new PassThrough();
      const process = startSidecar({ ...plan, stdin }, name, [SIDECAR_SCRIPT, ...args]);
      left.set(name, process);
      void process.over.then(() => left.delete(name));
      return {
        ...process,
        stdin,
        raise: async () => {
          const pid = await process.pid;
          const life = pid === undefined ? undefined : lifeOf(pid);
          if (life !== undefined) await raise(life);
        },
      };
    },
    undo: async () => {
      const names = [...left.keys()];
      await endAll(left.values());
      // Each removes its own; this looks whether it is gone.
      const removed = names.map((name) => within(REMOVED_MS, removeSidecar(plan, name)));
      const findings = (await Promise.all(removed)).flatMap((found) => found ?? samplersLeft(1));
      journal.remove(shared);
      return findings;
    },
  };
}

/** The kernel's files of a thread belong to the thread's user, and to them root without this right is only one more user. */
function capabilitiesFor({ target }: Pick<NodeSidecarContext, 'target'>): readonly string[] {
  return target.uid === 0 ? [] : ['DAC_OVERRIDE'];
}

/** By hand: an image of this Node and the script, and a container of it. */
export function nodeSidecarCommands(
  context: NodeSidecarContext,
  script: string,
  args: readonly string[],
): readonly (readonly string[])[] {
  const files = nodeFiles().map(({ path }) => (path === '/proc/self/exe' ? process.execPath : path));
  const { container } = context;
  const added = capabilitiesFor(context).flatMap((one) => ['--cap-add', one]);
  const image = 'sim-profiler/node:by-hand';
  const folders = [...new Set(files.slice(1).map((path) => path.slice(0, path.lastIndexOf('/'))))];
  const pid = `container:${container?.name ?? 'CONTAINER'}`;
  const bounds = [...BOUNDS, ...added, '--read-only', '--env', `LD_LIBRARY_PATH=${folders.join(':')}`];
  return [
    ['tar', '-chf', 'node.tar', '-C', '/', ...[...files, script].map((path) => path.slice(1))],
    ['docker', 'import', '--change', `LABEL ${KIND_LABEL}=image`, 'node.tar', image],
    [
      'docker',
      'run',
      '--rm',
      '--interactive',
      '--pid',
      pid,
      ...bounds,
      image,
      process.execPath,
      script,
      ...args,
    ],
  ];
}
