import { PROC, readProcText } from './file.js';

/**
 * The id inside a user namespace that stands for `id` outside of it, by the text of its `uid_map` or `gid_map`: lines of the first id
 * inside, the first outside, and how many. See user_namespaces(7). Undefined where it stands for none.
 */
export function innerId(map: string, id: number): number | undefined {
  for (const line of map.split('\n')) {
    const [inside, outside, count] = line.trim().split(/\s+/).map(Number);
    if (inside === undefined || outside === undefined || count === undefined) continue;
    if (id >= outside && id < outside + count) return inside + (id - outside);
  }
  return undefined;
}

/** User and group of a process as its own user namespace numbers them; as they are where that cannot be read. */
export function innerUser(
  { pid, uid, gid }: { readonly pid: number; readonly uid: number; readonly gid: number },
  proc: string = PROC,
): { readonly uid: number; readonly gid: number } {
  const of = (file: string, id: number): number =>
    innerId(readProcText(proc, String(pid), file) ?? '', id) ?? id;
  return { uid: of('uid_map', uid), gid: of('gid_map', gid) };
}
