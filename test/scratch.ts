import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

/** One folder, with a short name since the paths of sockets are short, for all that tests put into the temporary folder, removed in the end. */
export default function scratch(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pt-'));
  // Targets of other users write there too.
  chmodSync(folder, 0o1777);
  process.env['TMPDIR'] = folder;
  // Not beyond what may be mounted in it.
  return async () => void (await execa('rm', ['-rf', '--one-file-system', folder], { reject: false }));
}
