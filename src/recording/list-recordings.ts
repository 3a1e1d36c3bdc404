import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ProfilerError, errorReason } from '../model/index.js';
import type { Finding } from '../model/index.js';
import { readManifest } from './manifest-file.js';
import type { Recording } from './recording.js';
import { RECORDINGS } from './recordings-folder.js';
import { type UnfinishedRecording, unfinishedAt } from './unfinished-recording.js';

/** One recording of a folder. */
export interface RecordingEntry {
  /** Name of its folder. */
  readonly name: string;
  readonly path: string;
  readonly recording: Recording;
}

export interface RecordingList {
  /** Newest first, ties by name. */
  readonly recordings: readonly RecordingEntry[];
  /** Folders with a manifest that cannot be read, by name. */
  readonly unreadable: readonly { readonly name: string; readonly path: string; readonly finding: Finding }[];
  /** Folders with samples and without a manifest, last written first, ties by name. */
  readonly unfinished: readonly UnfinishedRecording[];
}

/**
 * The recordings directly under `./recordings`. Links, files, and folders with neither a manifest nor samples are passed over.
 * @throws ProfilerError `recordings-unreadable` if the folder is there but cannot be listed.
 */
export async function listRecordings(cwd: string): Promise<RecordingList> {
  const recordings: RecordingEntry[] = [];
  const unreadable: { name: string; path: string; finding: Finding }[] = [];
  const unfinished: UnfinishedRecording[] = [];
  for (const name of await folderNames(join(cwd, RECORDINGS))) {
    const path = join(cwd, RECORDINGS, name);
    try {
      recordings.push({ name, path, recording: await readManifest(path) });
    } catch (error) {
      if (!(error instanceof ProfilerError)) throw error;
      if (error.finding.id !== 'not-a-recording') unreadable.push({ name, path, finding: error.finding });
      else unfinished.push(...[await unfinishedAt(path)].flatMap((found) => found ?? []));
    }
  }
  // Those of the same time stay in the order of their names.
  unfinished.sort((a, b) => b.writtenMs - a.writtenMs);
  return { recordings: recordings.sort(newestFirst), unreadable, unfinished };
}

async function folderNames(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort();
  } catch (error) {
    const code = errorReason(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw new ProfilerError({
      id: 'recordings-unreadable',
      what: `The folder ${folder} cannot be listed (${code}).`,
      why: 'Recordings are readable by the user who made them only.',
      fix: 'sudo profiler recordings list',
    });
  }
}

/** Order of recordings: newest first, ties by name. */
export function newestFirst(a: RecordingEntry, b: RecordingEntry): number {
  return createdMs(b) - createdMs(a) || (a.name < b.name ? -1 : 1);
}

export function createdMs(entry: RecordingEntry): number {
  return Date.parse(entry.recording.createdAt);
}
