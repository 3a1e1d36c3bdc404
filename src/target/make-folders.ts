import { errorCode } from '../model/index.js';
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and its parents for the owner only, and adds those that it made to `made`, outermost first. Step by step: Node's own
 * recursive mkdir never ends where a folder is there but refuses a child with ENOENT, as procfs does. Throws what the system says.
 */
export function makeFolders(folder: string, made: string[] = []): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST' && statSync(folder).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error;
    makeFolders(dirname(folder), made);
    mkdirSync(folder, { mode: 0o700 });
  }
  made.push(folder);
}
