import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Docker from 'dockerode';
import { DOCKER_CONFIG, onPath, type TestDocker, whyNoDocker } from './daemon.js';
import { unmountBelow, mountCgroups } from './mounts.js';

/** Why Podman cannot run here, for the name of a skipped test; `undefined` where it can. */
export const whyNoPodman: string | undefined =
  whyNoDocker ?? (onPath('podman') ? undefined : 'no podman on PATH (scripts/test installs it)');

/** Its own default limits are higher than what root of a container may grant. */
const CONFIG = '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n';

/** Podman's Docker socket, with storage of its own that goes with it. Call it in `beforeAll`. */
export async function startPodman(): Promise<TestDocker> {
  mountCgroups();
  const folder = mkdtempSync(join(tmpdir(), 'profiler-podman-'));
  const socket = join(folder, 'podman.sock');
  const log = join(folder, 'log');
  writeFileSync(join(folder, 'containers.conf'), CONFIG);
  mkdirSync(join(folder, 'root'));
  const flags = '--storage-driver vfs --cgroup-manager cgroupfs --events-backend file'.split(' ');
  const storage = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run')];
  const podman = ['podman', ...storage, ...flags, 'system', 'service', '--time=0', `unix://${socket}`];
  const out = openSync(log, 'w');
  // Ends with us, also when the tests are killed.
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', ...podman], {
    stdio: ['ignore', out, out],
    env: { ...process.env, CONTAINERS_CONF: join(folder, 'containers.conf') },
  });
  closeSync(out);
  const ended = once(child, 'exit').then(() => false);
  const docker = new Docker({ socketPath: socket });
  while (!(await docker.ping().then(Boolean, () => false)))
    if (!(await Promise.race([ended, delay(50, true)])))
      throw new Error(`podman ended at once:\n${readFileSync(log, 'utf8')}`);
  const host = `unix://${socket}`;
  return {
    docker,
    host,
    env: { DOCKER_HOST: host, DOCKER_CONFIG },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      unmountBelow(folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
