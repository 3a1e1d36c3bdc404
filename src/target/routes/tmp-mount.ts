import type Docker from 'dockerode';
import { PROC, readProcText } from '../proc/file.js';
import type { Container } from '../docker/container.js';
import type { Engine } from '../docker/engine.js';
import { isHere } from './namespaces.js';
import type { RouteContext } from './route.js';

/**
 * Whether a file system in memory lies over the container's /tmp. What an engine puts there goes below it, where no process sees it and
 * nothing can remove it. From the mounts of the process where this machine has it, else from the container's description.
 */
export async function tmpIsHidden(where: {
  readonly context: RouteContext;
  readonly engine: Engine;
  readonly container: Container;
}): Promise<boolean> {
  const { context, engine, container } = where;
  if (isHere(context)) {
    const mounts = readProcText(PROC, String(context.target.pid), 'mountinfo');
    if (mounts !== undefined) return hasMemoryOver('/tmp', mounts);
  }
  const facts = await engine.docker
    .getContainer(container.id)
    .inspect()
    .catch((): undefined => undefined);
  return facts !== undefined && describesMemoryOver('/tmp', facts);
}

/** By `/proc/PID/mountinfo`; see proc_pid_mountinfo(5). The last mount on a path is the one that counts. */
export function hasMemoryOver(path: string, mountinfo: string): boolean {
  const types = mountinfo.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    return before.split(' ')[4] === path ? [after.split(' ')[0] ?? ''] : [];
  });
  return /^(?:tmpfs|ramfs)$/.test(types.at(-1) ?? '');
}

function describesMemoryOver(path: string, facts: Docker.ContainerInspectInfo): boolean {
  const options: unknown = facts.HostConfig.Tmpfs;
  if (typeof options === 'object' && options !== null && path in options) return true;
  return facts.Mounts.some(({ Type, Destination }) => Type === 'tmpfs' && Destination === path);
}
