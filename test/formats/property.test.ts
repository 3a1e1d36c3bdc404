import { describe, expect, it } from 'vitest';
import { FORMATS, readProfile } from '../../src/formats/index.js';
import { checkProfile, ProfileBuilder, ProfilerError, totalWeight } from '../../src/model/index.js';
import type { Frame, Profile, Thread } from '../../src/model/index.js';
import { beyondHead, bytes, fixture, inChunks, meaning, spelled } from './reading.js';

/** Whole numbers from 0 to below a limit, the same for the same seed. */
function randomly(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * limit);
  };
}

async function readOrRefuse(data: Uint8Array, size: number, format?: string): Promise<Profile | undefined> {
  try {
    return await readProfile(inChunks(data, size), {}, format === undefined ? {} : { format });
  } catch (error) {
    expect(error).toBeInstanceOf(ProfilerError);
    return undefined;
  }
}

const SCRAPS = [
  'thread (',
  'process 1:"',
  '";',
  ';',
  ' (',
  ')',
  ':',
  ' 3',
  '\n',
  '\r\n',
  '#',
  ' ',
  'a',
  '<GC>',
  'x.py:1',
  ' (x.py:1)',
  'libc.so.6',
  '\0',
  'é',
  '\uFEFF',
  '_[k]',
  'tid:8',
  'P1;T0:2',
  '-1',
  '1e9',
  '99999999999999999999',
  'py-spy> ',
  'Samples: 1 Errors: 2',
  '\t',
  '"',
  '<shim>:1',
  '??',
  'sim 5 [001] 3.250000: 1 cpu-clock: ',
  'sim 5 cycles: ',
  '\n\t ffff main+0x1 (/a/b.so)\n',
  '\n\t 12 x (inlined)\n',
  'PERF_RECORD_LOST lost 3',
  '\n\n',
  '0x1',
  ':',
];

describe('garbage', () => {
  it('never crashes a reader, and a cut never changes what is read', async () => {
    for (let seed = 0; seed < 400; seed += 1) {
      const next = randomly(seed);
      const binary = seed % 4 === 0;
      const data = binary
        ? Uint8Array.from({ length: next(600) }, () => next(256))
        : bytes(Array.from({ length: next(120) }, () => SCRAPS[next(SCRAPS.length)]).join(''));
      for (const format of [undefined, 'pyspy-raw', 'folded', 'perf-script']) {
        const profile = await readOrRefuse(data, 65_536, format);
        if (profile !== undefined) expect(checkProfile(profile)).toEqual([]);
        if (seed % 25 > 1) continue;
        const long = beyondHead(data);
        const whole = await readOrRefuse(long, long.length, format);
        expect(await readOrRefuse(long, 1 + next(9), format)).toEqual(whole);
      }
    }
  });

  it('in a real file costs that file some lines, no more', async () => {
    const whole = fixture('classify/07-executor-overhead.txt');
    for (let seed = 0; seed < 200; seed += 1) {
      const next = randomly(seed);
      const data = whole.slice();
      for (let hits = 1 + next(4); hits > 0; hits -= 1) data[next(data.length)] = next(256);
      const profile = await readOrRefuse(data, 64, 'pyspy-raw');
      if (profile !== undefined) expect(checkProfile(profile)).toEqual([]);
    }
  });

  it('of a megabyte on one line does not take long', async () => {
    for (const scrap of [
      ' ',
      '(',
      ' (',
      ');',
      ';',
      ' 1',
      ':1) (',
      'process 1:"";',
      'thread (1): a;',
      '";',
      'a;b c;',
    ]) {
      const data = bytes(`f (a.py:1);${scrap.repeat(200_000 / scrap.length)} 3\nm (a.py:1) 4\n`);
      const profile = await readOrRefuse(data, 65_536, 'pyspy-raw');
      expect(profile === undefined ? [] : checkProfile(profile)).toEqual([]);
    }
  });
});

/** Threads and frames as readers make them: all that folded text can say. */
function randomProfile(seed: number): Profile {
  const next = randomly(seed);
  const pick = <T>(list: readonly T[]): T => list[next(list.length)]!;
  const builder = new ProfileBuilder('samples', { format: 'folded' });
  const frames: Frame[] = [
    ...['step', 'Engine.step', '<module>', 'кириллица', '<lambda>'].map((name): Frame => ({
      name,
      kind: 'python',
      file: pick(['a.py', 'pkg/b c.py', '<string>', 'cell; rm.py', 'x (1).py', 'two\nlines.py']),
      line: 1 + next(3),
    })),
    { name: 'nolineno', kind: 'python', file: 'a.py' },
    { name: 'script', kind: 'python', file: 'roqsim' },
    { name: 'std::function<void (int)>::operator()(int) const', kind: 'native', module: 'libx.so.2.6' },
    { name: '0x7f00', kind: 'native', module: '[vdso]' },
    { name: 'mj_step', kind: 'native', file: 'engine/engine.c', line: 12 },
    { name: 'memcpy', kind: 'native' },
    { name: 'do_syscall_64', kind: 'kernel' },
    { name: '<GC>', kind: 'marker' },
    { name: 'A doc.\n\nWith; text', kind: 'python', file: 'd.py', line: 4, corrupt: true },
  ];
  const threads: Thread[] = [
    {},
    { name: 'MainThread' },
    { name: 'my; thread (3)' },
    { tid: 5, name: 'Thread-1 (spin)' },
    { tid: 6, name: 'lidar;front 5' },
    { tid: 7 },
    { tid: 8, name: 'w', pid: 3, command: 'bash -c "a;b"; true' },
    { tid: 9, name: 'w', pid: 4, command: 'python3', parents: [{ pid: 3, command: 'sh' }] },
  ];
  // The first stack of a file shows its format; the rest is chance.
  builder.sample(
    builder.stackOf([builder.frame(frames[5]!)]),
    builder.thread({ tid: 5, name: 'Thread-1 (spin)' }),
    1,
  );
  for (let rows = 1 + next(30); rows > 0; rows -= 1) {
    // A name with line ends is recognised below another frame only: it has callers.
    const stack = Array.from({ length: next(6) }, (_, depth) =>
      builder.frame(
        depth === 0
          ? pick(frames.slice(0, -1))
          : pick(depth === 1 || next(2) === 0 ? frames.slice(0, 5) : frames),
      ),
    );
    builder.sample(builder.stackOf(stack), builder.thread(pick(threads)), 1 + next(1000));
  }
  return builder.build();
}

describe('a profile written as folded text', () => {
  it('is read again as it was, but for characters that no line can hold', async () => {
    const { write } = FORMATS.find((format) => format.id === 'folded')!;
    for (let seed = 0; seed < 300; seed += 1) {
      const profile = randomProfile(seed);
      expect(checkProfile(profile)).toEqual([]);
      const text = [...write!(profile)].join('');
      const again = await readProfile(inChunks(bytes(text), 61), {});
      expect(meaning(again), `seed ${seed}\n${text}`).toEqual(meaning(spelled(profile)));
      expect(again.lost).toEqual({ samples: 0, lines: 0, examples: [] });
      expect(totalWeight(again)).toBe(totalWeight(profile));
      expect([...write!(again)].join('')).toBe(text);
    }
  });
});
