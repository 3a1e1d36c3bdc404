import { fstatSync } from 'node:fs';
import { errorCode } from '../model/index.js';
import type { Written } from './keep-printed.js';
import { endsOfFile } from './kept-output.js';

const STREAMS = [
  [1, 'standard output'],
  [2, 'standard error'],
] as const;

/**
 * Our standard streams that are files, from where they end now: a program that inherits them writes there itself, so what it wrote is read later
 * without standing in its way. One that both lead to is there once.
 */
export function outputFiles(): readonly Written[] {
  const files = new Map<string, Written>();
  for (const [fd, source] of STREAMS) {
    try {
      const found = fstatSync(fd);
      const { dev, ino, size } = found;
      if (found.isFile())
        files.set(`${dev}:${ino}`, { source, parts: () => endsOfFile(`/proc/self/fd/${fd}`, size) });
    } catch (error) {
      // It is closed.
      if (errorCode(error) !== 'EBADF') throw error;
    }
  }
  return [...files.values()];
}
