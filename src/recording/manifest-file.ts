import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ProfilerError, errorReason } from '../model/index.js';
import { parseRecording } from './recording-schema.js';
import type { Recording } from './recording.js';

export const MANIFEST = 'recording.json';

/**
 * Writes `recording.json` so that a reader sees the old one or the new one, never a half; the folder becomes readable
 * by its owner only, because stacks and command lines tell secrets.
 * @throws ProfilerError `folder-not-writable`; the system's own error where no space is left, since only the caller knows what is kept.
 */
export async function writeRecording(folder: string, recording: Recording): Promise<void> {
  const path = join(folder, MANIFEST);
  const half = `${path}.part`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
    const file = await open(half, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(recording, undefined, 1)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(half, path);
  } catch (error) {
    await rm(half, { force: true }).catch(() => undefined);
    const code = errorReason(error);
    if (code === 'ENOSPC' || code === 'EDQUOT') throw error;
    throw new ProfilerError({
      id: 'folder-not-writable',
      what: `The recording ${folder} could not be written (${code}).`,
      why: 'The folder may belong to another user, or lie on a read-only file system.',
      fix: 'profiler attach … -o NEW_FOLDER',
    });
  }
}

/**
 * The manifest of a recording folder.
 * @throws ProfilerError `not-a-recording`, `recording-unreadable`, `recording-damaged` or `recording-too-new`.
 */
export async function readManifest(folder: string): Promise<Recording> {
  const path = join(folder, MANIFEST);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw missing(folder, errorReason(error));
  }
  return parseRecording(text, path);
}

function missing(folder: string, code: string): ProfilerError {
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') {
    return new ProfilerError({
      id: 'not-a-recording',
      what: `${folder} is not a recording: it holds no ${MANIFEST}.`,
      why: 'It may be another folder, or a recording that was killed before its end; the samples of such a one are in its slices.',
      fix: 'profiler recordings list',
    });
  }
  return new ProfilerError({
    id: 'recording-unreadable',
    what: `${join(folder, MANIFEST)} cannot be read (${code}).`,
    why: 'Recordings are readable by the user who made them only.',
    fix: `sudo profiler recordings show ${folder}`,
  });
}
