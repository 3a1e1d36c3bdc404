import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { ALL, itWhere } from '../../../only-where.js';

const SCRIPT = fileURLToPath(new URL('../../../../scripts/cpython-layouts.mjs', import.meta.url));

function run(flag: string): { readonly status: number | null; readonly stderr: string } {
  return spawnSync(process.execPath, [SCRIPT, flag], { encoding: 'utf8' });
}

describe('the layouts of CPython 3.8 to 3.12', () => {
  const missing = ALL ? run('--missing').stderr.trim() : 'only with --all';
  itWhere(missing === '', missing)('are those of its headers', () => {
    expect(run('--check')).toMatchObject({ status: 0, stderr: '' });
  });
});
