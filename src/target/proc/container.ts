import { PROC, readProcText } from './file.js';

const SHORT_ID = 12;
/** Docker, podman, containerd and Kubernetes all name the control group after the container's 64 digit id. */
const CGROUP_ID = /(?:^|[/:-])([0-9a-f]{64})(?:\.scope)?(?:\/|$)/m;
/** Engines mount `hostname` and `resolv.conf` from a folder named by the id; podman names the one above after its storage driver. */
const MOUNT_ID = /\/(?:[a-z]+-)?containers\/([0-9a-f]{64})\//;

/** Short id of the container that a process lives in, if any. */
export function readContainer(pid: number, proc: string = PROC): string | undefined {
  const fromCgroup = CGROUP_ID.exec(readProcText(proc, String(pid), 'cgroup') ?? '')?.[1];
  const id = fromCgroup ?? MOUNT_ID.exec(readProcText(proc, String(pid), 'mountinfo') ?? '')?.[1];
  return id?.slice(0, SHORT_ID);
}
