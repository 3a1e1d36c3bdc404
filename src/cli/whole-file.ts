import { errorCode } from '../model/index.js';
import { type FileHandle, constants, access, open, realpath, rename, rm, stat } from 'node:fs/promises';

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

/** Where the content has to go: behind a symbolic link its target, which must not be replaced by a file. */
async function placeOf(path: string): Promise<{ readonly path: string; readonly mode?: number }> {
  try {
    const real = await realpath(path);
    return { path: real, mode: (await stat(real)).mode };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { path };
    throw error;
  }
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
  }
}
