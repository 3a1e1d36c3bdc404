import { fileURLToPath } from 'node:url';
import { type Finding, ProfilerError } from '../model/index.js';
import {
  nodeSidecarCommands,
  type NodeSidecarContext,
  nodeSidecarObstacle,
  openNodeSidecar,
  type Route,
  sameProcess,
  shownPid,
  type Target,
} from '../target/index.js';
import { type CpythonProbe, exactness, refusedBy } from './cpython-direct.js';
import { CpythonProcess, routedWindow } from './cpython-process.js';
import { cpythonRefused } from './cpython-refusal.js';
import type { PlannedRoute } from './request.js';

/** The sampler as one file, made by the build. */
function sidecarScript(): string {
  return fileURLToPath(new URL('./cpython-sidecar-main.js', import.meta.url));
}

/** What can be seen to stand in its way; undefined where it may work. */
function obstacleOf(context: NodeSidecarContext): Finding | undefined {
  const { target } = context;
  if (target.elsewhere !== undefined) return cpythonRefused(target, 'elsewhere');
  if (target.runtime !== 'python') return cpythonRefused(target, 'not-python');
  if (target.freeThreaded === true) return cpythonRefused(target, 'free-threaded');
  const obstacle = nodeSidecarObstacle(context);
  return obstacle === undefined ? undefined : notBeside(target, obstacle);
}

function notBeside(target: Target, { what, why }: Pick<Finding, 'what' | 'why'>): Finding {
  return {
    level: 'note',
    id: 'cpython-sidecar',
    what: `Our own sampler cannot be brought beside process ${shownPid(target)} by a container.`,
    why: `${what} ${why}`,
  };
}

/** As it would be done, untried; or what can be seen to stand in its way. */
export function plannedCpythonSidecar(context: NodeSidecarContext): PlannedRoute | Finding {
  const obstacle = obstacleOf(context);
  if (obstacle !== undefined) return obstacle;
  const { target } = context;
  const targetPid = target.nsPid ?? target.pid;
  return { id: 'sidecar', targetPid, output: 'stderr', commands: commandsOf(context, targetPid) };
}

function commandsOf(context: NodeSidecarContext, targetPid: number): Route['commands'] {
  return ([, ...window]) =>
    nodeSidecarCommands(context, sidecarScript(), [String(targetPid), '-', ...window]);
}

/** Starts the sampler in a container of ours and has it find the interpreter and test itself on it. What it made is undone, or the route's. */
export async function probeCpythonSidecar(context: NodeSidecarContext): Promise<CpythonProbe> {
  const { target } = context;
  const obstacle = obstacleOf(context);
  if (obstacle !== undefined) return { works: false, finding: obstacle };
  let sidecar: Awaited<ReturnType<typeof openNodeSidecar>>;
  try {
    sidecar = await openNodeSidecar(context, sidecarScript());
  } catch (error) {
    if (error instanceof ProfilerError) return { works: false, finding: notBeside(target, error.finding) };
    throw error;
  }
  const begin = (): ReturnType<typeof sidecar.start> => {
    const program = sidecar.start([String(sidecar.targetPid)]);
    program.stdin.write('\n');
    return program;
  };
  let program = begin();
  let sampler = new CpythonProcess(program);
  const said = await sampler.first();
  if (said?.kind !== 'ready') {
    const { why, ...finding } = await refusedBy(target, sampler, said);
    await sidecar.undo();
    return { works: false, finding: { ...finding, why: `In a container of ours: ${why}` } };
  }
  await program.raise();
  const route: Route = {
    id: 'sidecar',
    targetPid: sidecar.targetPid,
    output: 'stderr',
    get findings() {
      return [...exactness(target, said), ...sidecar.findings];
    },
    commands: commandsOf(context, sidecar.targetPid),
    start: (args) => {
      if (sampler.ended) {
        program = begin();
        sampler = new CpythonProcess(program);
        void program.raise();
      }
      return routedWindow(sampler, args, { among: true, isOver: () => !sameProcess(target) });
    },
    undo: async () => {
      await sampler.end();
      return sidecar.undo();
    },
  };
  return { works: true, route };
}
