import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { execa } from 'execa';
import { vi } from 'vitest';
import { linesOf } from './bridge-container.js';
import { ROOT, type TestDocker, whyNoDocker } from './daemon.js';
import { removeContainer, TEST_LABEL, testOwner } from './leftovers.js';

const CLOCK_IMAGE = 'sim-profiler-test/clock:latest';
const DDS_PYTHON = join(ROOT, '.cache/dds-venv/bin/python');

/** Why there is no container that publishes `/clock`; undefined where there can be. */
export const whyNoClock: string | undefined =
  whyNoDocker ?? (existsSync(DDS_PYTHON) ? undefined : 'no Python with cyclonedds');

export async function makeClockImage({ env }: TestDocker): Promise<void> {
  await execa(join(ROOT, 'test/docker/clock-image.sh'), [CLOCK_IMAGE, DDS_PYTHON], { env });
}

export interface ClockOptions {
  readonly name: string;
  /** Of the container; what its own program has is what `becomes` makes of it. */
  readonly env: readonly string[];
  /** Lines of Python that change `env`, as an entrypoint does, before the program takes the place of it. */
  readonly becomes: readonly string[];
  readonly command: readonly string[];
}

export interface ClockContainer {
  readonly container: Docker.Container;
  /** Pid of its program on this machine. */
  readonly pid: number;
  /** What it has printed, and each second one line more. */
  readonly lines: () => Promise<readonly string[]>;
  readonly remove: () => Promise<void>;
}

/** Runs a Python program in a container with a loopback of its own, as user 1000 without a capability, and waits for its first line. */
export async function startClock(
  docker: Docker,
  { name, env, becomes, command }: ClockOptions,
): Promise<ClockContainer> {
  const entrypoint = ['import os', 'env = dict(os.environ)', ...becomes];
  const last = `os.execve("/usr/local/bin/python3", ${JSON.stringify(['python3', ...command])}, env)`;
  const container = await docker.createContainer({
    name,
    Image: CLOCK_IMAGE,
    Cmd: ['python3', '-c', [...entrypoint, last].join('\n')],
    Env: [...env],
    User: '1000:1000',
    StopTimeout: 1,
    Labels: { [TEST_LABEL]: testOwner() },
    HostConfig: { NetworkMode: 'none', CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges'] },
  });
  const remove = (): Promise<void> => removeContainer(docker, container.id);
  const lines = (): Promise<readonly string[]> => linesOf(container);
  try {
    await container.start();
    await vi.waitUntil(async () => (await lines()).length > 0, 20_000);
    return { container, pid: (await container.inspect()).State.Pid, lines, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
