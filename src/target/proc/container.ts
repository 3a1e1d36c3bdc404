import { PROC, readProcText } from './file.js';

const SHORT_ID = 12;
/** Docker, podman, containerd and Kubernetes all name the control group after the container's 64 digit id. */
const CGROUP_ID = /(?:^|[/:-])([0-9a-f]{64})(?:\.scope)?(?:\/|$)/m;
/** Files that an engine mounts into every container, from a folder named by the id; podman names the one above after its storage driver. */
const MOUNTED = /^\/etc\/(?:hostname|hosts|resolv\.conf)$/;
const FOLDER_ID = /\/(?:[a-z]+-)?containers\/([0-9a-f]{64})\//;

/**
 * Ids of the containers whose files are mounted for a process, by the text of its `mountinfo`: the mounts of the machine itself hold those
 * of every container (its /dev/shm, its root), and tell nothing of a process that sees them.
 */
export function mountedFor(mountinfo: string): readonly string[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [, , , root = '', point = ''] = line.split(' ');
    const id = MOUNTED.test(point) ? FOLDER_ID.exec(root)?.[1] : undefined;
    return id === undefined ? [] : [id];
  });
}

/** Short id of the container that a process lives in, if any. */
export function readContainer(pid: number, proc: string = PROC): string | undefined {
  const fromCgroup = CGROUP_ID.exec(readProcText(proc, String(pid), 'cgroup') ?? '')?.[1];
  const id = fromCgroup ?? mountedFor(readProcText(proc, String(pid), 'mountinfo') ?? '')[0];
  return id?.slice(0, SHORT_ID);
}
