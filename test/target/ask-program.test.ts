import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { askProgram } from '../../src/target/tools/ask-program.js';
import { scratch } from './scratch.js';

function program(text: string): string {
  const path = join(scratch(), 'program');
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

describe('asking a program', () => {
  it('gives what it said and how it ended', async () => {
    expect(await askProgram(program('echo 1.2; echo no >&2; exit 3'), [])).toMatchObject({
      exitCode: 3,
      stdout: '1.2',
      stderr: 'no',
      timedOut: false,
    });
    expect(await askProgram('/nonexistent/program', [])).toMatchObject({ code: 'ENOENT', stdout: '' });
  });

  it('ends one that does not answer, with whatever it started and left at its output', async () => {
    const pids = join(scratch(), 'pids');
    const hanging = program(`trap '' TERM; sleep 1000 & echo $! $$ > ${pids}; wait; wait`);
    const asked = await askProgram(hanging, [], undefined, 500);
    expect(asked.timedOut).toBe(true);
    await vi.waitUntil(() => existsSync(pids));
    const started = readFileSync(pids, 'utf8').trim().split(' ');
    await vi.waitUntil(() => started.every((pid) => !existsSync(`/proc/${pid}/exe`)));
  });
});
