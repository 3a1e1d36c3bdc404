import { join } from 'node:path';
import type Docker from 'dockerode';
import { execa } from 'execa';
import { vi } from 'vitest';
import { ROOT, type TestDocker } from './daemon.js';
import { removeContainer, TEST_LABEL, testOwner } from './leftovers.js';

export const BRIDGE_IMAGE = 'sim-profiler-test/bridge:latest';

/** What the client of the bridge has had so far, by its own count. */
export interface Counted {
  /** Nanoseconds of CLOCK_MONOTONIC. */
  readonly atNs: string;
  readonly odom: number;
  readonly scan: number;
  /** By the gaps between sequence numbers. */
  readonly missed: number;
}

export interface BridgeContainer {
  readonly container: Docker.Container;
  readonly name: string;
  /** Pid of the bridge on this machine. */
  readonly pid: number;
  readonly counted: () => Promise<readonly Counted[]>;
  readonly remove: () => Promise<void>;
}

export async function makeBridgeImage({ env }: TestDocker): Promise<void> {
  await execa(join(ROOT, 'compose/bridge/image.sh'), [BRIDGE_IMAGE, process.execPath], { env });
}

/**
 * The bridge in one container and its client in another, which shares the network of the first. Waits until the client has had
 * messages. The bridge is locked up like a careful service: a user of its own, no capability, nothing to write to.
 */
export async function startBridge(docker: Docker, name: string): Promise<BridgeContainer> {
  const made: Docker.Container[] = [];
  const start = async (
    own: string,
    command: readonly string[],
    network: string,
  ): Promise<Docker.Container> => {
    const container = await docker.createContainer({
      name: own,
      Image: BRIDGE_IMAGE,
      Cmd: [...command],
      Labels: { [TEST_LABEL]: testOwner() },
      HostConfig: { NetworkMode: network, ReadonlyRootfs: true, CapDrop: ['ALL'] },
    });
    made.push(container);
    await container.start();
    return container;
  };
  const remove = async (): Promise<void> => {
    for (const { id } of made.toReversed()) await removeContainer(docker, id);
  };
  try {
    const container = await start(name, ['node', 'main.mjs'], 'none');
    await vi.waitUntil(async () => (await linesOf(container)).includes('ready'), 20_000);
    const client = await start(`${name}-client`, ['node', 'client.mjs'], `container:${container.id}`);
    const counted = async (): Promise<readonly Counted[]> =>
      (await linesOf(client)).map((line) => JSON.parse(line) as Counted);
    await vi.waitUntil(async () => (await counted()).length > 0, 20_000);
    return { container, name, pid: (await container.inspect()).State.Pid, counted, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Whole lines of a container's standard output. The engine puts eight bytes before each piece: the last four are its length. */
export async function linesOf(container: Docker.Container): Promise<readonly string[]> {
  const log = await container.logs({ stdout: true });
  let text = '';
  for (let at = 0; at + 8 <= log.length; at += 8 + log.readUInt32BE(at + 4))
    text += log.toString('utf8', at + 8, at + 8 + log.readUInt32BE(at + 4));
  return text.split('\n').slice(0, -1);
}
