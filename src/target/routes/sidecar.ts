import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ProfilerError, type Finding } from '../../model/index.js';
import type { Container } from '../docker/container.js';
import { getFile } from '../docker/archive.js';
import { changedError, containerNow } from '../docker/container-now.js';
import { engineFailure } from '../docker/engine-error.js';
import type { Engine } from '../docker/engine.js';
import type { Trace } from '../journal/journal.js';
import { KIND_LABEL } from '../docker/labels.js';
import { endAll, type EngineProcess } from './engine-process.js';
import { explainEngine } from './engine-refusal.js';
import { innerPid, isHere } from './namespaces.js';
import { probeDump } from './probe-dump.js';
import { notReachable, type Raise, raiser, rehearseRaise } from './raise-priority.js';
import type { Route, RouteContext, RouteKind } from './route.js';
import { noEngine, samplersLeft } from './route-findings.js';
import { lifeOf } from './running.js';
import { REMOVED_MS, within } from './within.js';
import { removeSidecar, startSidecar, type SidecarPlan } from './sidecar-container.js';
import { imageTrace, pySpyImage, SIDECAR_PROGRAM, sidecarImage } from './sidecar-image.js';

/**
 * A container of ours in the target's pid namespace, one for each run of py-spy: without network, without capabilities but SYS_PTRACE,
 * and without a file of this machine, so that the engine may be a remote one.
 */
export const sidecar: RouteKind = {
  id: 'sidecar',
  output: 'stderr',
  targetPid: innerPid,
  obstacle: (context): Finding | undefined =>
    context.engine === undefined || context.container === undefined
      ? noEngine('sidecar', context)
      : undefined,
  commands: (context, args) => (context.native ? commandsOfOwn(context, args) : commands(context, args)),
  probe: async (context) => {
    const { engine, container } = context;
    if (engine === undefined || container === undefined)
      return { works: false, id: 'sidecar', finding: noEngine('sidecar', context) };
    try {
      const route = await openSidecar(context, engine, container);
      const dump = await probeDump(route, context);
      if (dump.works) return { works: true, route };
      await route.undo();
      return { works: false, id: 'sidecar', finding: explainEngine('sidecar', context, dump) };
    } catch (error) {
      if (error instanceof ProfilerError) return { works: false, id: 'sidecar', finding: error.finding };
      throw error;
    }
  },
};

/** A route that nobody has tried on the target yet. Throws `ProfilerError` where the engine makes no image. */
export async function openSidecar(
  context: RouteContext,
  engine: Engine,
  container: Container,
): Promise<Route> {
  const [plan, rehearsal] = await Promise.all([
    planOf(context, engine, container),
    isHere(context) ? rehearseRaise() : notReachable(engine.host),
  ]);
  return sidecarRoute(context, plan, rehearsal);
}

/** What only the engine can tell of a target that this machine does not show. */
function seenByEngine({ engine, container }: SidecarPlan): Pick<Route, 'now' | 'changed'> {
  return {
    now: () => containerNow(engine, container),
    changed: (now) => changedError(now, container),
  };
}

/** Bytes of a source file. */
const MOST_SOURCE = 4 * 1024 * 1024;

/** Throws `ProfilerError` where the engine makes no image. */
async function planOf(context: RouteContext, engine: Engine, container: Container): Promise<SidecarPlan> {
  const session = randomBytes(6).toString('hex');
  const common = { context, engine, container, session, program: SIDECAR_PROGRAM };
  let shared: Trace | undefined;
  try {
    if (!context.native) {
      const recipe = pySpyImage(context);
      shared = imageTrace(engine, recipe);
      context.journal.add(shared);
      return { ...common, image: await sidecarImage(engine, recipe, session), recipe, shared };
    }
    // Native frames need the target's libraries under its own paths.
    const { Config } = await engine.docker.getImage(container.imageId).inspect();
    const own = { labels: Object.keys(Config.Labels ?? {}), path: context.pyspy.path };
    return { ...common, image: container.imageId, own };
  } catch (error) {
    if (shared !== undefined) context.journal.remove(shared);
    throw engineFailure('make the image of the sidecar', container.name, error);
  }
}

function sidecarRoute(context: RouteContext, plan: SidecarPlan, rehearsal: Raise): Route {
  const { session } = plan;
  const left = new Map<string, EngineProcess>();
  let count = 0;
  const { raise, refused } = raiser(rehearsal);
  const fetch = (path: string): Promise<Uint8Array | undefined> =>
    getFile(plan.engine, plan.container.id, path, MOST_SOURCE);
  return {
    id: 'sidecar',
    ...(context.target.elsewhere === undefined ? {} : { fetch, ...seenByEngine(plan) }),
    targetPid: innerPid(context),
    output: 'stderr',
    /** As the policy of the latest run was read back. */
    get findings() {
      return [refused()].filter((finding) => finding !== undefined);
    },
    commands: (args) => sidecar.commands(context, args),
    start: (args) => {
      count += 1;
      const name = `sim-profiler-${session}-${count}`;
      const process = startSidecar(plan, name, args);
      const raiseIt = async (): Promise<void> => {
        const pid = await process.pid;
        const life = pid === undefined ? undefined : lifeOf(pid);
        if (life !== undefined) await raise(life);
      };
      const follow = async (): Promise<void> => {
        await Promise.all([raiseIt(), process.over]);
        left.delete(name);
      };
      left.set(name, process);
      void follow();
      return process;
    },
    undo: async () => {
      const names = [...left.keys()];
      await endAll(left.values());
      // Each removes its own; this looks whether it is gone.
      const removed = names.map((name) => within(REMOVED_MS, removeSidecar(plan, name)));
      const findings = (await Promise.all(removed)).flatMap((found) => found ?? samplersLeft(1));
      if (plan.shared !== undefined) context.journal.remove(plan.shared);
      return findings;
    },
  };
}

export const BOUNDS =
  '--cap-drop ALL --cap-add SYS_PTRACE --network none --security-opt no-new-privileges --stop-signal SIGINT'.split(
    ' ',
  );

/** By hand: an image of py-spy alone, and a container of it. */
function commands(
  { pyspy, container }: RouteContext,
  args: readonly string[],
): readonly (readonly string[])[] {
  const tar = join(tmpdir(), 'py-spy.tar');
  const image = 'sim-profiler/py-spy:by-hand';
  const name = pyspy.path.slice(pyspy.path.lastIndexOf('/') + 1);
  const pid = ['--pid', `container:${container?.name ?? 'CONTAINER'}`];
  return [
    ['tar', '-chf', tar, '-C', dirname(pyspy.path), name],
    ['docker', 'import', '--change', `LABEL ${KIND_LABEL}=image`, tar, image],
    ['docker', 'run', '--rm', ...pid, ...BOUNDS, '--read-only', image, `/${name}`, ...args],
  ];
}

/** By hand, for native frames: a container of the target's own image and volumes. `docker rm` takes it away. */
function commandsOfOwn(
  { pyspy, container }: RouteContext,
  args: readonly string[],
): readonly (readonly string[])[] {
  const target = container?.name ?? 'CONTAINER';
  const made = ['--name', 'py-spy-sidecar', '--pid', `container:${target}`, ...BOUNDS];
  const own = ['--volumes-from', `${target}:ro`, '--user', '0:0', '--entrypoint', SIDECAR_PROGRAM];
  return [
    ['docker', 'create', ...made, ...own, container?.imageId ?? 'IMAGE', ...args],
    ['docker', 'cp', pyspy.path, `py-spy-sidecar:${SIDECAR_PROGRAM}`],
    ['docker', 'start', '--attach', 'py-spy-sidecar'],
  ];
}
