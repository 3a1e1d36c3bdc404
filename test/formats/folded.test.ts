import { describe, expect, it } from 'vitest';
import { FORMATS, readProfile } from '../../src/formats/index.js';
import { foldedLines, framesOf, ProfileBuilder, totalWeight } from '../../src/model/index.js';
import type { Profile } from '../../src/model/index.js';
import { bytes, meaning } from './reading.js';

function read(text: string): Promise<Profile> {
  return readProfile([bytes(text)], { path: 'x.folded' });
}

const AUSTIN = [
  '# austin: 3.6.0',
  '# interval: 10000',
  '# mode: wall',
  '',
  'P42;T0:4711;/srv/app.py:<module>:90;/srv/app.py:step:41 10000',
  'P42;T0:4711;/srv/app.py:<module>:90;/srv/app.py:step:41;:GC: 20000',
  'P42;T0:4712;/usr/lib/threading.py:run:953 30000',
].join('\n');

const PERF = [
  'python3-41/4711;_start;main;entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k] 7',
  'python3-41/4712;clone3;[libc.so.6];[unknown];py::step:/srv/app.py;memcpy_[i] 3',
  'ros_bridge;start_thread;LazyCompile:*tick_[j] 2',
].join('\n');

describe('Austin', () => {
  it('is time, by process and thread, and its header is no stack', async () => {
    const profile = await read(AUSTIN);
    expect([profile.origin.format, profile.unit, totalWeight(profile)]).toEqual([
      'folded',
      'nanoseconds',
      60_000_000,
    ]);
    expect(profile.threads).toEqual([
      { pid: 42, tid: 4711 },
      { pid: 42, tid: 4712 },
    ]);
    expect(profile.frames).toEqual([
      { name: '<module>', kind: 'python', file: '/srv/app.py', line: 90 },
      { name: 'step', kind: 'python', file: '/srv/app.py', line: 41 },
      { name: ':GC:', kind: 'marker' },
      { name: 'run', kind: 'python', file: '/usr/lib/threading.py', line: 953 },
    ]);
  });
});

describe('perf', () => {
  it('has the thread first and marks kernel, jitted and inlined code', async () => {
    const profile = await read(PERF);
    expect(totalWeight(profile)).toBe(12);
    expect(profile.threads).toEqual([
      { name: 'python3', tid: 4711, pid: 41 },
      { name: 'python3', tid: 4712, pid: 41 },
      { name: 'ros_bridge' },
    ]);
    expect(profile.frames).toEqual([
      { name: '_start', kind: 'native' },
      { name: 'main', kind: 'native' },
      { name: 'entry_SYSCALL_64_after_hwframe', kind: 'kernel' },
      { name: 'do_syscall_64', kind: 'kernel' },
      { name: 'clone3', kind: 'native' },
      { name: '[libc.so.6]', kind: 'native', module: 'libc.so.6' },
      { name: '[unknown]', kind: 'unknown' },
      { name: 'step', kind: 'python', file: '/srv/app.py' },
      { name: 'memcpy', kind: 'native' },
      { name: 'start_thread', kind: 'native' },
      { name: 'LazyCompile:*tick', kind: 'js' },
    ]);
  });
});

describe('plain folded text', () => {
  it('takes no first name for a thread', async () => {
    const profile = await read('main;step;operator new 5\nmain;run 3\n');
    expect(profile.threads).toEqual([{}]);
    expect(framesOf(profile, profile.samples.stack[0]!).map((index) => profile.frames[index]!.name)).toEqual([
      'main',
      'step',
      'operator new',
    ]);
  });

  it('skips empty frames', async () => {
    expect([...foldedLines(await read('a;;b 3\n;a;b 4\n'))]).toEqual(['a;b 7']);
  });

  it('accepts a tab before the count and no line end after it', async () => {
    expect([...foldedLines(await read('a;b\t3\na;c 4'))]).toEqual(['a;c 4', 'a;b 3']);
  });
});

describe('a file that compares two recordings', () => {
  it('is refused', async () => {
    await expect(read('main;step;mj_step 120 180\nmain;step;pub 80 20\n')).rejects.toMatchObject({
      exitCode: 1,
      finding: { id: 'differential-file' },
    });
  });

  it('is not assumed for one line among others', async () => {
    const profile = await read('a;b 3\na;d 2 4\n');
    expect([totalWeight(profile), profile.lost.lines]).toEqual([3, 1]);
  });
});

const write = (profile: Profile): string =>
  [...FORMATS.find((format) => format.id === 'folded')!.write!(profile)].join('');

describe('writing', () => {
  it('puts the heaviest first and orders equals by text', async () => {
    const profile = await read('b;x 2\na;y 2\nc;z 9\n');
    expect(write(profile)).toBe('c;z 9\na;y 2\nb;x 2\n');
  });

  it('names the unit where counts are times, and reads it again', async () => {
    const profile = await read(AUSTIN);
    const text = write(profile);
    expect(text.split('\n', 2)).toEqual([
      '# unit: nanoseconds',
      'process 42:"";thread (4712);run (/usr/lib/threading.py:953) 30000000',
    ]);
    const again = await read(text);
    expect([again.unit, totalWeight(again)]).toEqual(['nanoseconds', 60_000_000]);
  });

  it('keeps kernel and native code apart', async () => {
    const profile = await read('a;main_[i];sys_read_[k] 3\n');
    expect(write(profile)).toBe('a;main (?);sys_read_[k] 3\n');
    expect(meaning(await read(write(profile)))).toEqual(meaning(profile));
  });

  const NASTY = [
    'two\nlines',
    'cr\rlf\r\n',
    'a;b',
    ';',
    'tab\tnul\0esc\u001b[31m',
    'Frame 12',
    '#private',
    '\ud800half',
  ];
  const KINDS = ['python', 'js', 'native', 'kernel', 'gpu', 'marker', 'unknown'] as const;
  it.each(KINDS)(
    'keeps a line a line and a frame a frame, whatever the names of %s code hold',
    async (kind) => {
      for (const place of [{}, { file: 'x;y\n.py', line: 3 }, { module: 'lib;x\n.so' }]) {
        for (const thread of [
          {},
          { tid: 7 },
          { tid: 7, name: 'a;b\nc 5' },
          { pid: 3, command: 'sh -c "x;\ny"' },
        ]) {
          const builder = new ProfileBuilder('samples', { format: 'speedscope' });
          const at = builder.thread(thread);
          for (const [index, name] of NASTY.entries()) {
            const root = builder.frame({ name, kind, ...place });
            const leaf = builder.frame({ name: `${name} 9`, kind, ...place });
            builder.sample(builder.stackOf([root, leaf]), at, 100 + index);
          }
          const profile = builder.build();
          const text = write(profile);
          // oxlint-disable-next-line no-control-regex -- there must be none
          expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]|\p{Surrogate}/u);
          const lines = text.trimEnd().split('\n');
          const roots = (thread.tid === undefined ? 0 : 1) + ('pid' in thread ? 1 : 0);
          expect(lines.map((line) => line.split(';').length)).toEqual(NASTY.map(() => 2 + roots));
          expect(lines.map((line) => /^[^#].*[^\d ] (\d+)$|_9 (\d+)$/.test(line))).toEqual(
            NASTY.map(() => true),
          );
          const again = await readProfile([bytes(text)], {}, { format: 'pyspy-raw' });
          expect(again.lost).toEqual({ samples: 0, lines: 0, examples: [] });
          expect([...again.samples.weight].sort()).toEqual(NASTY.map((_, index) => 100 + index));
        }
      }
    },
  );

  it('is the same for names that are no line themselves', () => {
    const builder = new ProfileBuilder('samples', { format: 'speedscope' });
    const frames = ['main\n', '#tick', 'Frame 12'].map((name) => builder.frame({ name, kind: 'unknown' }));
    builder.sample(builder.stackOf(frames), builder.thread({}), 3);
    builder.sample(builder.stackOf(frames.slice(1)), builder.thread({ tid: 1, name: 'a;b\tc' }), 2);
    builder.sample(builder.stackOf(frames.slice(1)), builder.thread({}), 1);
    expect(write(builder.build())).toBe(
      'main␊;#tick;Frame_12 3\nthread (1): a:b␉c;#tick;Frame_12 2\n＃tick;Frame_12 1\n',
    );
  });
});
