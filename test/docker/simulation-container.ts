import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import Docker from 'dockerode';
import { execaSync } from 'execa';
import { ROOT } from './daemon.js';
import { FOLDER_LABEL, FOLDER_PREFIX, removeContainer, TEST_LABEL, testOwner } from './leftovers.js';

/** An image with nothing in it: everything the simulation needs is mounted from this machine. */
export const EMPTY_IMAGE = 'sim-profiler-test/empty:latest';

const VENV = join(ROOT, '.cache/sim-venv');

/** Why there is no simulation to run; `undefined` where there is. */
export const whyNoSimulation: string | undefined = existsSync(join(VENV, 'bin/python'))
  ? undefined
  : 'no .cache/sim-venv (scripts/test makes it)';

/** About 0.8 ms a step. Given by hand, since sizing a load takes the simulation three seconds at every start. */
const LOAD =
  'bodies=30,rays=400,transforms=3,effort=3,tracked=1,scan_every=4,tf_every=4,hook_every=2,state_every=10';
/** About half of it. */
export const LIGHT_LOAD =
  'bodies=15,rays=200,transforms=2,effort=1,tracked=1,scan_every=4,tf_every=4,hook_every=2,state_every=10';

export interface SimulationOptions {
  readonly name: string;
  /** `rover` has MuJoCo, `plain` only CPython. */
  readonly program?: 'rover' | 'plain';
  /** Its flags; default: real time, 500 Hz, about 40 % busy. */
  readonly flags?: readonly string[];
  /** A command of your own instead of program and flags. It is not waited for. */
  readonly command?: readonly string[];
  /** In front of the command: a wrapper. */
  readonly entrypoint?: readonly string[];
  /** `1000` or `1000:1000`. */
  readonly user?: string;
  /** Starts as root and drops to 1000:1000, as images with an entrypoint script do. */
  readonly drop?: boolean;
  readonly readOnly?: boolean;
  readonly noexecTmp?: boolean;
  readonly capDrop?: readonly string[];
  readonly capAdd?: readonly string[];
  readonly noNewPrivileges?: boolean;
  readonly cpus?: number;
  readonly init?: boolean;
  readonly restart?: 'no' | 'always' | 'on-failure' | 'unless-stopped';
  readonly pidsLimit?: number;
  readonly pidMode?: string;
  readonly mounts?: Docker.MountConfig;
  readonly labels?: Readonly<Record<string, string>>;
  /** Create it only. */
  readonly start?: false;
}

export interface SimulationContainer {
  readonly id: string;
  readonly name: string;
  /** Pid of its first process on this machine; 0 when it was not started. */
  readonly hostPid: number;
  /** Pid of the simulation as it sees itself; 0 where it was not waited for. */
  readonly nsPid: number;
  /** Folder of this machine that it sees as `/run/sim`; holds the ring of its own truth. */
  readonly folder: string;
  readonly ring: string;
  readonly container: Docker.Container;
  /** Also when it is gone already. */
  readonly remove: () => Promise<void>;
}

/** Python of the demo simulation, as a container made from `SIMULATION_MOUNTS` sees it. */
export const CONTAINER_PYTHON = '/opt/venv/bin/python';

/** `HOST:CONTAINER:ro`: all that the demo simulation needs beside an empty image. */
export function simulationMounts(): readonly string[] {
  const prefix = execaSync(join(VENV, 'bin/python'), [
    '-c',
    'import sys; print(sys.base_prefix)',
  ]).stdout.trim();
  // Not /sbin: with an init of its own the engine mounts that there.
  const system = ['/usr', '/lib', '/lib64', '/bin'].filter((folder) => existsSync(folder));
  return [
    ...system.map((folder) => `${realpathSync(folder)}:${folder}:ro`),
    // Its virtual environment points there. Nothing to do where it is the system's own.
    ...(prefix.startsWith('/usr') ? [] : [`${prefix}:${prefix}:ro`]),
    `${VENV}:/opt/venv:ro`,
    `${join(ROOT, 'compose/sim')}:/opt/sim:ro`,
  ];
}

/** Environment of the simulation in a container. */
export const SIMULATION_ENV: Readonly<Record<string, string>> = {
  PATH: '/usr/bin:/bin',
  PYTHONPATH: '/opt/sim',
  PYTHONDONTWRITEBYTECODE: '1',
};

/** Command line of the simulation in a container. */
export function simulationCommand(
  program: 'rover' | 'plain' = 'rover',
  flags?: readonly string[],
): readonly string[] {
  return program === 'rover'
    ? [
        CONTAINER_PYTHON,
        '-m',
        'rover_sim',
        '--headless',
        ...(flags ?? ['--pacing', 'realtime', '--hz', '500', '--load', LOAD]),
      ]
    : [CONTAINER_PYTHON, '/opt/sim/plain_loop.py', ...(flags ?? ['--hz', '500', '--busy', '0.4'])];
}

/** Makes the image where the engine does not have it. */
export async function makeEmptyImage(docker: Docker): Promise<void> {
  const found = await docker
    .getImage(EMPTY_IMAGE)
    .inspect()
    .catch(() => undefined);
  if (found !== undefined) return;
  // An archive without entries is two blocks of zeros.
  const [repo = '', tag = ''] = EMPTY_IMAGE.split(':');
  const stream = await docker.importImage(Readable.from([Buffer.alloc(10_240)]), { repo, tag });
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(stream, (error) => (error === null ? resolve() : reject(error)));
  });
}

/** Starts the demo simulation in a container without network, and waits until it steps. */
export async function startSimulation(
  docker: Docker,
  options: SimulationOptions,
): Promise<SimulationContainer> {
  await makeEmptyImage(docker);
  const folder = mkdtempSync(FOLDER_PREFIX);
  chmodSync(folder, 0o777);
  const container = await docker.createContainer(creation(options, folder)).catch((error: unknown) => {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  });
  const remove = async (): Promise<void> => {
    await removeContainer(docker, container.id);
    rmSync(folder, { recursive: true, force: true });
  };
  const made = {
    id: container.id,
    name: options.name,
    folder,
    ring: join(folder, 'ring'),
    container,
    remove,
  };
  if (options.start === false) return { ...made, hostPid: 0, nsPid: 0 };
  try {
    await container.start();
    const nsPid = options.command === undefined ? await untilItSteps(container, folder) : 0;
    return { ...made, hostPid: (await container.inspect()).State.Pid, nsPid };
  } catch (error) {
    await remove();
    throw error;
  }
}

function creation(options: SimulationOptions, folder: string): Docker.ContainerCreateOptions {
  const life = ['--truth', '/run/sim/ring', '--ready-file', '/run/sim/ready'];
  const command = options.command ?? [...simulationCommand(options.program, options.flags), ...life];
  const drop = ['/usr/bin/setpriv', '--reuid=1000', '--regid=1000', '--clear-groups', '--'];
  return {
    name: options.name,
    Image: EMPTY_IMAGE,
    Cmd: [...(options.entrypoint ?? []), ...(options.drop === true ? drop : []), ...command],
    Env: Object.entries(SIMULATION_ENV).map(([name, value]) => `${name}=${value}`),
    ...(options.user === undefined ? {} : { User: options.user }),
    StopTimeout: 1,
    Labels: { ...options.labels, [TEST_LABEL]: testOwner(), [FOLDER_LABEL]: folder },
    HostConfig: {
      Binds: [...simulationMounts(), `${folder}:/run/sim`],
      Mounts: options.mounts ?? [],
      NetworkMode: 'none',
      ReadonlyRootfs: options.readOnly === true,
      ...(options.noexecTmp === true ? { Tmpfs: { '/tmp': 'rw,noexec' } } : {}),
      CapDrop: [...(options.capDrop ?? [])],
      CapAdd: [...(options.capAdd ?? [])],
      SecurityOpt: options.noNewPrivileges === true ? ['no-new-privileges'] : [],
      ...(options.cpus === undefined ? {} : { NanoCpus: options.cpus * 1e9 }),
      Init: options.init === true,
      RestartPolicy: { Name: options.restart ?? 'no' },
      ...(options.pidsLimit === undefined ? {} : { PidsLimit: options.pidsLimit }),
      ...(options.pidMode === undefined ? {} : { PidMode: options.pidMode }),
    },
  };
}

async function untilItSteps(container: Docker.Container, folder: string): Promise<number> {
  const ready = join(folder, 'ready');
  for (;;) {
    if (existsSync(ready)) return Number(readFileSync(ready, 'utf8').trim());
    const { State } = await container.inspect();
    if (State.Status === 'exited') {
      const log = await container.logs({ stdout: true, stderr: true });
      throw new Error(`the simulation ended with ${State.ExitCode}: ${log.toString('utf8')}`);
    }
    await delay(50);
  }
}
