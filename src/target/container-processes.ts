import { ProfilerError, shellLine } from '../model/index.js';
import type { Container } from './docker/container.js';
import { mountedFor } from './proc/container.js';
import { processExists } from './proc/exists.js';
import { listIds, PROC, readProcLink, readProcText } from './proc/file.js';
import { readStat } from './proc/stat.js';
import { readStatus } from './proc/status.js';

export interface ContainerProcesses {
  /** Ascending; the container's first process among them. */
  readonly pids: readonly number[];
  /**
   * What tells them: a pid namespace of its own, else the control group that the engine names after the container. `other numbers`: by
   * that too, since the number that the engine gave means another process here, or none.
   */
  readonly by: 'pid namespace' | 'control group' | 'other numbers';
}

/**
 * The processes of a running container, from /proc alone; also where its engine counts in a pid namespace of its own, or started it anew
 * since it was described. Throws `ProfilerError`: `container-not-local` when they are not among the processes of this machine, `pid-hidden`.
 */
export function containerProcesses(container: Container, proc: string = PROC): ContainerProcesses {
  const { id, pid } = container;
  if (readStat(pid, proc) === undefined || !isFirst(container, proc)) {
    const pids = membersOf(container, proc);
    if (pids.length === 0) throw lost(container, proc);
    return { pids, by: 'other numbers' };
  }
  const namespace = container.pidMode === '' ? readProcLink(proc, String(pid), 'ns', 'pid') : undefined;
  // Nobody but the container's own user and root may read the namespace; the control group is public.
  if (namespace === undefined) return { pids: membersOf(container, proc), by: 'control group' };
  const pids = listIds(proc)
    .filter((one) => readProcLink(proc, String(one), 'ns', 'pid') === namespace)
    // A container may share the namespace of another one.
    .filter((one) => membership(one, id, proc) !== 'stranger');
  return { pids, by: 'pid namespace' };
}

function membersOf({ id }: Container, proc: string): readonly number[] {
  return listIds(proc).filter((one) => membership(one, id, proc) === 'member');
}

const CONTAINER_ID = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;

/** Whether a process belongs to the container, by the ids in its control groups, else in the files that the engine mounts for it. */
function membership(pid: number, id: string, proc: string): 'member' | 'stranger' | 'unknown' {
  const groups = readProcText(proc, String(pid), 'cgroup') ?? '';
  // All of them: within a container that runs an engine of its own there are several.
  const named: readonly string[] = groups.match(CONTAINER_ID) ?? [];
  const ids = named.length > 0 ? named : mountedFor(readProcText(proc, String(pid), 'mountinfo') ?? '');
  if (ids.length > 0) return ids.includes(id) ? 'member' : 'stranger';
  return 'unknown';
}

function isFirst({ id, pid, pidMode }: Container, proc: string): boolean {
  const member = membership(pid, id, proc);
  if (member !== 'unknown') return member === 'member';
  // No control groups to be seen: then only a namespace of its own tells it from any other process of that number.
  const nsPids = readStatus(pid, proc)?.nsPids ?? [];
  return pidMode === '' && nsPids.length > 1 && nsPids.at(-1) === 1;
}

function lost(container: Container, proc: string): ProfilerError {
  const { name, pid } = container;
  const attach = shellLine(['profiler', 'attach', '--container', name]);
  if (proc === PROC && readStat(pid, proc) === undefined && processExists(pid)) {
    return new ProfilerError({
      id: 'pid-hidden',
      what: `Process ${pid} of container ${name} exists but /proc does not show it.`,
      why: '/proc is mounted with hidepid, which hides the processes of other users.',
      fix: `sudo ${attach}`,
    });
  }
  return new ProfilerError({
    id: 'container-not-local',
    what: `Container ${name} runs as process ${pid} of its engine's machine, which is not a process of this one.`,
    why: 'The engine runs on another machine or in a virtual one (Docker Desktop), whose /proc is needed to measure anything exactly, or the container ended this moment.',
    fix: `${attach}  (on the machine of the engine, or in a container there started with --pid host)`,
  });
}

export function restarted({ name, restartPolicy }: Container): ProfilerError {
  return new ProfilerError({
    id: 'container-restarted',
    what: `Container ${name} was started anew while it was looked at.`,
    why: `Its restart policy is ${restartPolicy}, or somebody restarted it.`,
    fix: shellLine(['profiler', 'attach', '--container', name]),
  });
}
