import { mkdirSync, readFileSync } from 'node:fs';
import { execaSync } from 'execa';

const HIERARCHIES = ['cpu', 'cpuacct', 'cpuset', 'memory', 'devices', 'freezer', 'blkio', 'pids'];
const CGROUPS = '/sys/fs/cgroup';

function mountPoints(): string[] {
  return readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[1]?.replaceAll('\\040', ' ') ?? []);
}

/** Gives dockerd control groups on a machine that mounts none, as bare virtual machines do. Others are left as they are. */
export function mountCgroups(): void {
  if (mountPoints().includes(CGROUPS)) return;
  execaSync('mount', ['-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', CGROUPS]);
  for (const name of HIERARCHIES) {
    mkdirSync(`${CGROUPS}/${name}`);
    execaSync('mount', ['-t', 'cgroup', '-o', name, 'cgroup', `${CGROUPS}/${name}`]);
  }
}

/** A daemon that was killed leaves its containers' namespaces mounted. */
export function unmountBelow(folder: string): void {
  for (const point of mountPoints().toReversed())
    if (point.startsWith(`${folder}/`)) execaSync('umount', ['--lazy', point], { reject: false });
}
