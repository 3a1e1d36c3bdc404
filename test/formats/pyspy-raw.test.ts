import { describe, expect, it } from 'vitest';
import { FORMATS, readProfile } from '../../src/formats/index.js';
import { foldedLines, framesOf, totalWeight } from '../../src/model/index.js';
import type { Profile } from '../../src/model/index.js';
import { beyondHead, bytes, inChunks } from './reading.js';

const OPTIONS = { format: 'pyspy-raw' };

function read(text: string | Uint8Array): Promise<Profile> {
  return readProfile([typeof text === 'string' ? bytes(text) : text], { path: 'x.raw' }, OPTIONS);
}

async function lines(text: string): Promise<string[]> {
  return [...foldedLines(await read(text))];
}

/** Samples without a usable stack, with their threads. */
function torn(profile: Profile): unknown[] {
  return [...profile.samples.stack.keys()]
    .filter((row) => profile.samples.stack[row] === -1)
    .map((row) => [profile.threads[profile.samples.thread[row]!], profile.samples.weight[row]]);
}

describe('threads of py-spy raw', () => {
  it.each([
    ['thread (12): MainThread;f (a.py:1) 3', { tid: 12, name: 'MainThread' }],
    ['thread (12);f (a.py:1) 3', { tid: 12 }],
    ['thread (0x7F03CA24524A): MainThread;f (a.py:1) 3', { tid: 0x7f03ca24524a, name: 'MainThread' }],
    ['thread (12): Thread-1 (spin);f (a.py:1) 3', { tid: 12, name: 'Thread-1 (spin)' }],
    ['thread (12): my;thread name 7;f (a.py:1) 3', { tid: 12, name: 'my;thread name 7' }],
    ['thread (12): lidar;front;f (cell; rm.py:1) 3', { tid: 12, name: 'lidar;front' }],
    ['My Thread;f (a.py:1) 3', { name: 'My Thread' }],
    ['process 7:"python3";thread (12): m;f (a.py:1) 3', { pid: 7, command: 'python3', tid: 12, name: 'm' }],
    ['process 7:"";f (a.py:1) 3', { pid: 7, command: '' }],
    ['process 7:"sh -c "a";b (x)";f (a.py:1) 3', { pid: 7, command: 'sh -c "a";b (x)' }],
  ])('%s', async (line, thread) => {
    const profile = await read(`${line}\n`);
    expect(profile.threads).toEqual([thread]);
    expect(profile.frames.map((frame) => frame.name)).toEqual(['f']);
    expect(totalWeight(profile)).toBe(3);
  });

  it('are the same whether or not the name could be read, in any order', async () => {
    const some = [
      'thread (5);f (a.py:1) 1',
      'thread (5): main;f (a.py:1) 2',
      'thread (5): main;g (a.py:2) 4',
    ];
    for (const order of [some, some.toReversed()]) {
      const profile = await read(`${order.join('\n')}\n`);
      expect(profile.threads).toEqual([{ tid: 5, name: 'main' }]);
      expect([...foldedLines(profile)]).toEqual([
        'thread (5): main;g (a.py:2) 4',
        'thread (5): main;f (a.py:1) 3',
      ]);
    }
  });

  it('keep a command line that spans lines', async () => {
    const profile = await read('process 7:"bash -c\nsource a; sleep 3\nexec python3";f (a.py:1) 3\n');
    expect(profile.threads).toEqual([{ pid: 7, command: 'bash -c\nsource a; sleep 3\nexec python3' }]);
    expect([totalWeight(profile), profile.lost.lines]).toEqual([3, 0]);
  });
});

describe('samples without a usable stack', () => {
  it('are an empty stack, a bare thread root, a process root', async () => {
    const profile = await read(
      ' 2\nthread (5): MainThread 12\nthread (6): lidar;front 5 4\nthread (7): worker 7 3\nprocess 9:"x" 1\nthread (5): MainThread;f (a.py:1) 8\n',
    );
    expect(torn(profile)).toEqual([
      [{}, 2],
      [{ tid: 5, name: 'MainThread' }, 12],
      [{ tid: 6, name: 'lidar;front 5' }, 4],
      [{ tid: 7, name: 'worker 7' }, 3],
      [{ pid: 9, command: 'x' }, 1],
    ]);
    expect([totalWeight(profile), profile.lost.lines]).toEqual([30, 0]);
  });

  it('are a plain name that is a thread elsewhere in the file, before or after', async () => {
    const profile = await read('MainThread 4\nMainThread;f (a.py:1) 3\nMainThread 1\nother 2\n');
    expect(torn(profile)).toEqual([[{ name: 'MainThread' }, 5]]);
    expect([...foldedLines(profile)]).toEqual([
      'thread (?): MainThread 5',
      'MainThread;f (a.py:1) 3',
      'other 2',
    ]);
  });

  it('are a stack of nothing but the trampoline', async () => {
    expect(torn(await read('thread (5): m;<interpreter trampoline> (<shim>:1) 4\n'))).toEqual([
      [{ tid: 5, name: 'm' }, 4],
    ]);
  });
});

describe('frames of py-spy raw', () => {
  it.each([
    ['step (roqsim:8)', { name: 'step', kind: 'python', file: 'roqsim', line: 8 }],
    ['leaf (a.py)', { name: 'leaf', kind: 'python', file: 'a.py' }],
    ['leaf (a.py:0)', { name: 'leaf', kind: 'python', file: 'a.py' }],
    ['f (my file (1).py:6)', { name: 'f', kind: 'python', file: 'my file (1).py', line: 6 }],
    ['f (a(b.py:6)', { name: 'f', kind: 'python', file: 'a(b.py', line: 6 }],
    ['f (/opt/ros/x y/a.py:6)', { name: 'f', kind: 'python', file: '/opt/ros/x y/a.py', line: 6 }],
    [
      'A.f.<locals>.<listcomp> (a.py:6)',
      { name: 'A.f.<locals>.<listcomp>', kind: 'python', file: 'a.py', line: 6 },
    ],
    ['0x7f03 (libc.so.6)', { name: '0x7f03', kind: 'native', module: 'libc.so.6' }],
    ['0x7f03 (?)', { name: '0x7f03', kind: 'native' }],
    ['0x7f03 ([vdso])', { name: '0x7f03', kind: 'native', module: '[vdso]' }],
    ['_PyEval (python3.11)', { name: '_PyEval', kind: 'native', module: 'python3.11' }],
    [
      'operator new(unsigned long) (libstdc++.so.6)',
      { name: 'operator new(unsigned long)', kind: 'native', module: 'libstdc++.so.6' },
    ],
    ['run (src/x.rs:12)', { name: 'run', kind: 'native', file: 'src/x.rs', line: 12 }],
    ['<GC>', { name: '<GC>', kind: 'marker' }],
    ['a docstring (a.py:6)', { name: 'a docstring', kind: 'python', file: 'a.py', line: 6, corrupt: true }],
  ])('%s', async (text, frame) => {
    const profile = await read(`thread (1): m;${text};leaf (z.py:1) 2\n`);
    expect(profile.frames[0]).toEqual(frame);
    expect(profile.frames).toHaveLength(2);
  });

  it('keep a torn frame without a name out of the thread name', async () => {
    const profile = await read('thread (2071): MainThread; (__loader__:-1573518640);get (queue.py:165) 1\n');
    expect(profile.threads).toEqual([{ tid: 2071, name: 'MainThread' }]);
    expect(profile.frames[0]).toEqual({
      name: '<unknown>',
      kind: 'python',
      file: '__loader__',
      corrupt: true,
    });
  });
});

describe('lines that break off', () => {
  it('are given up where a fresh stack begins, and the fresh one is kept', async () => {
    const profile = await read('m (a.py:1);spin (cut\nm (a.py:2);f (a.py:3) 4\nm (a.py:1);f (a.py:9) 5\n');
    expect([...foldedLines(profile)]).toEqual(['m (a.py:1);f (a.py:9) 5', 'm (a.py:2);f (a.py:3) 4']);
    expect(profile.lost).toEqual({
      samples: 0,
      lines: 1,
      examples: ['line 1: no count at the end: m (a.py:1);spin (cut'],
    });
  });

  it('are lost at the end of a file that was cut off', async () => {
    const profile = await read('m (a.py:1);f (a.py:3) 4\nm (a.py:1);f (a.');
    expect([totalWeight(profile), profile.lost.lines]).toEqual([4, 1]);
  });

  it('do not swallow the rest of the file', async () => {
    const junk = Array.from({ length: 200 }, (_, at) => `some words ${at}x`).join('\n');
    const rest = Array.from({ length: 30 }, (_, at) => `m (a.py:1);f (a.py:${at + 3}) 4\n`).join('');
    const profile = await read(`m (a.py:1);Broken name\n${junk}\n${rest}`);
    expect(await lines(rest)).toEqual([...foldedLines(profile)]);
    expect(profile.lost.lines).toBe(201);
    expect(profile.lost.examples).toHaveLength(5);
  });

  it('go on right below the thread', async () => {
    const profile = await read('thread (5): MainThread;Return the\ntrait (d.py:4);leaf (a.py:1) 4\n');
    expect(profile.threads).toEqual([{ tid: 5, name: 'MainThread' }]);
    expect(profile.frames.map((frame) => frame.name)).toEqual(['Return the\ntrait', 'leaf']);
  });

  it('go on past an inner line that ends in a number', async () => {
    expect(await lines('m (a.py:1);Waits for 3\nor more than 4\ntimes (b.py:2);f (a.py:3) 5\n')).toEqual([
      'm (a.py:1);Waits for 3\nor more than 4\ntimes (b.py:2);f (a.py:3) 5',
    ]);
  });
});

describe('what is not data', () => {
  it('is what py-spy says; the failed samples it admits are lost samples', async () => {
    const profile = await read(
      [
        'py-spy> Sampling process 100 times a second for 8 seconds. Press Control-C to exit.',
        '',
        'm (a.py:1) 3',
        "py-spy> Wrote raw flamegraph data to 'out/x.raw'. Samples: 3 Errors: 26649",
        'py-spy> You can use the flamegraph.pl script from https://github.com/brendangregg/flamegraph to generate a SVG',
        '[2026-11-29T14:02:11Z WARN  py_spy::sampler] Failed to get stack 3',
        'py-spy> 1.03s behind in sampling, results may be inaccurate. Try reducing the sampling rate 5',
        '',
      ].join('\n'),
    );
    expect([...foldedLines(profile)]).toEqual(['m (a.py:1) 3']);
    expect(profile.lost).toEqual({ samples: 26_649, lines: 0, examples: [] });
  });

  it('is a byte order mark, also in the middle of files put together', async () => {
    const profile = await read('\uFEFFm (a.py:1) 3\n\uFEFFm (a.py:1) 4\n');
    expect([...foldedLines(profile)]).toEqual(['m (a.py:1) 7']);
  });
});

describe('UTF-16 files', () => {
  it.each([
    ['little', true],
    ['big', false],
  ])('are read, %s endian', async (_, little) => {
    const text = '\uFEFFm (ノード.py:1);f (a.py:2) 3\r\n';
    const data = new Uint8Array(text.length * 2);
    const view = new DataView(data.buffer);
    for (let at = 0; at < text.length; at += 1) view.setUint16(at * 2, text.charCodeAt(at), little);
    const profile = await readProfile([data.subarray(0, 3), data.subarray(3)], {});
    expect(profile.origin).toEqual({ format: 'pyspy-raw' });
    expect([...foldedLines(profile)]).toEqual(['m (ノード.py:1);f (a.py:2) 3']);
  });
});

describe('sums', () => {
  it('refuse the count that would make them inexact', async () => {
    const profile = await read(`m (a.py:1) ${Number.MAX_SAFE_INTEGER - 2}\nm (a.py:1) 2\nm (a.py:1) 1\n`);
    expect(totalWeight(profile)).toBe(Number.MAX_SAFE_INTEGER);
    expect(profile.lost.examples).toEqual(['line 3: sum of the counts is no longer exact: m (a.py:1) 1']);
  });

  it('take a count of 0 for a line without samples', async () => {
    const profile = await read('m (a.py:1) 0\nm (a.py:2) 1\n');
    expect([profile.samples.length, profile.lost.lines]).toEqual([1, 0]);
  });
});

it.each([1, 7, 65_536])('leaves a line untouched by the line before, in chunks of %i bytes', async (size) => {
  // Shared beginnings are not parsed twice: a shorter line, a longer one, an equal one, one that parts inside a frame.
  const text = [
    'a (a.py:1);b (a.py:2);c (a.py:3) 1',
    'a (a.py:1);b (a.py:2) 2',
    'a (a.py:1);b (a.py:2) 4',
    'a (a.py:1);b (a.py:25) 8',
    'a (a.py:1) 16',
    'a (a.py:1);b (a.py:2);c (a.py:3) 32',
  ];
  const profile = await readProfile(inChunks(beyondHead(bytes(text.join('\n'))), size), {}, OPTIONS);
  expect([...foldedLines(profile)]).toEqual([
    'a (a.py:1);b (a.py:2);c (a.py:3) 66',
    'a (a.py:1) 32',
    'a (a.py:1);b (a.py:25) 16',
    'a (a.py:1);b (a.py:2) 12',
  ]);
  expect(framesOf(profile, 0)).toEqual([0]);
});

it('refuses a line beyond a mebibyte without keeping it', async () => {
  const profile = await read(`${'x'.repeat((1 << 20) + 5)} 3\nm (a.py:1) 4\n`);
  expect([totalWeight(profile), profile.lost.lines]).toEqual([4, 1]);
  expect(profile.lost.examples[0]).toMatch(/^line 1: longer than 1048576 bytes: x{100}/);
});

it('has no format of the same id twice', () => {
  expect(new Set(FORMATS.map((format) => format.id)).size).toBe(FORMATS.length);
});
