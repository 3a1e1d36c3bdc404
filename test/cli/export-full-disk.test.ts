import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { execa } from 'execa';
import { exportCommand } from '../../src/cli/export.js';
import type { Io } from '../../src/cli/io.js';
import { itWhere } from '../only-where.js';
import { FIXTURES, runProfiler } from './run-profiler.js';

const TURTLE = join(FIXTURES, 'rules/turtle-idle.raw');
const BIN = new URL('../../dist/cli/bin.js', import.meta.url).pathname;
const CAN_MOUNT =
  (await execa('unshare', ['-m', 'mount', '-t', 'tmpfs', 'x', tmpdir()], { reject: false })).exitCode === 0;

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'profiler-export-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const toFile = (output: string) => runProfiler(['export', TURTLE, '--to', 'json', '-o', output], { cwd });

describe('export to a file', () => {
  itWhere(CAN_MOUNT, 'needs root and a mount namespace')(
    'keeps the old file where the disk becomes full, and says so',
    async () => {
      // The first write is short: the disk takes a part of it.
      const script =
        'mount -t tmpfs -o size=8k x "$1" && cd "$1" && echo old > f && { "$2" "$3" export "$4" --to json -o f; code=$?; } ; ls; cat f; exit $code';
      const run = await execa(
        'unshare',
        ['-m', 'sh', '-c', script, 'sh', cwd, process.execPath, BIN, TURTLE],
        { reject: false },
      );
      expect([run.exitCode, run.stdout]).toEqual([1, 'f\nold']);
      expect(run.stderr).toBe(
        `profiler: f could not be written (ENOSPC).\n  The disk is full.\n  -> df -h ${cwd}`,
      );
    },
  );

  it('replaces an old file with the same rights, also behind a link, and leaves no part', async () => {
    writeFileSync(join(cwd, 'old'), 'old');
    chmodSync(join(cwd, 'old'), 0o640);
    symlinkSync('old', join(cwd, 'link'));
    expect((await toFile('link')).code).toBe(0);
    expect(readdirSync(cwd)).toEqual(['link', 'old']);
    expect(JSON.parse(readFileSync(join(cwd, 'old'), 'utf8')).kind).toBe('profile');
    expect(statSync(join(cwd, 'old')).mode & 0o777).toBe(0o640);
  });

  it('leaves a part alone that another export may be writing', async () => {
    writeFileSync(join(cwd, 'x.part'), 'part');
    expect(await toFile('x')).toEqual({
      code: 1,
      out: '',
      err:
        'profiler: x could not be written (EEXIST).\n' +
        '  There is a x.part: another command writes it, or was cut short and left it.\n' +
        '  -> rm x.part\n',
    });
    expect(readFileSync(join(cwd, 'x.part'), 'utf8')).toBe('part');
  });

  it('writes to a device without replacing it', async () => {
    expect((await toFile('/dev/null')).code).toBe(0);
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it('wants a name', async () => {
    expect(await toFile('')).toMatchObject({
      code: 2,
      err: "profiler: Option '-o, --output <file>' argument '' is invalid. It must not be empty.\n  -> profiler export --help\n",
    });
  });

  it('shows no raw control character of the name', async () => {
    const { code, err } = await toFile('q\u001B[31mred');
    expect([code, err]).toEqual([0, 'Wrote 796 samples to q\\x1b[31mred.\n']);
    expect(readdirSync(cwd)).toEqual(['q\u001B[31mred']);
  });
});

const exported = async (stdoutIsTerminal: boolean): Promise<string> => {
  writeFileSync(join(cwd, 'evil.folded'), 'main;\u001B[31mred 3\nmain;plain 2\n');
  let text = '';
  const io = {
    out: async (piece: string | Uint8Array) => void (text += piece.toString()),
    err: () => undefined,
    stdoutIsTerminal,
    cwd,
    env: {},
  } as unknown as Io;
  await exportCommand(io).parseAsync(['--to', 'folded', '-o', '-', join(cwd, 'evil.folded')], {
    from: 'user',
  });
  return text;
};

describe('export to standard output', () => {
  it.each([
    ['a terminal', true],
    ['a pipe', false],
  ])('gives %s no character that a terminal would obey', async (_, isTerminal) => {
    const lines = (await exported(isTerminal)).trimEnd().split('\n').sort();
    expect(lines).toEqual(['main;plain 2', 'main;\u241B[31mred 3']);
  });
});
