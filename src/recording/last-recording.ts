import { readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { RECORDINGS, recordingsFolder } from './recordings-folder.js';

const POINTER = '.last';

/**
 * Notes where `-o` put a recording, so that the next command finds it without a name. Not being able to is no reason to
 * fail: false then.
 */
export async function rememberRecording(cwd: string, folder: string): Promise<boolean> {
  try {
    const pointer = join(await recordingsFolder(cwd), POINTER);
    await writeFile(`${pointer}.part`, `${JSON.stringify(resolve(cwd, folder))}\n`, { mode: 0o600 });
    await rename(`${pointer}.part`, pointer);
    return true;
  } catch {
    return false;
  }
}

/** The folder that was noted last; undefined if none was or the note makes no sense. */
export async function rememberedRecording(cwd: string): Promise<string | undefined> {
  try {
    const path: unknown = JSON.parse(await readFile(join(cwd, RECORDINGS, POINTER), 'utf8'));
    return typeof path === 'string' ? path : undefined;
  } catch {
    return undefined;
  }
}
