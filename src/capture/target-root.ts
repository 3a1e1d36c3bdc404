import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync } from 'node:fs';

/** From linux/fcntl.h; node:fs does not export it. A handle to a place in the tree, without opening what is there. */
const O_PATH = 0o10000000;
const MOST_LINKS = 40;

function descend(fd: number, name: string): number {
  return openSync(`/proc/self/fd/${fd}/${name}`, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

/**
 * Opens a regular file as the target sees it, or returns undefined. Links are followed inside the target's root only, step by step
 * from directory handles: an absolute link would otherwise lead into our own file system, out of the container.
 */
function openInside(root: string, path: string): number | undefined {
  const dirs = [openSync(`${root}/`, O_PATH | constants.O_DIRECTORY)];
  const rest = path.split('/').filter((part) => part !== '' && part !== '.');
  let links = 0;
  try {
    for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
      const here = dirs.at(-1) ?? -1;
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
        return openSync(
          name,
          constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY,
        );
      }
    }
    return undefined;
  } finally {
    for (const fd of dirs) closeSync(fd);
  }
}

function withFile<T>(root: string, path: string, use: (fd: number, size: number) => T): T | undefined {
  let fd: number | undefined;
  try {
    fd = openInside(root, path);
    if (fd === undefined) return undefined;
    const facts = fstatSync(fd);
    return facts.isFile() ? use(fd, facts.size) : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Whether `path` is a regular file in the tree at `root` (`/proc/PID/root`). */
export function existsInside(root: string, path: string): boolean {
  return withFile(root, path, () => true) ?? false;
}

/** Text of the regular file `path` in the tree at `root`; undefined where there is none, or where it exceeds `limit` bytes. */
export function readInside(root: string, path: string, limit: number): string | undefined {
  return withFile(root, path, (fd, size) => {
    if (size > limit) return undefined;
    const buffer = Buffer.alloc(size);
    let filled = 0;
    for (let read = -1; read !== 0 && filled < size; filled += read)
      read = readSync(fd, buffer, filled, size - filled, filled);
    return buffer.toString('utf8', 0, filled);
  });
}
