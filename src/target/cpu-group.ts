import { existsSync, writeFileSync } from 'node:fs';
import { errorCode } from '../model/index.js';

/** Root group of the cpu hierarchy of cgroup v1. Groups below it have no real-time runtime of their own (RT_GROUP_SCHED). */
const CPU_ROOTS = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup/cpu,cpuacct'];

/** Where there is such a hierarchy. */
export function cpuRoot(): string | undefined {
  return CPU_ROOTS.find(
    (folder) => existsSync(`${folder}/cpu.cfs_quota_us`) || existsSync(`${folder}/cpu.shares`),
  );
}

/**
 * Takes a process with all its threads (`cgroup.procs`), or one thread alone (`tasks`), into the root group, where real-time priority is
 * granted and no quota counts. Answers what the kernel said against it; nothing where there is no such hierarchy.
 */
export function leaveCpuGroup(id: number, by: 'cgroup.procs' | 'tasks'): string | undefined {
  const root = cpuRoot();
  if (root === undefined) return undefined;
  try {
    writeFileSync(`${root}/${by}`, String(id));
    return undefined;
  } catch (error) {
    return `${root} refused it (${errorCode(error) ?? 'unknown'}).`;
  }
}
