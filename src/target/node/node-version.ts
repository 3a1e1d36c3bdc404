import { closeSync, openSync, readSync } from 'node:fs';
import { baseName } from '../proc/command.js';
import { PROC } from '../proc/file.js';
import { readMaps } from '../proc/maps.js';

const PIECE = 4 * 1024 * 1024;
const OVERLAP = 64;
/** What an inspector says of itself, whole in the read-only data of every Node since 7. */
const MARK = 'node.js/v';

/** Version that a program of Node holds: `20.20.2`. Undefined where it holds none, as other programs do, or cannot be read. */
export function versionInFile(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return undefined;
  }
  try {
    const buffer = Buffer.alloc(PIECE);
    for (let from = 0; ; from += PIECE - OVERLAP) {
      const bytes = readSync(file, buffer, 0, PIECE, from);
      const piece = buffer.subarray(0, bytes);
      for (let at = piece.indexOf(MARK); at >= 0; at = piece.indexOf(MARK, at + 1)) {
        const text = piece.toString('latin1', at + MARK.length, at + OVERLAP);
        const version = /^\d{1,3}\.\d{1,3}\.\d{1,3}[\w.-]{0,20}/.exec(text)?.[0];
        if (version !== undefined) return version;
      }
      if (bytes < PIECE) return undefined;
    }
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}

/** Version of the Node that a process runs: in its program, or in the library that Debian has it in. */
export function readNodeVersion(pid: number, proc: string = PROC): string | undefined {
  const own = versionInFile(`${proc}/${pid}/exe`);
  if (own !== undefined) return own;
  const library = readMaps(pid, proc)?.find(({ path = '' }) => baseName(path).startsWith('libnode.so'))?.path;
  return library === undefined ? undefined : versionInFile(`${proc}/${pid}/root${library}`);
}
