import { statSync } from 'node:fs';
import type { Finding } from '../../model/index.js';
import { startExec } from '../docker/exec.js';
import { innerUser } from '../proc/id-map.js';
import { endAll, engineProcess, type EngineProcess, type EngineRun, type Stop } from './engine-process.js';
import { execRun } from './exec-run.js';
import { explainEngine } from './engine-refusal.js';
import { bringProgram, type InnerProgram } from './inner-program.js';
import type { Inside } from './inside.js';
import { innerPythons, pythonCommand, RUN_FROM_MEMORY, SIGNAL_BY_NAME } from './inner-python.js';
import { innerPid, isHere } from './namespaces.js';
import { probeDump } from './probe-dump.js';
import { quotaCpus } from './quota.js';
import { canLeaveQuota, notReachable, type Raise, raiser, rehearseRaise } from './raise-priority.js';
import type { Route, RouteContext, RouteKind, RouteProbe } from './route.js';
import { noEngine, samplersLeft } from './route-findings.js';
import { REMOVED_MS, within } from './within.js';
import { journalProcess, type Life } from './running.js';

/**
 * py-spy inside the target's container, as the target's own user and group: without CAP_SYS_PTRACE the kernel lets nobody else read it,
 * root neither.
 */
export const exec: RouteKind = execKind('exec');

/** The same as root with every capability. Never chosen by itself: it has to be asked for by name. */
export const privileged: RouteKind = execKind('privileged');

function execKind(id: 'exec' | 'privileged'): RouteKind {
  const kind: RouteKind = {
    id,
    output: 'stderr',
    targetPid: innerPid,
    obstacle: (context): Finding | undefined => {
      const { engine, container } = context;
      if (engine === undefined || container === undefined) return noEngine(id, context);
      if (id === 'exec' && context.target.elsewhere !== undefined)
        return userUnknown(context.target.elsewhere);
      if (container.state !== 'paused') return undefined;
      return {
        level: 'blocker',
        id: 'container-paused',
        what: `Container ${container.name} is paused.`,
        why: 'A paused container runs nothing.',
        fix: `docker unpause ${container.name}`,
      };
    },
    commands: (context, args) => commands(id, context, args),
    probe: async (context) => {
      const { engine, container } = context;
      const obstacle = kind.obstacle(context);
      if (obstacle !== undefined) return { works: false, id, finding: obstacle };
      if (engine === undefined || container === undefined)
        return { works: false, id, finding: noEngine(id, context) };
      const isPrivileged = id === 'privileged';
      return probe(id, { context, engine, container, user: userOf(id, context), privileged: isPrivileged });
    },
  };
  return kind;
}

function userUnknown(host: string): Finding {
  return {
    level: 'blocker',
    id: 'exec-user-unknown',
    what: `Which user the process runs as cannot be told from here (${host}).`,
    why: 'py-spy has to run as the same one, and only the machine of the engine shows it.',
    fix: 'profiler attach … --via sidecar',
  };
}

function userOf(id: 'exec' | 'privileged', { target }: RouteContext): string {
  if (id === 'privileged') return '0:0';
  // In a rootless engine, or with userns-remap, the engine counts users as the container does.
  const { uid, gid } = innerUser(target);
  return `${uid}:${gid}`;
}

async function probe(id: 'exec' | 'privileged', inside: Inside): Promise<RouteProbe> {
  const { context, engine } = inside;
  const [program, rehearsal] = await Promise.all([
    bringProgram(inside),
    isHere(context) ? rehearseRaise() : notReachable(engine.host),
  ]);
  if ('level' in program) return { works: false, id, finding: program };
  const route = execRoute(id, inside, program, rehearsal);
  const dump = await probeDump(route, context);
  if (dump.works) return { works: true, route };
  await route.undo();
  return { works: false, id, finding: explainEngine(id, context, dump) };
}

function execRoute(
  id: 'exec' | 'privileged',
  inside: Inside,
  program: InnerProgram,
  rehearsal: Raise,
): Route {
  const { context } = inside;
  const cpus = inside.container.cpus ?? (isHere(context) ? quotaCpus(context.target.pid) : undefined);
  const running = new Set<EngineProcess>();
  const { raise, refused } = raiser(rehearsal);
  return {
    id,
    targetPid: innerPid(context),
    output: 'stderr',
    /** As the policy of the latest run was read back. */
    get findings() {
      const priority = refused();
      const shares = cpus !== undefined && (priority !== undefined || !canLeaveQuota());
      return [...(priority === undefined ? [] : [priority]), ...(shares ? [sharedQuota(inside, cpus)] : [])];
    },
    commands: (args) => commands(id, context, args),
    start: (args) => {
      let forget: (() => void) | undefined;
      const onLife = async (life: Life): Promise<void> => {
        forget = journalProcess(context.journal, life);
        await raise(life);
      };
      const process = engineProcess(
        () => begin(inside, program, args, onLife),
        async () => forget?.(),
      );
      const follow = async (): Promise<void> => {
        await process.over;
        running.delete(process);
      };
      running.add(process);
      void follow();
      return process;
    },
    undo: async () => {
      const left = await endAll(running);
      const removed = await within(REMOVED_MS, program.remove());
      return [...samplersLeft(left), ...(removed ?? [notRemoved(inside, program)])];
    },
  };
}

async function begin(
  inside: Inside,
  program: InnerProgram,
  args: readonly string[],
  onLife: (life: Life) => Promise<void>,
): Promise<EngineRun> {
  const { engine, container } = inside;
  const started = await startExec(engine, container.id, program.request(args));
  return execRun(started, container.id, onLife, (stop) => signalInside(inside, program, stop));
}

/** Where we may not signal the process from here: from beside it. */
async function signalInside(inside: Inside, program: InnerProgram, stop: Stop): Promise<void> {
  const { context, engine, container, user } = inside;
  const number = stop === 'SIGINT' ? '2' : '9';
  for (const python of innerPythons(context)) {
    const command = pythonCommand(python, SIGNAL_BY_NAME, [program.name, number]);
    const sent = await startExec(engine, container.id, { command, user });
    sent.stdout.resume();
    sent.stderr.resume();
    if ((await sent.end).exitCode === 0) return;
  }
}

function notRemoved({ container, engine }: Inside, { name }: InnerProgram): Finding {
  return {
    level: 'warning',
    id: 'file-left',
    what: `${name} may be left in container ${container.name}: removing it took too long.`,
    why: `The engine at ${engine.host} did not answer, or the container is paused.`,
    fix: 'profiler cleanup',
  };
}

function sharedQuota({ container }: Inside, cpus: number): Finding {
  return {
    level: 'warning',
    id: 'exec-cpu-quota',
    what: `The sampler runs inside container ${container.name} and shares its quota of ${Number(cpus.toFixed(2))} CPUs.`,
    why: 'What it uses the simulation lacks, and when both have used the quota up, both stand still.',
    fix: `profiler attach --container ${container.name} --via sidecar`,
  };
}

/** By hand. Where no file can be put in, the last command reads the program from its standard input. */
function commands(
  id: 'exec' | 'privileged',
  context: RouteContext,
  args: readonly string[],
): readonly (readonly string[])[] {
  const name = context.container?.name ?? 'CONTAINER';
  const as = [...(id === 'privileged' ? ['--privileged'] : []), '-u', userOf(id, context)];
  if (context.container?.readOnlyRoot !== true) {
    return [
      ['docker', 'cp', context.pyspy.path, `${name}:/py-spy`],
      ['docker', 'exec', ...as, name, '/py-spy', ...args],
    ];
  }
  const fed = ['sh', '-c', 'exec "$@" < "$0"', context.pyspy.path];
  const [python = 'python3'] = innerPythons(context);
  const bytes = String(statSync(context.pyspy.path, { throwIfNoEntry: false })?.size ?? 0);
  const inner = pythonCommand(python, RUN_FROM_MEMORY, [bytes, 'py-spy', ...args]);
  return [[...fed, 'docker', 'exec', '-i', ...as, name, ...inner]];
}
