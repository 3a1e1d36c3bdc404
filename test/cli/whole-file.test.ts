import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from './recording-folder.js';
import { runProfiler } from './run-profiler.js';

const PROGRAM = fileURLToPath(new URL('targets/endless-file.mjs', import.meta.url));
const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const PROFILE = 'main;step 1\n';

describe('a file that is written whole', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'leaves nothing behind when %s ends it',
    async (signal) => {
      const cwd = emptyFolder();
      writeFileSync(join(cwd, 'out'), 'old');
      const child = spawn(process.execPath, [PROGRAM, DIST, join(cwd, 'out')], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(child, 'exit');
      await once(child.stdout, 'data');
      child.kill(signal);
      expect(await ended).toEqual([null, signal]);
      expect(readdirSync(cwd)).toEqual(['out']);
      expect(readFileSync(join(cwd, 'out'), 'utf8')).toBe('old');
    },
  );

  it('follows a link to where nothing is yet, over another link', async () => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, 'x.folded'), PROFILE);
    mkdirSync(join(cwd, 'deep'));
    symlinkSync('deep/second', join(cwd, 'first'));
    symlinkSync('file', join(cwd, 'deep/second'));
    expect(await runProfiler(['export', 'x.folded', '--to', 'folded', '-o', 'first'], { cwd })).toMatchObject(
      {
        code: 0,
      },
    );
    expect(lstatSync(join(cwd, 'first')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(cwd, 'deep/file'), 'utf8')).toBe(PROFILE);
  });

  it('is refused where a circle of links leads nowhere', async () => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, 'x.folded'), PROFILE);
    symlinkSync('b', join(cwd, 'a'));
    symlinkSync('a', join(cwd, 'b'));
    const { code, err } = await runProfiler(['export', 'x.folded', '--to', 'folded', '-o', 'a'], { cwd });
    expect([code, err.split('\n')[0]]).toEqual([1, 'profiler: a could not be written (ELOOP).']);
  });

  it.each([['export', '--to', 'speedscope'], ['report', '--md'], ['view']])(
    'never takes the place of what it is made of: %s',
    async (command, ...flags) => {
      const cwd = emptyFolder();
      writeFileSync(join(cwd, 'x.folded'), PROFILE);
      symlinkSync('x.folded', join(cwd, 'link'));
      const { code, err } = await runProfiler([command, 'x.folded', ...flags, '-o', 'link'], { cwd });
      expect([code, err]).toEqual([
        2,
        'profiler: link is the file that is read: what is made of it would take its place.\n' +
          '  A measurement cannot be made again.\n' +
          '  -> name another file with -o\n',
      ]);
      expect(readFileSync(join(cwd, 'x.folded'), 'utf8')).toBe(PROFILE);
    },
  );
});
