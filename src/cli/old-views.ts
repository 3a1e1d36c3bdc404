import { type Stats, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorReason, shellLine } from '../model/index.js';
import { type CleanupAnswer, plural } from '../report/index.js';
import type { Io } from './io.js';
import { viewFolder } from './view-files.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** What `writeView` writes, and what it leaves where it is killed. */
const OURS = /\.(?:speedscope|firefox|trace)\.json(?:\.\d+(?:\.part)?)?$/;

/** Removes the files that views wrote more than a day ago, and says so in one line; with `dryRun` only what would be done. */
export function removeOldViews(
  env: Io['env'],
  { dryRun, nowMs = Date.now() }: { readonly dryRun: boolean; readonly nowMs?: number },
): CleanupAnswer['items'] {
  const folder = folderOf(env);
  const old = folder === undefined ? [] : oldFiles(folder, nowMs - DAY_MS);
  if (folder === undefined || old.length === 0) return [];
  const bytes = old.reduce((sum, { size }) => sum + size, 0);
  const item = {
    kind: 'view',
    what: `${plural(old.length, 'file')} of profiler view in ${folder}, older than a day (${(bytes / 1e6).toFixed(1)} MB)`,
    verb: 'removed',
  };
  if (dryRun) return [{ ...item, state: 'planned' }];
  try {
    for (const { path } of old) rmSync(path, { force: true });
    return [{ ...item, state: 'done' }];
  } catch (error) {
    return [{ ...item, state: 'left', because: errorReason(error), fix: shellLine(['ls', '-l', folder]) }];
  }
}

/** Undefined for a user without a home, who has no views. */
function folderOf(env: Io['env']): string | undefined {
  try {
    return viewFolder(env);
  } catch {
    return undefined;
  }
}

function oldFiles(folder: string, beforeMs: number): { readonly path: string; readonly size: number }[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .filter((name) => OURS.test(name))
    .flatMap((name) => {
      const path = join(folder, name);
      const found: Stats | undefined = lstatSync(path, { throwIfNoEntry: false });
      return found?.isFile() === true && found.mtimeMs < beforeMs ? [{ path, size: found.size }] : [];
    });
}
