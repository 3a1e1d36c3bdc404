import type Docker from 'dockerode';
import { inspectContainer, nameOf } from './instances.js';
import { SERVICE_LABEL } from './origin.js';

/** A container that lives in a namespace of another one. */
export interface NamespaceSharer {
  readonly name: string;
  /** Where Compose made it. */
  readonly service?: string;
  readonly shares: readonly ('pid' | 'ipc' | 'network')[];
}

/** Running containers that share a namespace with one of these: what stops that one kills them (pid) or cuts them off. */
export async function findSharers(
  docker: Docker,
  ids: readonly string[],
): Promise<readonly NamespaceSharer[]> {
  const running = await docker.listContainers();
  const others = running.filter(({ Id }) => !ids.includes(Id));
  const found = await Promise.all(others.map(({ Id }) => inspectContainer(docker, Id)));
  return found.flatMap((info) => {
    if (info === undefined) return [];
    const { PidMode, IpcMode, NetworkMode } = info.HostConfig;
    const modes = { pid: PidMode, ipc: IpcMode, network: NetworkMode };
    const shares = (['pid', 'ipc', 'network'] as const).filter((kind) =>
      ids.some((id) => modes[kind] === `container:${id}`),
    );
    if (shares.length === 0) return [];
    const service = info.Config.Labels[SERVICE_LABEL];
    return [{ name: nameOf(info), ...(service === undefined ? {} : { service }), shares }];
  });
}
