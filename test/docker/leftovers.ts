import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { readStat } from '../../src/target/index.js';

/** Every container that a test makes carries this label, with the test process that made it. */
export const TEST_LABEL = 'sim-profiler.test';

/** Its folder on this machine, which goes with it. */
export const FOLDER_LABEL = 'sim-profiler.test.folder';
/** How the names of such folders begin. */
export const FOLDER_PREFIX = join(tmpdir(), 'profiler-sim-');

/** `PID:START`: the start time tells a reused pid. */
export function testOwner(): string {
  return `${process.pid}:${readStat(process.pid)?.startTicks ?? 0}`;
}

/** Also when it is gone already, or somebody removes it this moment. */
export async function removeContainer(docker: Docker, id: string): Promise<void> {
  await docker
    .getContainer(id)
    .remove({ force: true, v: true })
    .catch((error: { readonly statusCode?: number }) => {
      if (error.statusCode !== 404 && error.statusCode !== 409) throw error;
    });
}

/** Removes the containers of test processes that have ended; all of them, where the engine is ours. */
export async function sweepContainers(docker: Docker, all: boolean): Promise<void> {
  const filters = all ? {} : { filters: { label: [TEST_LABEL] } };
  for (const { Id, Labels } of await docker.listContainers({ all: true, ...filters })) {
    const [pid, startTicks] = (Labels[TEST_LABEL] ?? '').split(':').map(Number);
    if (!all && readStat(pid ?? 0)?.startTicks === startTicks) continue;
    await removeContainer(docker, Id);
    const folder = Labels[FOLDER_LABEL];
    if (folder?.startsWith(FOLDER_PREFIX) === true) rmSync(folder, { recursive: true, force: true });
  }
}
