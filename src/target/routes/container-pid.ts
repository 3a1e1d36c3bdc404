import { readContainer } from '../proc/container.js';
import { listIds } from '../proc/file.js';

/**
 * A pid that an engine named, if it is one of this machine's: the process has to live in that container. An engine on another machine,
 * or in a virtual one, counts its own processes.
 */
export function pidOfContainer(pid: number | undefined, id: string): number | undefined {
  if (pid === undefined || pid <= 0) return undefined;
  const here = readContainer(pid);
  return here !== undefined && id.startsWith(here) ? pid : undefined;
}

/**
 * The only process of a container of ours on this machine, whatever number its engine gives it: one that counts in a pid namespace of
 * its own names another.
 */
export function onlyProcessOf(id: string): number | undefined {
  const [only, ...others] = listIds('/proc').filter((pid) => id.startsWith(readContainer(pid) ?? '-'));
  return others.length === 0 ? only : undefined;
}
