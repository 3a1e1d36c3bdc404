import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Docker from 'dockerode';
import { readStat } from '../../src/target/index.js';
import { mountCgroups, unmountBelow } from './mounts.js';
import { sweepContainers } from './leftovers.js';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = join(ROOT, '.cache/docker');
/** Client configuration with the Compose plugin; nothing of the user's own. */
export const DOCKER_CONFIG = join(CACHE, 'config');
/** `docker-compose` 1.29.2. */
export const COMPOSE_V1 = join(ROOT, '.cache/compose-v1/bin/docker-compose');

/** An engine for the tests of one file. */
export interface TestDocker {
  /** As `DOCKER_HOST` spells it. */
  readonly host: string;
  /** For every program that talks to it. */
  readonly env: { readonly DOCKER_HOST: string; readonly DOCKER_CONFIG: string };
  readonly docker: Docker;
  /** Ends what was started, in `afterAll`. An engine that was named from outside is left running. */
  readonly stop: () => Promise<void>;
}

const SYS_ADMIN = 21n;

/** Why no engine can run here, for the name of a skipped test; `undefined` where one can. */
export const whyNoDocker: string | undefined = ((): string | undefined => {
  if (process.env['PROFILER_TEST_DOCKER'] !== undefined) return undefined;
  if (process.geteuid?.() !== 0) return 'dockerd needs root';
  const capabilities = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  if (((BigInt(`0x${capabilities}`) >> SYS_ADMIN) & 1n) === 0n) return 'dockerd needs CAP_SYS_ADMIN';
  return ['dockerd', 'containerd', 'runc'].every(onPath)
    ? undefined
    : 'no dockerd on PATH (scripts/test installs it)';
})();

/** The same for `docker compose`. */
export const whyNoComposeV2: string | undefined =
  whyNoDocker ??
  (!onPath('docker')
    ? 'no docker command on PATH'
    : existsSync(join(DOCKER_CONFIG, 'cli-plugins/docker-compose'))
      ? undefined
      : 'no Compose plugin in .cache/docker/config (scripts/test builds it)');

/** The same for `docker-compose`. */
export const whyNoComposeV1: string | undefined =
  whyNoDocker ?? (existsSync(COMPOSE_V1) ? undefined : 'no .cache/compose-v1 (scripts/test installs it)');

/** Whether a program can be started by its name. */
export function onPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}

/** Where the engine of our own is that all test files of this run share (`scratch.ts`). */
const SHARED = 'PROFILER_TEST_SHARED_DOCKER';

/**
 * The engine that `PROFILER_TEST_DOCKER` names, or the one that this run's files share, else one of our own on a socket of its own: no
 * network, images kept between runs under `.cache/docker`. What a crashed run left in any is removed first. Call it in `beforeAll`.
 */
export async function startDocker(): Promise<TestDocker> {
  const named = process.env['PROFILER_TEST_DOCKER'] ?? process.env[SHARED];
  if (named === undefined) return startDaemon();
  const engine = connect(named);
  await sweepContainers(engine.docker, false);
  return { ...engine, stop: () => Promise.resolve() };
}

/** Starts an engine for all test files of a run; undefined where there is one or none can be. Returns what ends it. */
export async function shareDocker(): Promise<(() => Promise<void>) | undefined> {
  const given = process.env['PROFILER_TEST_DOCKER'] ?? process.env[SHARED];
  if (given !== undefined || whyNoDocker !== undefined) return undefined;
  const { host, stop } = await startDaemon();
  process.env[SHARED] = host;
  return stop;
}

function connect(host: string): Omit<TestDocker, 'stop'> {
  const docker = new Docker({ socketPath: host.replace(/^unix:\/\//, '') });
  return { host, env: { DOCKER_HOST: host, DOCKER_CONFIG }, docker };
}

interface Daemon {
  /** The test process that started it. */
  readonly owner: Life;
  readonly daemon: Life;
  readonly folder: string;
}

interface Life {
  readonly pid: number;
  readonly startTicks: number;
}

/** Who uses the data folder: two daemons must not share it. */
const STATE = join(CACHE, 'daemon.json');

async function startDaemon(): Promise<TestDocker> {
  mountCgroups();
  mkdirSync(CACHE, { recursive: true });
  await endLeftDaemon();
  // Not under .cache: the path of a socket has 107 bytes at most.
  const folder = mkdtempSync(join(tmpdir(), 'profiler-docker-'));
  const log = join(folder, 'log');
  const host = `unix://${join(folder, 'docker.sock')}`;
  const dockerd = [
    'dockerd',
    `--host=${host}`,
    `--data-root=${join(CACHE, 'data')}`,
    `--exec-root=${join(folder, 'exec')}`,
    `--pidfile=${join(folder, 'pid')}`,
    '--iptables=false',
    '--bridge=none',
  ];
  const out = openSync(log, 'w');
  // Ends with us, also when the tests are killed.
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', ...dockerd], { stdio: ['ignore', out, out] });
  closeSync(out);
  const ended = once(child, 'exit');
  const daemon = lifeOf(child.pid ?? 0);
  writeFileSync(STATE, JSON.stringify({ owner: lifeOf(process.pid), daemon, folder } satisfies Daemon));
  const engine = connect(host);
  await untilReady(engine.docker, ended, log);
  await sweepContainers(engine.docker, true);
  return {
    ...engine,
    stop: async () => {
      await sweepContainers(engine.docker, true);
      await endDaemon({ daemon, folder });
      await ended;
    },
  };
}

async function untilReady(docker: Docker, ended: Promise<unknown>, log: string): Promise<void> {
  const running = ended.then(() => false);
  for (;;) {
    if (await docker.ping().then(Boolean, () => false)) return;
    if (!(await Promise.race([running, delay(50, true)])))
      throw new Error(
        `dockerd ended at once:\n${readFileSync(log, 'utf8').split('\n').slice(-8).join('\n')}`,
      );
  }
}

async function endLeftDaemon(): Promise<void> {
  if (!existsSync(STATE)) return;
  const left = JSON.parse(readFileSync(STATE, 'utf8')) as Daemon;
  // Other tests use the data: theirs first. The limit of the hook is the limit of that.
  while (lives(left.owner) && lives(left.daemon)) await delay(100);
  await endDaemon(left);
}

async function endDaemon({ daemon, folder }: Omit<Daemon, 'owner'>): Promise<void> {
  const containerd = lifeOf(readPid(join(folder, 'exec/containerd/containerd.pid')));
  if (lives(daemon)) process.kill(daemon.pid, 'SIGTERM');
  while (lives(daemon)) await delay(20);
  if (lives(containerd)) process.kill(containerd.pid, 'SIGTERM');
  while (lives(containerd)) await delay(20);
  unmountBelow(folder);
  rmSync(folder, { recursive: true, force: true });
  rmSync(STATE, { force: true });
}

function readPid(path: string): number {
  return existsSync(path) ? Number(readFileSync(path, 'utf8').trim()) : 0;
}

function lifeOf(pid: number): Life {
  return { pid, startTicks: readStat(pid)?.startTicks ?? -1 };
}

function lives({ pid, startTicks }: Life): boolean {
  const stat = readStat(pid);
  return stat?.startTicks === startTicks && stat.state !== 'Z';
}
