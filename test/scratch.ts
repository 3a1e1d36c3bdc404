import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { execa } from 'execa';

/** Short, since the paths of sockets are. */
const PREFIX = 'pt-';

/**
 * One folder for all that tests put into the temporary folder, removed in the end, and, where the whole of them runs (`scripts/test`), one
 * container engine for all: one for each file takes half a minute more. Called once for each project.
 */
export default async function scratch(): Promise<(() => Promise<void>) | undefined> {
  if (basename(tmpdir()).startsWith(PREFIX)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), PREFIX));
  // Targets of other users write there too.
  chmodSync(folder, 0o1777);
  process.env['TMPDIR'] = folder;
  // Only now: what it puts there, it puts into our folder.
  const { shareDocker } = await import('./docker/daemon.js');
  const stop = process.env['PROFILER_TEST_SHARE_ENGINE'] === '1' ? await shareDocker() : undefined;
  return async () => {
    await stop?.();
    // Not beyond what may be mounted in it.
    await execa('rm', ['-rf', '--one-file-system', folder], { reject: false });
  };
}
