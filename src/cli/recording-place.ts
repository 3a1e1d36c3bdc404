import { existsSync, readdirSync, statSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { MANIFEST, isOfSampler, newRecordingFolder, recordingsFolder } from '../recording/index.js';
import { cleanText } from '../report/index.js';
import type { Io } from './io.js';
import { programName } from './program-name.js';
import type { FoundTarget } from './target-flags.js';

/** What says where a recording goes. */
export interface PlaceFlags {
  readonly label?: string;
  readonly output?: string;
  readonly service?: string;
}

/** Name for a recording: the label, else the service or container, else what the target runs. */
export function nameOf(flags: PlaceFlags, { target, container }: FoundTarget): string {
  const name = flags.label ?? flags.service ?? container?.name;
  return name ?? programName(target.command).replace(/\.py$/, '');
}

/** `-o` as it is; else a new folder under ./recordings, named after the label or the program. */
export async function folderFor(io: Io, flags: PlaceFlags, found: FoundTarget): Promise<string> {
  return newFolder(io, flags, nameOf(flags, found));
}

/** The same by a name; a label goes before it. */
export async function newFolder(io: Io, flags: PlaceFlags, name: string): Promise<string> {
  if (flags.output !== undefined) return resolve(io.cwd, flags.output);
  await recordingsFolder(io.cwd);
  return newRecordingFolder(io.cwd, flags.label ?? name, () => new Date());
}

export function isRecorded(folder: string): boolean {
  return existsSync(join(folder, MANIFEST));
}

/** What is left of a recording that is not finished: only what lies on the disk. */
export function leftOfRecording(folder: string): string {
  const slices = join(folder, 'slices');
  let count = 0;
  try {
    const raw = readdirSync(slices).filter(isOfSampler);
    count = raw.filter((name) => statSync(join(slices, name)).size > 0).length;
  } catch {
    // No such folder yet.
  }
  return count === 0
    ? 'nothing was recorded yet.'
    : `${count} raw slice${count === 1 ? ' lies' : 's lie'} in ${cleanText(slices)}.`;
}

/** Whether perf left something that could not be printed: an error named it, and somebody may print it elsewhere. */
async function holdsUnprinted(folder: string): Promise<boolean> {
  const files = await readdir(join(folder, 'slices')).catch(() => []);
  return files.some((name) => name.endsWith('.perf.data'));
}

/** A folder that was made here and holds no recording would only stand in the way; one that the user named keeps its logs. */
export async function removeUnrecorded(folder: string): Promise<void> {
  if (!isRecorded(folder) && !(await holdsUnprinted(folder)))
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}
