import type { Stats } from 'node:fs';
import { readFileSync } from 'node:fs';

/** By what ids the kernel decides which files a process may read, as we see them: user of file access, all groups. */
export interface ReadRights {
  readonly uid: number;
  readonly gids: ReadonlySet<number>;
}

/** Ids of a line of `/proc/PID/status`. By line feeds only: the name of a process may hold every other kind of line end. */
function ids(lines: readonly string[], name: string): readonly number[] {
  const line = lines.find((text) => text.startsWith(`${name}:\t`));
  return (line ?? '')
    .slice(name.length + 1)
    .split(/\s+/)
    .filter(Boolean)
    .map(Number);
}

/** undefined where there is no such process, or nothing is told. Ids are real, effective, saved, file system. */
export function readRights(pid: number): ReadRights | undefined {
  let lines: readonly string[];
  try {
    lines = readFileSync(`/proc/${pid}/status`, 'utf8').split('\n');
  } catch {
    return undefined;
  }
  const uid = ids(lines, 'Uid')[3];
  const gid = ids(lines, 'Gid')[3];
  if (uid === undefined || gid === undefined) return undefined;
  return { uid, gids: new Set([gid, ...ids(lines, 'Groups')]) };
}

type Facts = Pick<Stats, 'uid' | 'gid' | 'mode'>;

/** The owner's bits count for the owner alone, the group's for its members, the others' for everybody else. */
function granted({ uid, gids }: ReadRights, facts: Facts, bit: number): boolean {
  if (uid === 0) return true;
  const shift = facts.uid === uid ? 6 : gids.has(facts.gid) ? 3 : 0;
  return ((facts.mode >> shift) & bit) !== 0;
}

/** Whether the permission bits of a file let it be read. */
export function mayRead(rights: ReadRights, file: Facts): boolean {
  return granted(rights, file, 4);
}

/** Whether the permission bits of a folder let a path lead through it. */
export function mayPass(rights: ReadRights, folder: Facts): boolean {
  return granted(rights, folder, 1);
}
