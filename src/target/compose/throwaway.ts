import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const FILE = 'override.yaml';
const FOLDER = /^sim-profiler-override-[0-9a-f]{8}$/;

/** A path that nothing has yet, outside every project: `/tmp/sim-profiler-override-1a2b3c4d`. */
export function throwawayFolder(parent: string = tmpdir()): string {
  return join(parent, `sim-profiler-override-${randomBytes(4).toString('hex')}`);
}

export function throwawayFile(folder: string): string {
  return join(folder, FILE);
}

/** Whether a compose file is one of ours, by its path. */
export function isThrowaway(path: string): boolean {
  return basename(path) === FILE && FOLDER.test(basename(dirname(path)));
}

/** Makes the folder for its owner alone, with the file in it. Throws what the disk says, also when the folder is there already. */
export function writeThrowaway(folder: string, text: string): void {
  mkdirSync(folder, { mode: 0o700 });
  // The mask of the user may have taken rights from it.
  chmodSync(folder, 0o700);
  writeFileSync(throwawayFile(folder), text, { mode: 0o600 });
}

/** Removes a folder of ours; leaves anything else alone. */
export function removeThrowaway(folder: string): void {
  if (FOLDER.test(basename(folder))) rmSync(folder, { recursive: true, force: true });
}
