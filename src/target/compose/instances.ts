import type Docker from 'dockerode';
import type { ServiceInstance } from '../journal/journal.js';
import { capabilityName } from './capabilities.js';
import { HASH_LABEL, NUMBER_LABEL, ONE_OFF_LABEL, PROJECT_LABEL, SERVICE_LABEL } from './origin.js';

/** Every container of a service, running or not, by number; those of `compose run` left out. Throws what the engine says. */
export async function inspectService(
  docker: Docker,
  project: string,
  service: string,
): Promise<readonly Docker.ContainerInspectInfo[]> {
  const label = [`${PROJECT_LABEL}=${project}`, `${SERVICE_LABEL}=${service}`];
  const listed = await docker.listContainers({ all: true, filters: { label } });
  const own = listed.filter(({ Labels }) => Labels[ONE_OFF_LABEL] !== 'True');
  const found = await Promise.all(own.map(({ Id }) => inspectContainer(docker, Id)));
  return found.flatMap((info) => info ?? []).sort((a, b) => numberOf(a) - numberOf(b));
}

/** `undefined` when there is no such container. Throws anything else that the engine says. */
export async function inspectContainer(
  docker: Docker,
  id: string,
): Promise<Docker.ContainerInspectInfo | undefined> {
  try {
    return await docker.getContainer(id).inspect();
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 404) return undefined;
    throw error;
  }
}

export function nameOf({ Name }: Pick<Docker.ContainerInspectInfo, 'Name'>): string {
  return Name.replace(/^\//, '');
}

export function numberOf({ Config }: Docker.ContainerInspectInfo): number {
  return Number(Config.Labels[NUMBER_LABEL] ?? 1);
}

/** `NAME=VALUE` of its own settings and its image's. The engine says null where there are none. */
export function environmentOf({ Config }: Docker.ContainerInspectInfo): readonly string[] {
  return (Config.Env as readonly string[] | null) ?? [];
}

export function instanceOf(info: Docker.ContainerInspectInfo): ServiceInstance {
  const { HostConfig, Config, Mounts, NetworkSettings } = info;
  return {
    id: info.Id,
    name: nameOf(info),
    number: numberOf(info),
    running: info.State.Running,
    imageId: info.Image,
    configHash: Config.Labels[HASH_LABEL] ?? '',
    capAdd: (HostConfig.CapAdd ?? []).map(capabilityName).sort(),
    capDrop: (HostConfig.CapDrop ?? []).map(capabilityName).sort(),
    privileged: HostConfig.Privileged === true,
    mounts: Mounts.map(
      (mount) => `${mount.Type} ${mount.Name ?? mount.Source} ${mount.Destination} ${mount.RW ? 'rw' : 'ro'}`,
    ).sort(),
    networks: Object.keys(NetworkSettings.Networks).sort(),
  };
}
