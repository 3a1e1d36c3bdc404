import { readContainer } from '../proc/container.js';

/**
 * A pid that an engine named, if it is one of this machine's: the process has to live in that container. An engine on another machine,
 * or in a virtual one, counts its own processes.
 */
export function pidOfContainer(pid: number | undefined, id: string): number | undefined {
  if (pid === undefined || pid <= 0) return undefined;
  const here = readContainer(pid);
  return here !== undefined && id.startsWith(here) ? pid : undefined;
}
