import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs';

/** From linux/fcntl.h; node:fs does not export it. A handle to a place in the tree, without opening what is there. */
const O_PATH = 0o10000000;
const MOST_LINKS = 40;

/** What stands in the way of a file, or of a folder on the way to it. A name is that of the file itself, not of a link to it. */
export interface Gate {
  readonly folder: (facts: Stats) => boolean;
  readonly file: (facts: Stats, name: string) => boolean;
}

const OPEN_GATE: Gate = { folder: () => true, file: () => true };

interface Opened {
  readonly fd: number;
  /** Name of the file itself, all links followed. */
  readonly name: string;
}

function descend(fd: number, name: string): number {
  return openSync(`/proc/self/fd/${fd}/${name}`, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

/**
 * Opens a regular file as the target sees it, or returns undefined. Links are followed inside the target's root only, step by step
 * from directory handles: an absolute link would otherwise lead into our own file system, out of the container.
 */
function openInside(root: string, path: string, gate: Gate): Opened | undefined {
  const dirs = [openSync(`${root}/`, O_PATH | constants.O_DIRECTORY)];
  const rest = path.split('/').filter((part) => part !== '' && part !== '.');
  let links = 0;
  try {
    for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
      const here = dirs.at(-1) ?? -1;
      if (!gate.folder(fstatSync(here))) return undefined;
      if (part === '..') {
        if (dirs.length > 1) closeSync(dirs.pop() ?? -1);
        continue;
      }
      const name = `/proc/self/fd/${here}/${part}`;
      if (lstatSync(name).isSymbolicLink()) {
        if (++links > MOST_LINKS) return undefined;
        const to = readlinkSync(name);
        if (to.startsWith('/')) while (dirs.length > 1) closeSync(dirs.pop() ?? -1);
        rest.unshift(...to.split('/').filter((step) => step !== '' && step !== '.'));
      } else if (rest.length > 0) {
        dirs.push(descend(here, part));
      } else {
        // Non-blocking: opening a named pipe would wait for its writer.
        const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
        return { fd: openSync(name, flags), name: part };
      }
    }
    return undefined;
  } finally {
    for (const fd of dirs) closeSync(fd);
  }
}

function withFile<T>(
  root: string,
  path: string,
  gate: Gate,
  use: (fd: number, size: number) => T,
): T | undefined {
  let opened: Opened | undefined;
  try {
    opened = openInside(root, path, gate);
    if (opened === undefined) return undefined;
    const facts = fstatSync(opened.fd);
    return facts.isFile() && gate.file(facts, opened.name) ? use(opened.fd, facts.size) : undefined;
  } catch {
    return undefined;
  } finally {
    if (opened !== undefined) closeSync(opened.fd);
  }
}

/** Whether `path` is a regular file in the tree at `root` (`/proc/PID/root`). */
export function existsInside(root: string, path: string): boolean {
  return withFile(root, path, OPEN_GATE, () => true) ?? false;
}

/**
 * Text of the regular file `path` in the tree at `root`; undefined where there is none, where it exceeds `limit` bytes, or where
 * `gate` is closed.
 */
export function readInside(
  root: string,
  path: string,
  limit: number,
  gate: Gate = OPEN_GATE,
): string | undefined {
  return withFile(root, path, gate, (fd, size) => {
    if (size > limit) return undefined;
    const buffer = Buffer.alloc(size);
    let filled = 0;
    for (let read = -1; read !== 0 && filled < size; filled += read)
      read = readSync(fd, buffer, filled, size - filled, filled);
    return buffer.toString('utf8', 0, filled);
  });
}
