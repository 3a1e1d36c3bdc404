import { chmod, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { ProfilerError, errorReason } from '../model/index.js';
import { makeFolders } from '../target/index.js';
import type { Io } from './io.js';
import { writeWholeFile } from './whole-file.js';

const LONGEST_NAME = 80;

/** Where views are kept: in the home folder, since a browser from a snap sees no other /tmp than its own. */
export function viewFolder(env: Io['env']): string {
  const cache = env['XDG_CACHE_HOME'];
  // The specification: a path that is not absolute is to be ignored.
  const base = cache !== undefined && isAbsolute(cache) ? cache : join(env['HOME'] || homedir(), '.cache');
  return join(base, 'sim-profiler', 'view');
}

/** A file name for a title, which may hold anything. */
export function viewFileName(title: string): string {
  const plain = title.replace(/[^\w.-]+/g, '_').replace(/^[._]+/, '');
  return `${plain.slice(0, LONGEST_NAME) || 'profile'}.speedscope.json`;
}

/**
 * Writes a view for the user alone, in place of an older one of the same name, and returns its path.
 * @throws ProfilerError `cannot-write`.
 */
export async function writeView(env: Io['env'], title: string, pieces: Iterable<string>): Promise<string> {
  const folder = viewFolder(env);
  const path = join(folder, viewFileName(title));
  // Of its own, so that what a killed one left stands in nobody's way.
  const unfinished = `${path}.${process.pid}`;
  try {
    makeFolders(folder);
    await chmod(folder, 0o700);
    await rm(`${unfinished}.part`, { force: true });
    await writeWholeFile(unfinished, pieces, 0o600);
    await rename(unfinished, path);
    return path;
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw new ProfilerError({
      id: 'cannot-write',
      what: `${path} could not be written (${errorReason(error)}).`,
      why: 'The home folder may be read-only, or its disk full.',
      fix: 'profiler view -o FILE',
    });
  }
}
