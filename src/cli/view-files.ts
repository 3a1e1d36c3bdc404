import { chmod, rename, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { ProfilerError, errorReason } from '../model/index.js';
import { makeFolders } from '../target/index.js';
import type { Io } from './io.js';
import { writeWholeFile } from './whole-file.js';

const LONGEST_NAME = 80;

/** Where views are kept: in the home folder, since a browser from a snap sees no other /tmp than its own. */
export function viewFolder(env: Io['env'], accountHome = homeOfAccount): string {
  const cache = env['XDG_CACHE_HOME'];
  // The specification: a path that is not absolute is to be ignored.
  if (cache !== undefined && isAbsolute(cache)) return join(cache, 'sim-profiler', 'view');
  // An empty or relative one would be a place below whatever folder this runs in, and `homedir` would give it back.
  const said = env['HOME'] ?? '';
  const home = isAbsolute(said) ? said : accountHome();
  if (home === undefined || !isAbsolute(home)) {
    throw new ProfilerError({
      id: 'no-home',
      what: 'There is no home folder to write the view to.',
      why: 'HOME is no absolute path, and the system knows none for this user.',
      fix: 'profiler view -o FILE',
    });
  }
  return join(home, '.cache', 'sim-profiler', 'view');
}

/** What the system says, whatever HOME is; undefined for a user that it does not know. */
function homeOfAccount(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}

/** Speedscope tells its files by their name. */
const SPEEDSCOPE_ENDING = '.speedscope.json';

/** A file name for a title, which may hold anything. */
export function viewFileName(title: string, ending = SPEEDSCOPE_ENDING): string {
  const plain = title.replace(/[^\w.-]+/g, '_').replace(/^[._]+/, '');
  return `${plain.slice(0, LONGEST_NAME) || 'profile'}${ending}`;
}

/**
 * Writes a view for the user alone, in place of an older one of the same name, and returns its path.
 * @throws ProfilerError `cannot-write`.
 */
export async function writeView(
  env: Io['env'],
  title: string,
  pieces: Iterable<string>,
  ending = SPEEDSCOPE_ENDING,
): Promise<string> {
  const folder = viewFolder(env);
  const path = join(folder, viewFileName(title, ending));
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
