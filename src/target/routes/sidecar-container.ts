import { readFileSync } from 'node:fs';
import { PassThrough, type Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { Finding } from '../../model/index.js';
import { OWNER_LABEL, ownerMark } from '../cleanup/owner.js';
import type { Container } from '../docker/container.js';
import { demultiplex } from '../docker/demultiplex.js';
import { engineFailure, messageOf, statusOf } from '../docker/engine-error.js';
import type { Engine } from '../docker/engine.js';
import { KIND_LABEL, SESSION_LABEL, TARGET_LABEL } from '../docker/labels.js';
import type { Trace } from '../journal/journal.js';
import { onlyProcessOf, pidOfContainer } from './container-pid.js';
import { engineProcess, type EngineProcess, type EngineRun } from './engine-process.js';
import { isHere } from './namespaces.js';
import type { RouteContext } from './route.js';
import { lifeOf, untilCatchingInterrupt } from './running.js';
import { samplerEnvironment } from './sampler-environment.js';
import { type ImageRecipe, programTar, sidecarImage } from './sidecar-image.js';

const POLL_MS = 10;

/** What the sidecars of one route are made from. */
export interface SidecarPlan {
  readonly context: Pick<RouteContext, 'target' | 'journal'>;
  readonly engine: Engine;
  readonly container: Container;
  readonly session: string;
  readonly image: string;
  /** How the image is made, which runs at the same time share; absent where it is somebody else's. */
  readonly recipe?: ImageRecipe;
  /** How that image is written down while the route lives. */
  readonly shared?: Trace;
  /** Path in there of what is run. */
  readonly program: string;
  /** Beside those of every sampler. */
  readonly env?: Readonly<Record<string, string>>;
  /** Capabilities beside SYS_PTRACE. */
  readonly capAdd?: readonly string[];
  /** What the program is told; its end is the end of standard input there, as is our own. What it says before the first word may be lost. */
  readonly stdin?: Readable;
  /** The image is the target's own: the program has to be put in from here, and these labels of it must not count. */
  readonly own?: { readonly labels: readonly string[]; readonly path: string };
}

/** Makes a sidecar that runs its program once, written down before; it is removed when the run is over. */
export function startSidecar(plan: SidecarPlan, name: string, args: readonly string[]): EngineProcess {
  return engineProcess(
    () => begin(plan, name, args),
    async () => {
      await removeSidecar(plan, name);
    },
  );
}

async function begin(plan: SidecarPlan, name: string, args: readonly string[]): Promise<EngineRun> {
  const { engine, context } = plan;
  context.journal.add(traceOf(engine, name));
  try {
    const made = await create(plan, name, args);
    if (plan.own !== undefined)
      await made.putArchive(await programTar(readFileSync(plan.own.path)), { path: '/' });
    // Before it starts, so that not a line is lost: nothing of it is logged. Podman drops what is written to one that has not started.
    const isLate = plan.stdin !== undefined && engine.kind === 'podman';
    if (isLate) await made.start();
    const stream = await made.attach({
      stream: true,
      stdout: true,
      stderr: true,
      ...(plan.stdin === undefined ? {} : { stdin: true, hijack: true }),
    });
    // A connection that breaks ends the outputs, and that is news enough.
    stream.on('error', () => {});
    const source = stream.pipe(new PassThrough());
    plan.stdin?.pipe(stream);
    const outputs = demultiplex(source);
    const exit = exitOf(made, finished(source));
    if (!isLate) await made.start();
    const pid = pidOf(made, context);
    return {
      ...outputs,
      exit,
      pid,
      signal: async (signal) => {
        const known = await pid;
        const life = known === undefined ? undefined : lifeOf(known);
        if (signal === 'SIGINT' && life !== undefined) await untilCatchingInterrupt(life);
        await made.kill({ signal });
      },
    };
  } catch (error) {
    throw engineFailure('run a sidecar for it', plan.container.name, error);
  }
}

/** A `cleanup` of somebody else may have removed the image since it was last used. */
async function create(plan: SidecarPlan, name: string, args: readonly string[]): Promise<Docker.Container> {
  const { engine, session } = plan;
  try {
    return await engine.docker.createContainer(creation(plan, name, args));
  } catch (error) {
    if (plan.recipe === undefined || statusOf(error) !== 404 || !/no such image/i.test(messageOf(error)))
      throw error;
    const image = await sidecarImage(engine, plan.recipe, session);
    return engine.docker.createContainer(creation({ ...plan, image }, name, args));
  }
}

/** Asked for after the outputs: a request that waits for it may be given up, as one that nobody answers. */
async function exitOf(made: Docker.Container, outputsEnd: Promise<void>): Promise<number | string> {
  await outputsEnd.catch(() => {});
  for (;;) {
    const facts = await made.inspect().catch(() => undefined);
    if (facts === undefined) return 'engine-gone';
    if (!facts.State.Running) return facts.State.ExitCode;
    await delay(POLL_MS);
  }
}

async function pidOf(
  made: Docker.Container,
  context: Pick<RouteContext, 'target'>,
): Promise<number | undefined> {
  const facts = await made.inspect().catch(() => undefined);
  if (facts === undefined) return undefined;
  return pidOfContainer(facts.State.Pid, facts.Id) ?? (isHere(context) ? onlyProcessOf(facts.Id) : undefined);
}

function creation(plan: SidecarPlan, name: string, args: readonly string[]): Docker.ContainerCreateOptions {
  const { container, own, session } = plan;
  const compose = (own?.labels ?? []).filter((label) => label.startsWith('com.docker.compose.'));
  return {
    name,
    Image: plan.image,
    Entrypoint: [plan.program],
    Cmd: [...args],
    User: '0:0',
    WorkingDir: '/',
    Env: Object.entries({ ...samplerEnvironment(), ...plan.env }).map(([key, value]) => `${key}=${value}`),
    AttachStdout: true,
    AttachStderr: true,
    ...(plan.stdin === undefined ? {} : { AttachStdin: true, OpenStdin: true, StdinOnce: true }),
    StopSignal: 'SIGINT',
    Healthcheck: { Test: ['NONE'] },
    Labels: {
      // An image that Compose built carries its labels: Compose must not take the sidecar for a container of the service.
      ...Object.fromEntries(compose.map((label) => [label, ''])),
      [KIND_LABEL]: 'sidecar',
      [SESSION_LABEL]: session,
      [TARGET_LABEL]: container.id,
      [OWNER_LABEL]: ownerMark(),
    },
    HostConfig: {
      PidMode: `container:${container.id}`,
      CapDrop: ['ALL'],
      CapAdd: ['SYS_PTRACE', ...(plan.capAdd ?? [])],
      NetworkMode: 'none',
      SecurityOpt: ['no-new-privileges', ...profilesOf(container)],
      LogConfig: { Type: 'none', Config: {} },
      Ulimits: ulimitsOf(container),
      ReadonlyRootfs: own === undefined,
      ...(own === undefined ? {} : { VolumesFrom: [`${container.id}:ro`] }),
    },
  };
}

/** An engine whose own default of these is more than it may grant, as inside a container, starts nothing that has no limits of its own. */
function ulimitsOf({ ulimits }: Container): Docker.HostConfig['Ulimits'] {
  return ulimits
    .filter(({ name }) => name === 'nofile' || name === 'nproc')
    .map(({ name: Name, soft: Soft, hard: Hard }) => ({ Name, Soft, Hard }));
}

/** AppArmor and SELinux let a process be read by one of the same profile, so it gets the target's. */
function profilesOf({ privileged, securityOpt }: Container): readonly string[] {
  const own = securityOpt.filter((option) => /^(?:apparmor|label)[=:]/.test(option));
  return privileged && own.length === 0 ? ['apparmor=unconfined', 'label=disable'] : own;
}

function traceOf(engine: Engine, name: string): Trace {
  return { kind: 'container', engine: engine.host, name };
}

/** Removes a sidecar, running or not. One that is gone needs nothing. */
export async function removeSidecar(
  { engine, context }: SidecarPlan,
  name: string,
): Promise<readonly Finding[]> {
  try {
    await engine.docker.getContainer(name).remove({ force: true, v: true });
  } catch (error) {
    if (statusOf(error) !== 404) {
      return [
        {
          level: 'warning',
          id: 'sidecar-left',
          what: `The sidecar ${name} could not be removed: ${messageOf(error)}`,
          why: `The engine at ${engine.host} did not answer, or is busy.`,
          fix: 'profiler cleanup',
        },
      ];
    }
  }
  context.journal.remove(traceOf(engine, name));
  return [];
}
