import { describe, expect, it } from 'vitest';
import { checkProfile, framesOf, ProfileBuilder, totalWeight } from '../../src/model/index.js';
import type { Profile } from '../../src/model/index.js';

const ORIGIN = { format: 'test', path: 'x' };
const python = (name: string, line = 1) => ({ name, kind: 'python', file: 'a.py', line }) as const;

describe('ProfileBuilder', () => {
  it('keeps equal frames, stacks and threads once and sums equal samples', () => {
    const builder = new ProfileBuilder('samples', ORIGIN);
    const [main, step] = [builder.frame(python('main')), builder.frame(python('step'))];
    expect(builder.frame({ ...python('main') })).toBe(main);
    expect(builder.frame(python('main', 2))).toBe(2);
    expect(builder.thread({ tid: 5 })).toBe(builder.thread({ tid: 5 }));
    expect(builder.stackOf([main, step])).toBe(builder.stack(builder.stack(-1, main), step));
    builder.sample(1, 0, 3);
    builder.sample(1, 0, 4);
    builder.sample(-1, 0, 5);
    const profile = builder.build();
    expect([...profile.stacks.parent]).toEqual([-1, 0]);
    expect([...profile.stacks.frame]).toEqual([0, 1]);
    expect([...profile.samples.stack]).toEqual([1, -1]);
    expect([...profile.samples.weight]).toEqual([7, 5]);
    expect(profile.samples.timeNs).toBeUndefined();
    expect(profile.origin).toEqual(ORIGIN);
    expect([totalWeight(profile), framesOf(profile, 1), framesOf(profile, -1)]).toEqual([12, [0, 1], []]);
  });

  it('keeps samples with times apart, and refuses a mixture', () => {
    const builder = new ProfileBuilder('samples', ORIGIN);
    const thread = builder.thread({});
    for (let at = 0; at < 300; at += 1) builder.sample(-1, thread, 1, at * 10);
    expect(() => builder.sample(-1, thread, 1)).toThrow(RangeError);
    const { samples } = builder.build();
    expect([samples.length, samples.timeNs?.length, samples.timeNs?.[299]]).toEqual([300, 300, 2990]);
  });

  it('adds to a sample by its row', () => {
    const builder = new ProfileBuilder('samples', ORIGIN);
    builder.sample(-1, builder.thread({ name: 'a' }), 1);
    const row = builder.sample(-1, builder.thread({ name: 'b' }), 2);
    builder.sampleAgain(row, 5);
    expect([...builder.build().samples.weight]).toEqual([1, 7]);
  });

  it('finds every one of many children again', () => {
    const builder = new ProfileBuilder('samples', ORIGIN);
    const frames = Array.from({ length: 3000 }, (_, at) => builder.frame(python('f', at + 1)));
    const rows = frames.map((frame) => builder.stack(-1, frame));
    const below = frames.map((frame, at) => builder.stack(rows[at % 7]!, frame));
    expect(frames.map((frame) => builder.stack(-1, frame))).toEqual(rows);
    expect(frames.map((frame, at) => builder.stack(rows[at % 7]!, frame))).toEqual(below);
    expect(new Set([...rows, ...below]).size).toBe(6000);
    expect(checkProfile(builder.build())).toEqual([]);
  });

  it('joins a nameless thread with its named one, unless two have its id', () => {
    const builder = new ProfileBuilder('samples', ORIGIN);
    for (const thread of [
      { tid: 5 },
      { tid: 5, name: 'a' },
      { tid: 6, name: 'b' },
      { tid: 6 },
      { tid: 6, name: 'c' },
      { tid: 5, pid: 1 },
    ]) {
      builder.sample(-1, builder.thread(thread), 1);
    }
    const profile = builder.build();
    expect(profile.threads).toEqual([
      { tid: 5, name: 'a' },
      { tid: 6, name: 'b' },
      { tid: 6 },
      { tid: 6, name: 'c' },
      { tid: 5, pid: 1 },
    ]);
    expect([...profile.samples.thread]).toEqual([0, 0, 1, 2, 3, 4]);
  });

  it('counts every lost line and shows five, cut short', () => {
    const builder = new ProfileBuilder('samples', ORIGIN);
    for (let line = 1; line <= 7; line += 1) builder.lostLine(line, 'no count', 'x'.repeat(500));
    builder.lostSamples(14);
    const { lost } = builder.build();
    expect([lost.samples, lost.lines, lost.examples.length, lost.examples[4]?.length]).toEqual([
      14, 7, 5, 200,
    ]);
    expect(lost.examples[4]).toMatch(/^line 5: no count: x+$/);
  });

  it('freezes what it gives out', () => {
    const profile = new ProfileBuilder('samples', ORIGIN).build();
    expect(
      [
        profile,
        profile.frames,
        profile.stacks,
        profile.samples,
        profile.threads,
        profile.lost,
        profile.lost.examples,
      ].every((part) => Object.isFrozen(part)),
    ).toBe(true);
  });
});

describe('checkProfile', () => {
  const builder = new ProfileBuilder('samples', ORIGIN);
  builder.sample(
    builder.stackOf([builder.frame(python('a')), builder.frame(python('b'))]),
    builder.thread({}),
    2,
  );
  const good = builder.build();

  it('finds nothing wrong with a built profile', () => {
    expect(checkProfile(good)).toEqual([]);
  });

  it.each<[string, Partial<Profile>, string]>([
    [
      'an empty name',
      { frames: [{ name: '', kind: 'native' }, good.frames[1]!] },
      'frame 0 has an empty name',
    ],
    ['a line 0', { frames: [{ ...good.frames[0]!, line: 0 }, good.frames[1]!] }, 'frame 0 is at line 0'],
    ['equal frames', { frames: [good.frames[0]!, good.frames[0]!] }, 'frame 1 equals frame 0'],
    [
      'a parent after its child',
      { stacks: { ...good.stacks, parent: Int32Array.of(1, 0) } },
      'stack 0 has parent 1',
    ],
    ['a missing frame', { stacks: { ...good.stacks, frame: Int32Array.of(0, 2) } }, 'stack 1 has frame 2'],
    [
      'equal stacks',
      { stacks: { length: 2, parent: Int32Array.of(-1, -1), frame: Int32Array.of(0, 0) } },
      'stack 1 equals stack 0',
    ],
    [
      'a short column',
      { stacks: { ...good.stacks, frame: Int32Array.of(0) } },
      'stack columns have 2 and 1 rows, not 2',
    ],
    ['a missing stack', { samples: { ...good.samples, stack: Int32Array.of(2) } }, 'sample 0 has stack 2'],
    ['a missing thread', { samples: { ...good.samples, thread: Int32Array.of(1) } }, 'sample 0 has thread 1'],
    ['half a sample', { samples: { ...good.samples, weight: Float64Array.of(0.5) } }, 'sample 0 weighs 0.5'],
    [
      'a negative weight',
      { samples: { ...good.samples, weight: Float64Array.of(-1) } },
      'sample 0 weighs -1',
    ],
    [
      'a time before the window',
      { samples: { ...good.samples, timeNs: Float64Array.of(-5) } },
      'sample 0 is at -5 ns',
    ],
    [
      'a missing time',
      { samples: { ...good.samples, timeNs: Float64Array.of() } },
      'sample column timeNs has 0 rows, not 1',
    ],
    [
      'more examples than lines',
      { lost: { samples: 0, lines: 0, examples: ['x'] } },
      '0 lost lines with 1 examples',
    ],
    ['half a lost sample', { lost: { samples: 0.5, lines: 0, examples: [] } }, '0.5 lost samples'],
  ])('finds %s', (_, change, sentence) => {
    expect(checkProfile({ ...good, ...change })).toContain(sentence);
  });
});

it('takes a hundred thousand threads, and says in a sentence that there are more', () => {
  const builder = new ProfileBuilder('samples', { format: 'cpython', path: 'x.samples' });
  for (let tid = 0; tid < 100_000; tid += 1) builder.thread({ tid });
  expect(builder.thread({ tid: 7 })).toBe(7);
  expect(() => builder.thread({ tid: 100_000 })).toThrow(
    'x.samples names more than 100,000 threads, which is the most that is read.',
  );
});
