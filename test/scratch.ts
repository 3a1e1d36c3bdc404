import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { execa } from 'execa';

/** Short, since the paths of sockets are. */
const PREFIX = 'pt-';

/** One folder for all that tests put into the temporary folder, removed in the end. Called once for each project. */
export default function scratch(): (() => Promise<void>) | undefined {
  if (basename(tmpdir()).startsWith(PREFIX)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), PREFIX));
  // Targets of other users write there too.
  chmodSync(folder, 0o1777);
  process.env['TMPDIR'] = folder;
  // Not beyond what may be mounted in it.
  return async () => void (await execa('rm', ['-rf', '--one-file-system', folder], { reject: false }));
}
