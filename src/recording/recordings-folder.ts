import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProfilerError, errorReason } from '../model/index.js';
import { cleanFolderName, folderTime } from './folder-name.js';

export const RECORDINGS = 'recordings';

/** Attempts to find a name that is free; more recordings than that in one second are no accident. */
const MOST_TWINS = 100;

/**
 * `./recordings`, made if it is not there: for its owner only, and with a `.gitignore` of its own, so that no recording
 * is committed by accident. A folder of that name that holds other things is left as it is.
 * @throws ProfilerError `folder-not-writable`.
 */
export async function recordingsFolder(cwd: string): Promise<string> {
  const folder = join(cwd, RECORDINGS);
  try {
    await makeOnce(folder);
    if ((await readdir(folder)).length === 0) await writeFile(join(folder, '.gitignore'), '*\n');
  } catch (error) {
    throw notWritable(folder, error);
  }
  return folder;
}

/** Not recursive: in a folder that refuses a child with ENOENT, as procfs does, Node would try for ever. */
async function makeOnce(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (errorReason(error) !== 'EEXIST' || !(await stat(folder)).isDirectory()) throw error;
  }
}

/**
 * Makes the empty folder `./recordings/NAME-TIME`; a second one within the same second gets `-2`.
 * @throws ProfilerError `folder-not-writable`.
 */
export async function newRecordingFolder(cwd: string, name: string, now: () => Date): Promise<string> {
  const base = join(await recordingsFolder(cwd), `${cleanFolderName(name)}-${folderTime(now())}`);
  for (let twin = 1; ; twin++) {
    const folder = twin === 1 ? base : `${base}-${twin}`;
    try {
      await mkdir(folder, { mode: 0o700 });
      return folder;
    } catch (error) {
      if (errorReason(error) !== 'EEXIST' || twin >= MOST_TWINS) throw notWritable(folder, error);
    }
  }
}

function notWritable(folder: string, error: unknown): ProfilerError {
  return new ProfilerError({
    id: 'folder-not-writable',
    what: `The folder ${folder} could not be made (${errorReason(error)}).`,
    why:
      errorReason(error) === 'EEXIST'
        ? 'There is a file of that name.'
        : 'The current folder may belong to another user, be full, or lie on a read-only file system.',
    fix: 'profiler attach … -o NEW_FOLDER',
  });
}
