import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const made: string[] = [];

// Each test file loads its own copy of this module, so this runs after the last test of that file.
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A new folder that is removed after the tests of this file. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sim-profiler-test-'));
  made.push(folder);
  return folder;
}
