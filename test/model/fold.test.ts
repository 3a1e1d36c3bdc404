import { describe, expect, it } from 'vitest';
import {
  checkProfile,
  filterByThread,
  foldedLines,
  frameText,
  heaviestStacks,
  mergeProfiles,
  ProfileBuilder,
  ProfilerError,
  selfAndTotal,
  stackText,
  threadText,
  totalWeight,
} from '../../src/model/index.js';
import type { Profile, Thread, WeightUnit } from '../../src/model/index.js';

const ORIGIN = { format: 'test' };

/** `thread|frame;frame count` a line; frames are names without location. */
function draw(lines: readonly string[], unit: WeightUnit = 'samples'): Profile {
  const builder = new ProfileBuilder(unit, ORIGIN);
  for (const line of lines) {
    const [, name = '', stack = '', count] = /^(.*)\|(.*) (\d+)$/.exec(line)!;
    const frames =
      stack === ''
        ? []
        : stack.split(';').map((frame) => builder.frame({ name: frame, kind: 'native', module: 'x.so' }));
    builder.sample(
      builder.stackOf(frames),
      builder.thread(name === '' ? {} : { tid: Number(name) }),
      Number(count),
    );
  }
  return builder.build();
}

const short = (profile: Profile): string[] =>
  [...foldedLines(profile)].map((line) => line.replaceAll(' (x.so)', ''));

const mergedTimes = (...given: Parameters<typeof mergeProfiles>) => {
  const { timeNs } = mergeProfiles(...given).samples;
  return timeNs === undefined ? undefined : [...timeNs];
};

describe('heaviestStacks', () => {
  const lines = [
    '|a;z 10',
    '|a;y 10',
    '|a;x 10',
    '|a;w 5',
    '|a 10',
    '|b 10',
    '|ab;c 10',
    '1|a;x 10',
    '2|a;x 10',
    '1| 10',
    '| 10',
  ];
  const order = [
    '10',
    'a 10',
    'a;x 10',
    'a;y 10',
    'a;z 10',
    'ab;c 10',
    'b 10',
    'thread (1) 10',
    'thread (1);a;x 10',
    'thread (2);a;x 10',
    'a;w 5',
  ];

  it('orders by weight, then by text, whatever the order of the samples', () => {
    for (let turn = 0; turn < lines.length; turn += 1) {
      const turned = [...lines.slice(turn), ...lines.slice(0, turn)];
      for (const each of [turned, turned.toReversed()]) {
        expect(short(draw(each)).map((line) => line.trim())).toEqual(order);
      }
    }
  });

  it('gives the same first n as the whole order', () => {
    const profile = draw(lines.toReversed());
    const all = heaviestStacks(profile, Number.POSITIVE_INFINITY);
    for (let n = 0; n <= lines.length + 1; n += 1)
      expect(heaviestStacks(profile, n)).toEqual(all.slice(0, n));
  });

  it('gives the same first n for many stacks of few weights', () => {
    const many = Array.from(
      { length: 2000 },
      (_, at) => `${at % 3}|r;f${(at * 7919) % 2003};g${at % 11} ${1 + (at % 4)}`,
    );
    const profile = draw(many);
    const all = heaviestStacks(profile, 5000);
    expect(heaviestStacks(profile, 25)).toEqual(all.slice(0, 25));
    const texts = all
      .filter((row) => row.weight === 4)
      .map((row) => stackText(profile, row.stack, row.thread));
    expect(texts).toEqual(texts.toSorted());
  });

  it('orders as text does where one name begins with another', () => {
    const builder = new ProfileBuilder('samples', ORIGIN);
    for (const names of [['a', 'x'], ['a b', 'x'], ['a'], ['a;b'], ['a', 'b', 'c'], ['a;b', 'c']]) {
      const frames = names.map((name) => builder.frame({ name, kind: 'unknown' }));
      builder.sample(builder.stackOf(frames), builder.thread({}), 1);
    }
    const texts = [...foldedLines(builder.build())];
    expect(texts.map((text) => text.slice(0, -2))).toEqual(['a', 'a b;x', 'a;b', 'a;b;c', 'a;b;c', 'a;x']);
  });

  it('adds up rows that were kept apart', () => {
    const builder = new ProfileBuilder('samples', ORIGIN);
    const stack = builder.stackOf([builder.frame({ name: 'a', kind: 'unknown' })]);
    builder.sample(stack, builder.thread({}), 1, 0);
    builder.sample(stack, builder.thread({}), 1, 10);
    expect(heaviestStacks(builder.build(), 5)).toEqual([{ stack: 0, thread: 0, weight: 2 }]);
  });
});

describe('selfAndTotal', () => {
  it('counts a key once per sample, however it recurs', () => {
    const profile = draw([
      '|main;build;build;build 6',
      '|main;build 2',
      '|main;idle 2',
      '|main;build;idle;build 5',
      '1| 7',
    ]);
    expect(selfAndTotal(profile, (frame) => frame.name)).toEqual([
      { key: 'build', self: 13, total: 13 },
      { key: 'idle', self: 2, total: 7 },
      { key: 'main', self: 0, total: 15 },
    ]);
    expect(selfAndTotal(profile, () => 'all')).toEqual([{ key: 'all', self: 15, total: 15 }]);
  });

  it('leaves frames without a key out', () => {
    const profile = draw(['|main;step 3', '|main 1']);
    expect(selfAndTotal(profile, (frame) => (frame.name === 'main' ? 'm' : undefined))).toEqual([
      { key: 'm', self: 1, total: 4 },
    ]);
  });
});

describe('mergeProfiles', () => {
  it('adds weights and losses and shares the tables', () => {
    const [one, other] = [draw(['1|a;b 3', '2|a;c 1']), draw(['2|a;c 2', '1|a;b;d 4', '1| 5'])];
    const lossy = { ...other, lost: { samples: 3, lines: 2, examples: ['x', 'y'] } };
    const both = mergeProfiles([one, lossy, lossy], { format: 'recording' });
    expect(short(both)).toEqual([
      'thread (1) 10',
      'thread (1);a;b;d 8',
      'thread (2);a;c 5',
      'thread (1);a;b 3',
    ]);
    expect(both.lost).toEqual({ samples: 6, lines: 4, examples: ['x', 'y', 'x', 'y'] });
    expect([both.frames.length, both.threads.length, both.stacks.length, both.origin.format]).toEqual([
      4,
      2,
      4,
      'recording',
    ]);
    expect(checkProfile(both)).toEqual([]);
  });

  it('refuses samples and times in one sum', () => {
    const two = [draw(['|a 1']), draw(['|a 1'], 'nanoseconds')];
    const merge = () => mergeProfiles(two, ORIGIN);
    expect(merge).toThrow(ProfilerError);
    expect(merge).toThrow('One profile counts nanoseconds, the others count samples.');
  });

  it('keeps times where it is told when each profile began, and every one has them', () => {
    const at = (...times: readonly number[]) => {
      const builder = new ProfileBuilder('samples', ORIGIN);
      const stack = builder.stackOf([builder.frame({ name: 'a', kind: 'js' })]);
      for (const time of times) builder.sample(stack, builder.thread({ tid: 1 }), 1, time);
      return builder.build();
    };
    expect(mergedTimes([at(5, 9), at(), at(1)], ORIGIN, [0, 50, 100])).toEqual([5, 9, 101]);
    expect(mergedTimes([at(5, 9)], ORIGIN)).toEqual([5, 9]);
    expect(mergedTimes([at(5), at(1)], ORIGIN)).toBeUndefined();
    expect(mergedTimes([at(5), draw(['1|a 2'])], ORIGIN, [0, 100])).toBeUndefined();
  });

  it('of nothing is a profile of nothing', () => {
    expect(totalWeight(mergeProfiles([], ORIGIN))).toBe(0);
  });
});

describe('filterByThread', () => {
  it('keeps what the chosen threads need, and the losses of the source', () => {
    const profile = {
      ...draw(['1|a;b 3', '2|a;c 1', '1| 2', '3|z 9']),
      lost: { samples: 1, lines: 0, examples: [] },
    };
    const one = filterByThread(profile, (thread) => thread.tid === 1);
    expect(short(one)).toEqual(['thread (1);a;b 3', 'thread (1) 2']);
    expect([one.frames.map((frame) => frame.name), one.threads, one.lost.samples]).toEqual([
      ['a', 'b'],
      [{ tid: 1 }],
      1,
    ]);
    expect(checkProfile(one)).toEqual([]);
  });

  it('keeps times', () => {
    const builder = new ProfileBuilder('samples', ORIGIN);
    builder.sample(-1, builder.thread({ tid: 1 }), 1, 20);
    builder.sample(-1, builder.thread({ tid: 2 }), 1, 30);
    const { samples } = filterByThread(builder.build(), (_, index) => index === 1);
    expect([...(samples.timeNs ?? [])]).toEqual([30]);
  });
});

describe('spelling', () => {
  it.each([
    [{ name: 'f', kind: 'python', file: 'a.py', line: 3 }, 'f (a.py:3)'],
    [{ name: 'f', kind: 'python', file: 'a.py' }, 'f (a.py)'],
    [{ name: 'f', kind: 'python', file: 'roqsim' }, 'f (roqsim:0)'],
    [{ name: 'f', kind: 'native', module: 'x.so' }, 'f (x.so)'],
    [{ name: 'f', kind: 'native' }, 'f (?)'],
    [{ name: 'f', kind: 'kernel' }, 'f_[k]'],
    [{ name: '<GC>', kind: 'marker' }, '<GC>'],
    [{ name: 'f', kind: 'unknown' }, 'f'],
  ] as const)('%j', (frame, text) => {
    expect(frameText(frame)).toBe(text);
  });

  it.each<[Thread, string | undefined, string]>([
    [{}, 'f (a.py)', ''],
    [{ tid: 5 }, 'f (a.py)', 'thread (5)'],
    [{ tid: 5, name: 'm' }, 'f (a.py)', 'thread (5): m'],
    [{ name: 'dds.ev' }, 'f (a.py)', 'dds.ev'],
    [{ name: 'dds.ev' }, undefined, 'thread (?): dds.ev'],
    [{ name: 'dds.ev' }, '<GC>', 'thread (?): dds.ev'],
    [{ name: 'Thread-1 (spin)' }, 'f (a.py)', 'thread (?): Thread-1 (spin)'],
    [
      { pid: 4, command: 'x', name: 'm', parents: [{ pid: 3, command: 'sh' }] },
      'f (a.py)',
      'process 3:"sh";process 4:"x";thread (?): m',
    ],
  ])('%j above %s', (thread, next, text) => {
    expect(threadText(thread, next)).toBe(text);
  });
});
