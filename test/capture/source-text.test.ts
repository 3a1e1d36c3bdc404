import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hotLines, readSources } from '../../src/capture/source-text.js';
import { existsInside, readInside } from '../../src/capture/target-root.js';
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
