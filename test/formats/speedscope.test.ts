import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  FORMATS,
  type Sized,
  boundedStack,
  framesIn,
  heaviestThatFit,
  pooledByThread,
  readProfile,
  samplesByThread,
  stackDepths,
  weightOf,
} from '../../src/formats/index.js';
import { ProfileBuilder } from '../../src/model/index.js';
import type { Profile } from '../../src/model/index.js';
import { schemaFaults } from './json-schema.js';
import { bytes, fixture } from './reading.js';

const SCHEMA = JSON.parse(
  readFileSync(
    new URL('../../node_modules/speedscope/dist/release/file-format-schema.json', import.meta.url),
    'utf8',
  ),
);

function written(profile: Profile) {
  const { write } = FORMATS.find(({ id }) => id === 'speedscope')!;
  return JSON.parse([...write!(profile)].join(''));
}

const read = (text: string, path = 'x.raw') => readProfile([bytes(text)], { path });

describe('the speedscope file', () => {
  it('has a profile per thread, the one with the most samples first, and each frame once', async () => {
    const profile = await read(
      'thread (7): rare;run (a.py:1) 2\n' +
        'thread (8): MainThread;run (a.py:1);mj_step (libmujoco.so) 3\n' +
        'thread (8): MainThread;run (a.py:1) 5\n',
    );
    expect(written(profile)).toEqual({
      $schema: 'https://www.speedscope.app/file-format-schema.json',
      name: 'x.raw',
      exporter: 'sim-profiler',
      activeProfileIndex: 0,
      profiles: [
        {
          type: 'sampled',
          name: 'thread (8): MainThread',
          unit: 'none',
          startValue: 0,
          endValue: 8,
          samples: [[0], [0, 1]],
          weights: [5, 3],
        },
        {
          type: 'sampled',
          name: 'thread (7): rare',
          unit: 'none',
          startValue: 0,
          endValue: 2,
          samples: [[0]],
          weights: [2],
        },
      ],
      shared: {
        frames: [
          { name: 'run', file: 'a.py', line: 1 },
          { name: 'mj_step', file: 'libmujoco.so' },
        ],
      },
    });
  });

  it('keeps samples with times in their order, with gaps between, in seconds', () => {
    const builder = new ProfileBuilder('nanoseconds', { format: 'cpuprofile' });
    const main = builder.thread({ name: 'main' });
    const other = builder.thread({ name: 'other' });
    const [a, b] = ['a', 'b'].map((name) => builder.stack(-1, builder.frame({ name, kind: 'js' }))) as [
      number,
      number,
    ];
    builder.sample(b, main, 2e9, 7e9);
    builder.sample(a, main, 1e9, 3e9);
    builder.sample(b, main, 1e9, 4e9);
    builder.sample(a, other, 0.5e9, 1e9);
    const { profiles } = written(builder.build());
    expect(profiles).toMatchObject([
      { unit: 'seconds', samples: [[0], [1], [], [1]], weights: [1, 1, 2, 2], endValue: 6 },
      { unit: 'seconds', samples: [[0]], weights: [0.5], endValue: 0.5 },
    ]);
  });

  it('keeps counted samples with times in their order; a gap has no count', () => {
    const builder = new ProfileBuilder('samples', { format: 'perf-script' });
    const thread = builder.thread({});
    const [a, b] = ['a', 'b'].map((name) => builder.stack(-1, builder.frame({ name, kind: 'native' })));
    builder.sample(a!, thread, 1, 5e9);
    builder.sample(b!, thread, 1, 1e9);
    builder.sample(a!, thread, 1, 2e9);
    expect(written(builder.build()).profiles).toMatchObject([
      { name: 'thread 1', unit: 'none', samples: [[0], [1], [1]], weights: [1, 1, 1] },
    ]);
  });

  it('shows a sample without a stack, the kernel by its mark, and names as they are', async () => {
    const builder = new ProfileBuilder('samples', { format: 'folded' });
    const thread = builder.thread({ name: 't' });
    const kernel = builder.frame({ name: 'schedule', kind: 'kernel' });
    const evil = builder.frame({
      name: 'a;b "\u001B[31m</script>\u202E',
      kind: 'python',
      file: 'x y.py',
      line: 3,
    });
    builder.sample(-1, thread, 4);
    builder.sample(builder.stackOf([evil, kernel]), thread, 3);
    const file = written(builder.build());
    expect(file.profiles[0].samples).toEqual([[0], [1, 2]]);
    expect(file.shared.frames).toEqual([
      { name: '(no stack)' },
      { name: 'a;b "\u001B[31m</script>\u202E', file: 'x y.py', line: 3 },
      { name: 'schedule_[k]' },
    ]);
  });

  it.each([
    'pyspy-raw/08-native-frames.txt',
    'pyspy-raw/05-process-frames.txt',
    'cpuprofile/ws-bridge.cpuprofile',
    'perf-script/structure-09-out-of-order-times.txt',
    'foreign-folded/01-tachyon-collapsed.txt',
    'v8-log/atomics-loop.json',
    '0x-ticks/pipes.json',
  ])('is as its schema says, with the weight of its source: %s', async (name) => {
    const profile = await readProfile([fixture(name)], { path: name });
    const file = written(profile);
    expect(schemaFaults(SCHEMA, file)).toEqual([]);
    const scale = profile.unit === 'nanoseconds' ? 1e-9 : 1;
    const frames: number = file.shared.frames.length;
    let total = 0;
    for (const { samples, weights, endValue } of file.profiles) {
      expect(weights).toHaveLength(samples.length);
      expect(samples.flat().every((index: number) => index >= 0 && index < frames)).toBe(true);
      samples.forEach((stack: number[], at: number) => (total += stack.length > 0 ? weights[at] : 0));
      expect(endValue).toBeCloseTo(
        weights.reduce((sum: number, weight: number) => sum + weight, 0),
        6,
      );
    }
    const whole = profile.samples.weight.reduce((sum, weight) => sum + weight, 0) * scale;
    expect(total).toBeCloseTo(whole, 6);
  });

  it('is folded where the tool that wrote it did: a stack that looks like perf is 42 samples', async () => {
    const text = 'sim 12 34.500000: 1 cpu-clock:;main;step 30\nsim 12 34.510000: 1 cpu-clock:;main;pub 12\n';
    const { profiles } = written(await read(text, '05-folded-that-looks-like-perf.txt'));
    expect(profiles.map(({ endValue }: { endValue: number }) => endValue)).toEqual([42]);
  });

  it('is told by the check of the schema where it is wrong', () => {
    const fine = {
      $schema: 'https://www.speedscope.app/file-format-schema.json',
      shared: { frames: [] },
      profiles: [],
    };
    expect(schemaFaults(SCHEMA, fine)).toEqual([]);
    expect(schemaFaults(SCHEMA, { ...fine, shared: { frames: [{ file: 'x' }] } })).toEqual([
      '$.shared.frames[0] has no name',
    ]);
    expect(schemaFaults(SCHEMA, { ...fine, profiles: [{ type: 'sampled' }] })).toHaveLength(1);
    expect(schemaFaults(SCHEMA, { ...fine, extra: 1 })).toEqual(['$ has a extra']);
  });
});

function sized(profile: Profile, total = 1): Sized[] {
  return pooledByThread(profile).map((samples) => ({ samples, depths: stackDepths(profile.stacks), total }));
}

describe('what speedscope can open', () => {
  const LIMITS = { timedFrames: 10, pooledFrames: 10, depth: 4 };

  it('counts the frames of a stack as often as it is written', async () => {
    const profile = await read('thread (1): a;f (a.py:1);g (a.py:2) 5\nthread (1): a;f (a.py:1) 1\n');
    expect(framesIn(sized(profile), LIMITS)).toBe(3);
  });

  it('keeps the heaviest stacks of all threads together', async () => {
    const profile = await read(
      'thread (1): a;f (a.py:1);g (a.py:2) 50\nthread (1): a;f (a.py:1);h (a.py:3) 2\n' +
        'thread (2): b;f (a.py:1);g (a.py:2) 20\nthread (2): b;f (a.py:1);h (a.py:3) 3\n',
    );
    const threads = sized(profile, 75);
    expect(heaviestThatFit(threads, { ...LIMITS, pooledFrames: 8 })).toEqual([2, 2]);
    expect(heaviestThatFit(threads, { ...LIMITS, pooledFrames: 6 })).toEqual([1, 2]);
    expect(heaviestThatFit(threads, { ...LIMITS, pooledFrames: 3 })).toEqual([1, 0]);
    expect(heaviestThatFit(threads, { ...LIMITS, pooledFrames: 1 })).toEqual([0, 0]);
  });

  it('takes the middle out of a stack that is too deep', () => {
    expect(boundedStack([1, 2, 3, 4], LIMITS, () => -9)).toEqual([1, 2, 3, 4]);
    expect(boundedStack([1, 2, 3, 4, 5, 6], LIMITS, () => -9)).toEqual([1, 2, -9, 6]);
  });

  it('is less without times, and weighs the same', async () => {
    const profile = await readProfile([fixture('cpuprofile/ws-bridge.cpuprofile')], { path: 'x' });
    const [timed] = samplesByThread(profile);
    const [pooled] = pooledByThread(profile);
    expect([timed?.timed, pooled?.timed]).toEqual([true, false]);
    expect(pooled!.stack.length).toBeLessThan(timed!.stack.length);
    expect(weightOf(pooled!)).toBeCloseTo(weightOf(timed!), 0);
  });
});
