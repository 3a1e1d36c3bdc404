import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ProfilerError, errorReason } from '../model/index.js';
import { isMadeAs } from './folder-name.js';
import { rememberedRecording } from './last-recording.js';
import { createdMs, listRecordings, newestFirst } from './list-recordings.js';
import type { RecordingEntry } from './list-recordings.js';
import { MANIFEST, readManifest } from './manifest-file.js';
import { RECORDINGS } from './recordings-folder.js';
import { unfinishedAt, unfinishedFinding } from './unfinished-recording.js';

/**
 * The recording that a user means: a folder or its manifest by path, else the newest with that label, that folder name, or
 * a folder `NAME-TIME` of that name under `./recordings`. Without a word, the newest of those and of the one last written with `-o` from here.
 * @throws ProfilerError `no-recording`, `recording-not-found`, `recording-unfinished`, or as `readManifest` for a path that is one but cannot be read.
 */
export async function findRecording(cwd: string, wanted?: string): Promise<RecordingEntry> {
  if (wanted === undefined) return newest(cwd);
  const folder = await folderAt(resolve(cwd, wanted));
  if (folder !== undefined) return entryAt(folder);
  const begun = await unfinishedAt(resolve(cwd, wanted));
  if (begun !== undefined) throw new ProfilerError(unfinishedFinding(begun, cwd));
  const { recordings, unreadable, unfinished } = await listRecordings(cwd);
  const found =
    recordings.find((entry) => entry.recording.label === wanted) ??
    recordings.find((entry) => entry.name === wanted) ??
    recordings.find((entry) => isMadeAs(wanted, entry.name));
  if (found !== undefined) return found;
  const broken = unreadable.find((entry) => entry.name === wanted || isMadeAs(wanted, entry.name));
  if (broken !== undefined) throw new ProfilerError(broken.finding);
  const dead = unfinished.find((entry) => entry.name === wanted || isMadeAs(wanted, entry.name));
  if (dead !== undefined) throw new ProfilerError(unfinishedFinding(dead, cwd));
  throw notFound(cwd, wanted, recordings);
}

/**
 * Whether a path is a folder with a manifest in it, whatever the manifest says. One that we may not look into counts: recordings
 * are closed to other users, and reading its manifest will say so.
 */
export async function isRecordingFolder(path: string): Promise<boolean> {
  return (await kindOf(join(path, MANIFEST))) !== 'other';
}

async function newest(cwd: string): Promise<RecordingEntry> {
  const { recordings, unreadable, unfinished } = await listRecordings(cwd);
  const last = await lastWritten(cwd);
  const first = recordings[0];
  // Of two equally old ones, the one that the user put somewhere himself.
  if (last !== undefined && (first === undefined || createdMs(last) >= createdMs(first))) return last;
  if (first !== undefined) return first;
  const broken = unreadable[0];
  if (broken !== undefined) throw new ProfilerError(broken.finding);
  const dead = unfinished[0];
  if (dead !== undefined) throw new ProfilerError(unfinishedFinding(dead, cwd));
  throw new ProfilerError({
    id: 'no-recording',
    what: `There is no recording in ${join(cwd, RECORDINGS)}.`,
    why: 'Nothing was recorded from this folder yet.',
    fix: 'profiler attach --pid PID',
  });
}

/** A noted recording that was moved or damaged since is forgotten. */
async function lastWritten(cwd: string): Promise<RecordingEntry | undefined> {
  const path = await rememberedRecording(cwd);
  if (path === undefined) return undefined;
  try {
    return await entryAt(path);
  } catch (error) {
    if (error instanceof ProfilerError) return undefined;
    throw error;
  }
}

async function entryAt(path: string): Promise<RecordingEntry> {
  return { name: basename(path), path, recording: await readManifest(path) };
}

async function folderAt(path: string): Promise<string | undefined> {
  if (await isRecordingFolder(path)) return path;
  return basename(path) === MANIFEST && (await kindOf(path)) === 'file' ? dirname(path) : undefined;
}

async function kindOf(path: string): Promise<'file' | 'closed' | 'other'> {
  try {
    return (await stat(path)).isFile() ? 'file' : 'other';
  } catch (error) {
    return errorReason(error) === 'EACCES' ? 'closed' : 'other';
  }
}

function notFound(cwd: string, wanted: string, known: readonly RecordingEntry[]): ProfilerError {
  const names = [...known]
    .sort(newestFirst)
    .slice(0, 5)
    .map((entry) => entry.recording.label ?? entry.name);
  return new ProfilerError({
    id: 'recording-not-found',
    what: `There is no recording ${JSON.stringify(wanted)}: neither a folder with a ${MANIFEST} nor a label under ${join(cwd, RECORDINGS)}.`,
    why:
      names.length === 0
        ? 'Nothing was recorded from this folder yet.'
        : `The newest here are ${names.map((name) => JSON.stringify(name)).join(', ')}.`,
    fix: names.length === 0 ? 'profiler attach --pid PID' : 'profiler recordings list',
  });
}
