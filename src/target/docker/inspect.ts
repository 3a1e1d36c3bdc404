import type Docker from 'dockerode';
import { engineFailure, isRecord } from './engine-error.js';
import type { Engine } from './engine.js';
import type { Container, Ulimit } from './container.js';

/** What is told about a container that does not run, beside what it is. */
export interface Condition {
  readonly exitCode: number;
  /** As the engine prints it: `2026-11-29T19:53:16.345Z`. */
  readonly finishedAt: string;
  readonly outOfMemory: boolean;
  /** Why it could not be started; empty where it could. */
  readonly error: string;
}

export interface Inspected {
  readonly container: Container;
  readonly condition: Condition;
}

/** Describes a container by its full id. Throws `ProfilerError`: `no-such-container`, `engine-unreachable`, `engine-refused`. */
export async function inspectContainer(engine: Engine, id: string): Promise<Inspected> {
  const found = await engine.docker
    .getContainer(id)
    .inspect()
    .catch((error: unknown) => {
      throw engineFailure('describe it', id, error);
    });
  return { container: toContainer(found), condition: toCondition(found) };
}

function toContainer(found: Docker.ContainerInspectInfo): Container {
  const { State: state, HostConfig: host, Config: config } = found;
  const cpus = cpusOf(host);
  return {
    id: found.Id,
    name: found.Name.replace(/^\//, ''),
    state: stateOf(state.Status),
    pid: state.Pid,
    startedAt: state.StartedAt,
    restarts: found.RestartCount,
    restartPolicy: host.RestartPolicy?.Name ?? 'no',
    image: config.Image,
    imageId: found.Image,
    labels: config.Labels ?? {},
    pidMode: pidModeOf(host.PidMode),
    user: config.User,
    privileged: host.Privileged === true,
    readOnlyRoot: host.ReadonlyRootfs === true,
    // Engines write null for an empty list.
    capAdd: host.CapAdd ?? [],
    capDrop: host.CapDrop ?? [],
    securityOpt: host.SecurityOpt ?? [],
    ulimits: ulimitsOf(host.Ulimits),
    ...(cpus === undefined ? {} : { cpus }),
  };
}

function toCondition({ State: state }: Docker.ContainerInspectInfo): Condition {
  return {
    exitCode: state.ExitCode,
    finishedAt: state.FinishedAt,
    outOfMemory: state.OOMKilled,
    error: state.Error,
  };
}

const STATES: Readonly<Record<string, Container['state']>> = {
  created: 'created',
  running: 'running',
  paused: 'paused',
  restarting: 'restarting',
  removing: 'removing',
  exited: 'exited',
  dead: 'dead',
  // Podman's own words.
  configured: 'created',
  initialized: 'created',
  stopping: 'running',
  stopped: 'exited',
};

/** A word that is not known comes from a newer engine: whether it runs, its first process tells. */
export function stateOf(status: string): Container['state'] {
  return STATES[status] ?? 'running';
}

function pidModeOf(mode: string | undefined): string {
  return mode === undefined || mode === 'private' ? '' : mode;
}

/** Podman writes `RLIMIT_NOFILE`. */
function ulimitsOf(found: unknown): readonly Ulimit[] {
  return (Array.isArray(found) ? found : []).flatMap((one: unknown): Ulimit[] => {
    if (!isRecord(one)) return [];
    const { Name: name, Soft: soft, Hard: hard } = one;
    return typeof name === 'string' && typeof soft === 'number' && typeof hard === 'number'
      ? [{ name: name.replace(/^RLIMIT_/, '').toLowerCase(), soft, hard }]
      : [];
  });
}

function cpusOf(host: Docker.HostConfig): number | undefined {
  if ((host.NanoCpus ?? 0) > 0) return (host.NanoCpus ?? 0) / 1e9;
  const [quota = 0, period = 0] = [host.CpuQuota, host.CpuPeriod];
  // The kernel's default period, where only the quota was given.
  return quota > 0 ? quota / (period > 0 ? period : 100_000) : undefined;
}
