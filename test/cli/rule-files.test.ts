import { execFileSync, spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadRules } from '../../src/cli/rule-files.js';
import { emptyFolder } from './recording-folder.js';

const PACK = `id: mine
dated: "2026-11-29"
title: Mine
rules:
  - { id: mine/a, bucket: plugin, match: { file: a.py }, why: It is mine. }
`;
const comment = (bytes: number): string => `${PACK}#${'x'.repeat(bytes - PACK.length - 1)}`;
const cwd = emptyFolder();
afterAll(() => rmSync(cwd, { recursive: true }));

describe('the file of a rule pack', () => {
  it('may be as large as 1 MB, and no byte larger', async () => {
    writeFileSync(join(cwd, 'full.yaml'), comment(1_000_000));
    expect((await loadRules({ cwd }, ['full.yaml'])).packs[0]?.id).toBe('mine');
    writeFileSync(join(cwd, 'large.yaml'), comment(1_000_001));
    await expect(loadRules({ cwd }, ['large.yaml'])).rejects.toMatchObject({
      exitCode: 2,
      finding: { id: 'bad-rules', what: 'large.yaml is no rule pack: it is larger than 1 MB.' },
    });
  });

  it('may be a pipe, but none without end', async () => {
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    const writer = spawn('sh', ['-c', 'printf %s "$1" > pipe', 'sh', PACK], { cwd });
    expect((await loadRules({ cwd }, ['pipe'])).packs[0]?.id).toBe('mine');
    writer.kill();
    await expect(loadRules({ cwd }, ['/dev/zero'])).rejects.toMatchObject({
      finding: { what: '/dev/zero is no rule pack: it is larger than 1 MB.' },
    });
  });

  it('is named with the reason where it cannot be read', async () => {
    await expect(loadRules({ cwd }, ['none.yaml'])).rejects.toMatchObject({
      finding: { id: 'cannot-read-rules', what: 'The rule pack none.yaml could not be read (ENOENT).' },
    });
    await expect(loadRules({ cwd }, ['.'])).rejects.toMatchObject({
      finding: { what: 'The rule pack . could not be read (EISDIR).' },
    });
  });
});
