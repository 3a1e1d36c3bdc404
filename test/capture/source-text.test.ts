import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mayPass, mayRead, type ReadRights } from '../../src/capture/read-rights.js';
import { hotLines, readSources } from '../../src/capture/source-text.js';
import { existsInside, readInside } from '../../src/capture/target-root.js';
import { describeWhere } from '../only-where.js';
import { emptyFolder } from './live.js';

const MEGABYTE = 1024 * 1024;

function hot(raw: string): Record<string, number[]> {
  return Object.fromEntries([...hotLines(raw)].map(([path, lines]) => [path, [...lines]]));
}

describe('hot lines', () => {
  it('are the lines of Python frames, whatever the file is called', () => {
    const raw = [
      'thread (12): MainThread;<module> (/a/run.py:3);Engine.step (/a/sim/engine.py:278) 41',
      'thread (12): MainThread;<module> (/a/run.py:3);Engine.step (/a/sim/engine.py:280) 2',
      'thread (0x7F1): spin (x);loop (/a/we;ird (copy)/b c.py:7) 1',
      'process 9:"python3 x.py";thread (9): MainThread;main (rel.py:5);other (/usr/bin/tool:2) 1',
    ].join('\n');
    expect(hot(raw)).toEqual({
      '/a/run.py': [3],
      '/a/sim/engine.py': [278, 280],
      '/a/we;ird (copy)/b c.py': [7],
      'rel.py': [5],
      '/usr/bin/tool': [2],
    });
  });

  it('are not those of native, frozen or generated code, nor of lines that are no stack', () => {
    const raw = [
      'f (/src/ceval.c:12);g (libmujoco.so.3.14.0);h (/lib/x.so.1:4);<module> (<frozen importlib._bootstrap>:241);k (<string>:1) 3',
      'thread (12): MainThread 5',
      '\u0000\u0001garbage:7',
      '',
    ].join('\n');
    expect(hot(raw)).toEqual({});
  });
});

describe('the text of hot lines', () => {
  const folder = emptyFolder();
  mkdirSync(join(folder, 'pkg/sub'), { recursive: true });
  for (const file of ['pkg/__init__.py', 'pkg/sub/__init__.py']) writeFileSync(join(folder, file), '');
  writeFileSync(
    join(folder, 'pkg/sub/engine.py'),
    Array.from({ length: 20 }, (_, i) => `line ${i + 1}`).join('\r\n'),
  );
  writeFileSync(join(folder, 'run.py'), 'a\n\tb\n');
  const engine = join(folder, 'pkg/sub/engine.py');

  it('is read with its neighbours, under a path that is cut at the package', () => {
    const sources = readSources(
      process.pid,
      new Map([
        [engine, new Set([10])],
        [join(folder, 'run.py'), new Set([2])],
      ]),
      {},
    );
    expect(sources).toEqual({
      [engine]: {
        short: 'pkg/sub/engine.py',
        lines: {
          7: 'line 7',
          8: 'line 8',
          9: 'line 9',
          10: 'line 10',
          11: 'line 11',
          12: 'line 12',
          13: 'line 13',
        },
      },
      [join(folder, 'run.py')]: { short: 'run.py', lines: { 1: 'a', 2: '\tb', 3: '' } },
    });
  });

  it('cuts where packages are installed, though a folder of one has no __init__.py', () => {
    const file = join(folder, 'lib/python3.11/site-packages/newton/_src/sim/model.py');
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(join(file, '../__init__.py'), '');
    writeFileSync(file, 'step()\n');
    expect(readSources(process.pid, new Map([[file, new Set([1])]]), {})[file]?.short).toBe(
      'newton/_src/sim/model.py',
    );
  });

  it('grows with what later slices need, and keeps what a deleted file once said', () => {
    const gone = { '/gone.py': { short: 'gone.py', lines: { 1: 'kept' } } };
    const first = readSources(process.pid, new Map([[engine, new Set([1])]]), gone);
    const second = readSources(
      process.pid,
      new Map([
        [engine, new Set([20])],
        ['/gone.py', new Set([5])],
      ]),
      first,
    );
    expect(Object.keys(second[engine]?.lines ?? {})).toEqual(['1', '2', '3', '4', '17', '18', '19', '20']);
    expect(second['/gone.py']).toEqual(gone['/gone.py']);
  });

  it('resolves a relative path from the folder that the target works in', () => {
    const printed = relative(process.cwd(), engine);
    expect(readSources(process.pid, new Map([[printed, new Set([20])]]), {})[printed]?.lines[20]).toBe(
      'line 20',
    );
  });

  it('is bounded: 200 files, and no line without end', () => {
    const many = Array.from({ length: 201 }, (_, i) => join(folder, `m${i}.py`));
    for (const file of many) writeFileSync(file, 'x'.repeat(10_000));
    const sources = readSources(process.pid, new Map(many.map((file) => [file, new Set([1])])), {});
    expect(Object.keys(sources)).toHaveLength(200);
    expect(sources[many[0] ?? '']?.lines[1]).toHaveLength(500);
  });
});

describe('the files of the target', () => {
  const outside = emptyFolder();
  writeFileSync(join(outside, 'secret'), 'outside');
  const root = emptyFolder();
  mkdirSync(join(root, 'etc'));
  writeFileSync(join(root, 'etc/app.py'), 'inside');

  it('are found through links, but only inside the root of the target', () => {
    symlinkSync('/etc/app.py', join(root, 'absolute.py'));
    symlinkSync('../../../../../../../../etc/app.py', join(root, 'etc/climbing.py'));
    symlinkSync('/etc', join(root, 'folder'));
    symlinkSync('/etc/app.py', join(root, 'etc/absolute.py'));
    expect(readInside(root, '/absolute.py', MEGABYTE)).toBe('inside');
    expect(readInside(root, '/etc/climbing.py', MEGABYTE)).toBe('inside');
    expect(readInside(root, '/etc/absolute.py', MEGABYTE)).toBe('inside');
    expect(readInside(root, '/folder/app.py', MEGABYTE)).toBe('inside');
    expect(readInside(root, `/../..${outside}/secret`, MEGABYTE)).toBeUndefined();
    symlinkSync(join(outside, 'secret'), join(root, 'escape.py'));
    expect(readInside(root, '/escape.py', MEGABYTE)).toBeUndefined();
    expect(existsInside(root, '/etc/app.py')).toBe(true);
    expect(existsInside(root, '/etc')).toBe(false);
  });

  it('are regular files of bounded size: no pipe is waited for, no loop is followed for ever', () => {
    execFileSync('mkfifo', [join(root, 'pipe.py')]);
    symlinkSync('loop.py', join(root, 'loop.py'));
    expect(readInside(root, '/pipe.py', MEGABYTE)).toBeUndefined();
    expect(readInside(root, '/loop.py', MEGABYTE)).toBeUndefined();
    expect(readInside(root, '/etc/app.py', 5)).toBeUndefined();
    expect(readInside(root, '/etc/app.py', 6)).toBe('inside');
    expect(readInside(root, '', MEGABYTE)).toBeUndefined();
    expect(existsInside('/proc/self/root', '/dev/zero')).toBe(false);
  });
});

describe('the right to read', () => {
  const robot: ReadRights = { uid: 1000, gids: new Set([1000, 27]) };
  it.each([
    [{ uid: 1000, gid: 0, mode: 0o100400 }, true],
    [{ uid: 1000, gid: 27, mode: 0o100044 }, false],
    [{ uid: 0, gid: 27, mode: 0o100640 }, true],
    [{ uid: 0, gid: 27, mode: 0o100604 }, false],
    [{ uid: 0, gid: 0, mode: 0o100604 }, true],
    [{ uid: 0, gid: 0, mode: 0o100660 }, false],
  ])('of %o by owner, group and others is %s', (facts, expected) => {
    expect(mayRead(robot, facts)).toBe(expected);
    expect(mayRead({ uid: 0, gids: new Set() }, facts)).toBe(true);
  });

  it('leads through folders that may be searched', () => {
    expect(mayPass(robot, { uid: 0, gid: 0, mode: 0o40711 })).toBe(true);
    expect(mayPass(robot, { uid: 0, gid: 0, mode: 0o40744 })).toBe(false);
  });
});

const isRoot = process.getuid?.() === 0;

describeWhere(isRoot, 'needs root')('the text that root may read for others', (test) => {
  const NOBODY = 65_534;
  const TEAM = 4321;
  const folder = emptyFolder();
  chmodSync(folder, 0o755);
  const file = (name: string, mode: number, gid = 0): string => {
    const at = join(folder, name);
    mkdirSync(join(at, '..'), { recursive: true });
    writeFileSync(at, 'echo ready; read line\n');
    if (isRoot) chownSync(at, 0, gid);
    chmodSync(at, mode);
    return at;
  };
  const link = (name: string, to: string): string => {
    symlinkSync(to, join(folder, name));
    return join(folder, name);
  };
  const secret = file('secret', 0o600);
  const files = {
    open: file('open.py', 0o644),
    window: file('open.pyw', 0o644),
    team: file('team.py', 0o640, TEAM),
    closed: file('closed.py', 0o600),
    shut: file('shut/inner.py', 0o644),
    plain: file('plain', 0o644),
    script: file('script', 0o644),
    toClosed: link('to-closed.py', 'closed.py'),
    toSecret: link('to-secret.py', secret),
    toPlain: link('to-plain.py', 'plain'),
    toOpen: link('to-open.py', 'open.py'),
  };
  chmodSync(join(folder, 'shut'), 0o700);

  const keptOf = async (uid: number): Promise<readonly string[]> => {
    const child = spawn('sh', [files.script], { uid, gid: uid, stdio: ['pipe', 'pipe', 'inherit'] });
    try {
      await once(child.stdout, 'data');
      const hotFiles = new Map(Object.values(files).map((path) => [path, new Set([1])]));
      const kept = readSources(child.pid ?? 0, hotFiles, {});
      return Object.entries(files).flatMap(([name, path]) => (kept[path] === undefined ? [] : [name]));
    } finally {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
  };

  test('is kept where the target may read it itself, and is Python or the main script', async () => {
    expect(await keptOf(NOBODY)).toEqual(['open', 'window', 'script', 'toOpen']);
    expect(await keptOf(TEAM)).toEqual(['open', 'window', 'team', 'script', 'toOpen']);
  });

  test('is kept by the name of the file, not of the link, where the target is root', async () => {
    expect(await keptOf(0)).toEqual(['open', 'window', 'team', 'closed', 'shut', 'toClosed', 'toOpen']);
  });
});
