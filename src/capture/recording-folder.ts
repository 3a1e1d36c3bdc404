import { accessSync, constants, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { ProfilerError, errorCode } from '../model/index.js';
import {
  MANIFEST,
  readManifest,
  type Recording,
  type Slice,
  STEP_FILE,
  writeRecording,
} from '../recording/index.js';
import { makeFolders } from '../target/index.js';

/** Whether an error, or what a sampler said, means that nothing more can be written. */
export function isDiskFull(cause: unknown): boolean {
  if (typeof cause === 'string')
    return /No space left on device|Disk quota exceeded|\bENOSPC\b|\bEDQUOT\b/.test(cause);
  if (['ENOSPC', 'EDQUOT'].includes(errorCode(cause) ?? '')) return true;
  return cause instanceof Error && cause.cause !== undefined && isDiskFull(cause.cause);
}

export function diskFull(folder: string, kept: readonly Slice[]): ProfilerError {
  const seconds = kept.reduce(
    (sum, { startNs, endNs }) => sum + Number(BigInt(endNs) - BigInt(startNs)) / 1e9,
    0,
  );
  const slices = `${kept.length} slice${kept.length === 1 ? '' : 's'}`;
  return new ProfilerError({
    id: 'disk-full',
    what: `No space is left for the recording ${folder}.`,
    why:
      kept.length === 0
        ? 'Nothing could be kept.'
        : `The first ${slices} (${seconds.toFixed(1)} s) are kept in it.`,
    fix: `df -h ${folder}`,
  });
}

/** Takes folders back, innermost first, as long as nothing is in them. */
function takeBack(made: readonly string[]): void {
  try {
    for (const folder of made.toReversed()) rmdirSync(folder);
  } catch {
    // Something is in it by now, so it stays.
  }
}

/**
 * Makes the folder of a recording, or sees that it is empty. Gives the way back: it removes what was made here and is still empty.
 * @throws ProfilerError `folder-not-empty` (exit code 2), `folder-not-writable`, `disk-full`.
 */
export function claimFolder(folder: string): () => void {
  const made: string[] = [];
  try {
    makeFolders(resolve(folder), made);
    if (readdirSync(folder).length > 0) throw notEmpty(folder);
    accessSync(folder, constants.W_OK | constants.X_OK);
    return () => takeBack(made);
  } catch (error) {
    takeBack(made);
    throw folderError(folder, error);
  }
}

/** Makes the folder of a recording and what has to be in it. Throws as `claimFolder` does. */
export function prepareFolder(folder: string): void {
  claimFolder(folder);
  try {
    mkdirSync(`${folder}/slices`, { mode: 0o700 });
  } catch (error) {
    throw folderError(folder, error);
  }
}

function notEmpty(folder: string): ProfilerError {
  return new ProfilerError(
    {
      id: 'folder-not-empty',
      what: `The folder ${folder} is not empty.`,
      why: 'A recording needs a folder of its own.',
      fix: 'profiler attach … -o NEW_FOLDER',
    },
    2,
  );
}

function folderError(folder: string, error: unknown): ProfilerError {
  if (error instanceof ProfilerError) return error;
  if (isDiskFull(error)) return diskFull(folder, []);
  return new ProfilerError({
    id: 'folder-not-writable',
    what: `The folder ${folder} could not be made (${errorCode(error) ?? 'unknown error'}).`,
    why: ['EEXIST', 'ENOTDIR'].includes(errorCode(error) ?? '')
      ? 'There is a file of that name, or a part of the path is one.'
      : 'The path may belong to another user, or lie on a read-only file system.',
    fix: 'profiler attach … -o NEW_FOLDER',
  });
}

/** What the manifest on disk has so far; undefined where there is one that cannot be read. */
async function keptSlices(folder: string): Promise<readonly Slice[] | undefined> {
  try {
    return (await readManifest(folder)).slices;
  } catch (error) {
    return error instanceof ProfilerError && error.finding.id === 'not-a-recording' ? [] : undefined;
  }
}

/** Number of samples; a slice whose sampler did not say how many it has counts as one. */
export function samplesOf(slices: readonly Slice[]): number {
  return slices.reduce((sum, { samples }) => sum + (samples ?? 1), 0);
}

/**
 * Takes a recording without samples back: only what the sampler said stays in the folder. One whose manifest has samples is left as
 * it is. `keeps`: end of the names of other files that stay. Not being able to is no reason to fail.
 */
export async function dropIfEmpty(folder: string, ...keeps: readonly string[]): Promise<void> {
  const kept = await keptSlices(folder);
  if (kept === undefined || samplesOf(kept) > 0) return;
  try {
    for (const file of [MANIFEST, STEP_FILE]) rmSync(`${folder}/${file}`, { force: true });
    const slices = `${folder}/slices`;
    const files = readdirSync(slices);
    const stays = (name: string): boolean => ['.log', ...keeps].some((end) => name.endsWith(end));
    for (const file of files.filter((name) => !stays(name))) rmSync(`${slices}/${file}`);
    if (!files.some(stays)) rmdirSync(slices);
  } catch {
    // The reason why nothing was recorded is what the user has to hear.
  }
}

/** Writes the manifest. Throws a ProfilerError that says what is kept where there is no space. */
export async function saveRecording(folder: string, recording: Recording): Promise<void> {
  try {
    await writeRecording(folder, recording);
  } catch (error) {
    if (isDiskFull(error)) throw diskFull(folder, (await keptSlices(folder)) ?? []);
    throw error;
  }
}
