import { errorCode } from '../model/index.js';
import { rmSync } from 'node:fs';
import {
  type FileHandle,
  constants,
  access,
  open,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ENDING_SIGNALS } from './interrupt.js';

const PIECE = 65_536;

/** `writeFile` of a handle goes on where it stands, and writes the rest where the disk took only a part. */
async function writeAll(file: FileHandle, pieces: Iterable<string>): Promise<void> {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < PIECE) continue;
    await file.writeFile(text);
    text = '';
  }
  await file.writeFile(text);
}

/** As many links as the kernel follows. */
const MOST_LINKS = 40;

/** Where the content has to go: behind a symbolic link its target, which must not be replaced by a file, also where that is not there yet. */
async function placeOf(named: string): Promise<{ readonly path: string; readonly mode?: number }> {
  let path = named;
  for (let links = 0; links < MOST_LINKS; links += 1) {
    try {
      const real = await realpath(path);
      return { path: real, mode: (await stat(real)).mode };
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      const target = await readlink(path).catch(() => undefined);
      if (target === undefined) return { path };
      path = resolve(dirname(path), target);
    }
  }
  return { path };
}

/** Removes a half-written file where a signal ends this process meanwhile. Returns how to stop that. */
function removedWhenEnded(part: string): () => void {
  const onSignal = (signal: NodeJS.Signals): void => {
    // Whoever else waits for the signal decides what it ends.
    if (process.listenerCount(signal) > 1) return;
    rmSync(part, { force: true });
    stop();
    process.kill(process.pid, signal);
  };
  const stop = (): void => {
    for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
  };
  for (const signal of ENDING_SIGNALS) process.on(signal, onSignal);
  return stop;
}

/**
 * Writes a file whole or not at all: into `PATH.part` beside it, which then takes its place. What was there stays until then. A device
 * or pipe is written as it is, since it cannot be replaced.
 * @param newMode rights of a file that was not there, before the umask.
 * @throws the file system's error; EEXIST where there is a `PATH.part` already.
 */
export async function writeWholeFile(
  named: string,
  pieces: Iterable<string>,
  newMode = 0o666,
): Promise<void> {
  const { path, mode } = await placeOf(named);
  const isFile = mode === undefined || (mode & constants.S_IFMT) === constants.S_IFREG;
  if (!isFile) {
    const file = await open(path, 'w');
    await writeAll(file, pieces).finally(() => file.close());
    return;
  }
  // A file that may not be written to may not be replaced either, though its folder allows it.
  if (mode !== undefined) await access(path, constants.W_OK);
  const part = `${path}.part`;
  const file = await open(part, 'wx', mode === undefined ? newMode : mode & 0o777);
  const finished = removedWhenEnded(part);
  try {
    try {
      if (mode !== undefined) await file.chmod(mode & 0o777);
      await writeAll(file, pieces);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    finished();
  }
}
