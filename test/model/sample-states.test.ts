import { describe, expect, it } from 'vitest';
import {
  NO_STATES,
  ProfileBuilder,
  SAMPLE_STATES,
  addStates,
  checkProfile,
  countedSamples,
  filterByThread,
  mergeProfiles,
  ofThread,
  samplesByMoment,
  statesWeight,
} from '../../src/model/index.js';
import type { Profile, Thread, WeightUnit } from '../../src/model/index.js';
import { attachSources } from '../../src/recording/attach-sources.js';
import { recording } from '../recording/example.js';

const RUNNING = SAMPLE_STATES.indexOf('running');
const GIL_WAIT = SAMPLE_STATES.indexOf('gil-wait');

/** Two threads over three looks; the second holds the GIL in the second look. Only `a` to `b` is verified. */
function stated(threads: readonly Thread[], unit: WeightUnit = 'samples', weight = 1): Profile {
  const builder = new ProfileBuilder(unit, { format: 'test' });
  const [one = -1, two = -1] = threads.map((thread) => builder.thread(thread));
  const [a, b, c] = ['a', 'b', 'c'].map((name) =>
    builder.frame({ name, kind: 'python', file: 'x.py', line: 1 }),
  );
  const ab = builder.stackOf([a!, b!]);
  const ac = builder.stackOf([a!, c!]);
  builder.verify(ab, true);
  builder.verify(ac, false);
  builder.sample(ab, one, weight, 10, RUNNING, one);
  builder.sample(ac, two, weight, 10, GIL_WAIT, one);
  builder.sample(ab, one, weight, 20, GIL_WAIT, two);
  builder.sample(-1, two, weight, 20, RUNNING, two);
  builder.sample(ab, one, weight, 30, RUNNING);
  builder.ticks({ taken: 3, due: 4 });
  return builder.build();
}

const THREADS = [{ tid: 1, name: 'main' }, { tid: 2 }];

function columns({ samples, stacks, ticks }: Profile): unknown {
  return {
    thread: [...samples.thread],
    state: samples.state && [...samples.state],
    holder: samples.holder && [...samples.holder],
    time: samples.timeNs && [...samples.timeNs],
    verified: stacks.verified && [...stacks.verified],
    ticks,
  };
}

describe('states of samples', () => {
  it('are columns of a profile, beside who held the GIL', () => {
    const profile = stated(THREADS);
    expect(checkProfile(profile)).toEqual([]);
    expect(columns(profile)).toEqual({
      thread: [0, 1, 0, 1, 0],
      state: [1, 3, 3, 1, 1],
      holder: [0, 0, 1, 1, -1],
      time: [10, 10, 20, 20, 30],
      verified: [0, 1, 0],
      ticks: { taken: 3, due: 4 },
    });
  });

  it('are for all samples or for none', () => {
    const builder = new ProfileBuilder('samples', { format: 'test' });
    const thread = builder.thread({});
    builder.sample(-1, thread, 1, 0, RUNNING, -1);
    expect(() => builder.sample(-1, thread, 1, 0)).toThrow(RangeError);
    const bare = new ProfileBuilder('samples', { format: 'test' });
    bare.sample(-1, thread, 1, 0);
    expect(() => bare.sample(-1, thread, 1, 0, RUNNING)).toThrow(RangeError);
  });

  it('keep many samples of one stack apart without times, too', () => {
    const builder = new ProfileBuilder('samples', { format: 'test' });
    const thread = builder.thread({});
    for (let at = 0; at < 600; at += 1) builder.sample(-1, thread, 1, undefined, at % 6, thread);
    const { samples } = builder.build();
    expect([samples.length, samples.state?.[599], samples.holder?.[599]]).toEqual([600, 5, 0]);
  });

  it('follow a thread that gets its name later', () => {
    const profile = stated([{ tid: 2 }, { tid: 2, name: 'late' }]);
    expect(profile.threads).toEqual([{ tid: 2, name: 'late' }]);
    expect([...profile.samples.holder!]).toEqual([0, 0, 0, 0, -1]);
    const builder = new ProfileBuilder('samples', { format: 'test' });
    builder.sample(-1, builder.thread({ tid: 3 }), 1);
    builder.nameThread(0, 'pose');
    expect(builder.build().threads).toEqual([{ tid: 3, name: 'pose' }]);
  });

  it('are merged with threads, edges and ticks', () => {
    const both = mergeProfiles(
      [stated(THREADS), stated([{ tid: 2 }, { tid: 1, name: 'main' }])],
      { format: 'recording' },
      [0, 100],
    );
    expect(checkProfile(both)).toEqual([]);
    expect(columns(both)).toEqual({
      thread: [0, 1, 0, 1, 0, 1, 0, 1, 0, 1],
      state: [1, 3, 3, 1, 1, 1, 3, 3, 1, 1],
      holder: [0, 0, 1, 1, -1, 1, 1, 0, 0, -1],
      time: [10, 10, 20, 20, 30, 110, 110, 120, 120, 130],
      verified: [0, 1, 0],
      ticks: { taken: 6, due: 8 },
    });
  });

  it('are dropped from a merge with samples that have none, whose edges count as verified', () => {
    const plain = new ProfileBuilder('samples', { format: 'pyspy-raw' });
    plain.sample(
      plain.stackOf([plain.frame({ name: 'z', kind: 'python' })]),
      plain.thread({ tid: 1, name: 'main' }),
      4,
    );
    const both = mergeProfiles([stated(THREADS), plain.build()], { format: 'recording' });
    expect(columns(both)).toMatchObject({
      state: undefined,
      holder: undefined,
      verified: [0, 1, 0, 1],
      ticks: undefined,
    });
    expect(checkProfile(both)).toEqual([]);
  });

  it('stay when threads are left out; a holder that is gone is unknown', () => {
    const main = filterByThread(stated(THREADS), ({ name }) => name === 'main');
    expect(columns(main)).toEqual({
      thread: [0, 0, 0],
      state: [1, 3, 1],
      holder: [0, -1, -1],
      time: [10, 20, 30],
      verified: [0, 1],
      ticks: { taken: 3, due: 4 },
    });
  });

  it('stay when time becomes samples, and when all is one thread', () => {
    const counted = countedSamples(stated(THREADS, 'nanoseconds', 1e6), 1000);
    expect(columns(counted)).toEqual(columns(stated(THREADS)));
    const alone = ofThread(stated(THREADS), { tid: 9 });
    expect([[...alone.samples.state!], [...alone.samples.holder!]]).toEqual([
      [1, 3, 3, 1, 1],
      [-1, -1, -1, -1, -1],
    ]);
  });

  it('stay when a recording names its sources', () => {
    expect(columns(attachSources(stated(THREADS), recording()))).toEqual(columns(stated(THREADS)));
  });
});

it('samples of one look are told by their time', () => {
  expect([...samplesByMoment(stated(THREADS))]).toEqual([
    [0, 2],
    [2, 4],
    [4, 5],
  ]);
  expect([...samplesByMoment(new ProfileBuilder('samples', { format: 'x' }).build())]).toEqual([]);
});

it('weights by state add up', () => {
  const one = { ...NO_STATES, running: 2, sleep: 1 };
  expect(addStates([one, one])).toEqual({ ...NO_STATES, running: 4, sleep: 2 });
  expect(statesWeight(addStates([one, one]))).toBe(6);
});

it.each<[string, Partial<Profile['samples']>, string]>([
  ['a state that there is not', { state: Uint8Array.of(1, 3, 6, 1, 1) }, 'sample 2 has state 6'],
  ['a missing holder', { holder: Int32Array.of(0, 2, 1, 1, -1) }, 'sample 1 has holder 2'],
  ['a short column', { holder: Int32Array.of(0) }, 'sample column holder has 1 rows, not 5'],
])('checkProfile finds %s', (_, change, sentence) => {
  const profile = stated(THREADS);
  expect(checkProfile({ ...profile, samples: { ...profile.samples, ...change } })).toContain(sentence);
});

it('checkProfile finds states without holders, and a short column of edges', () => {
  const profile = stated(THREADS);
  const { holder: _, ...samples } = profile.samples;
  expect(checkProfile({ ...profile, samples })).toEqual(['state and holder are not both there']);
  const stacks = { ...profile.stacks, verified: Uint8Array.of(1) };
  expect(checkProfile({ ...profile, stacks })).toEqual(['stack column verified has 1 rows, not 3']);
});
