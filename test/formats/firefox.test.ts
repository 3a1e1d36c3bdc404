import { describe, expect, it } from 'vitest';
import { FORMATS, readProfile } from '../../src/formats/index.js';
import { ProfileBuilder, frameText, framesOf } from '../../src/model/index.js';
import type { Profile } from '../../src/model/index.js';
import { firefoxFaults, firefoxFile, firefoxSamples, firefoxText } from './firefox-file.js';
import { bytes, fixture } from './reading.js';
import { timedProfile, withStates } from './timed-profile.js';

const read = (text: string, path = 'x.raw') => readProfile([bytes(text)], { path });

/** Marks of stacks by the row of their innermost frame. */
const marksOf = (profile: Profile, bucketOf: (leaf: string) => 'physics' | 'python') => () =>
  Array.from({ length: profile.stacks.length }, (_, row) => {
    const leaf = profile.frames[profile.stacks.frame[row]!]!.name;
    return {
      bucket: bucketOf(leaf),
      ...(leaf === 'g' ? { kind: 'sensors' } : {}),
      frame: leaf === 'h' ? 1 : -1,
    };
  });

describe('the profile of Firefox', () => {
  it('begins as Perfetto tells a profile from a trace, and says what its times are', () => {
    const profile = timedProfile('samples', [['f', 1, 0]]);
    expect(firefoxText(profile).slice(0, 9)).toBe('{"meta":{');
    expect(firefoxFile(profile).meta).toMatchObject({
      preprocessedProfileVersion: 60,
      importedFrom: 'sim-profiler',
      product: 'r',
      startTime: 0,
      extra: [
        {
          label: 'sim-profiler',
          entries: [
            {
              label: 'Times',
              format: 'string',
              value: 'Every sample stands at its own time, until the next one of its thread.',
            },
          ],
        },
      ],
    });
  });

  it('names the process and its threads, the main one first, and opens the one that steps', () => {
    const builder = new ProfileBuilder('samples', { format: 'recording', path: 'r' });
    const stacks = ['f', 'step'].map((name) => builder.stack(-1, builder.frame({ name, kind: 'python' })));
    builder.sample(stacks[0]!, builder.thread({ tid: 9, name: 'Worker' }), 5);
    builder.sample(stacks[1]!, builder.thread({ tid: 10, name: 'Sim' }), 1);
    builder.sample(stacks[0]!, builder.thread({ tid: 8, name: 'python3' }), 1);
    const profile = builder.build();
    const file = firefoxFile(profile, {
      marks: marksOf(profile, (leaf) => (leaf === 'step' ? 'physics' : 'python')),
      process: { pid: 8, name: 'sim.py' },
      startMs: 1_700_000_000_000,
      rateHz: 250,
    });
    expect(
      file.threads.map(({ name, pid, tid, isMainThread, processName }) => [
        name,
        pid,
        tid,
        isMainThread,
        processName,
      ]),
    ).toEqual([
      ['Worker', '8', 9, false, 'sim.py'],
      ['Sim', '8', 10, false, 'sim.py'],
      ['python3', '8', 8, true, 'sim.py'],
    ]);
    expect(file.meta).toMatchObject({
      initialSelectedThreads: [1],
      startTime: 1_700_000_000_000,
      interval: 4,
    });
    expect(firefoxFaults(file)).toEqual([]);
  });

  it('keeps measured times to the nanosecond, and a gap has no stack', () => {
    const profile = timedProfile('nanoseconds', [
      ['run>f', 333, 1_000_001],
      ['run>g', 1_500_000, 1_000_334],
      ['', 5, 3_000_000],
    ]);
    const file = firefoxFile(profile);
    expect(firefoxFaults(file)).toEqual([]);
    expect(file.threads[0]!.samples.weightType).toBe('tracing-ms');
    expect(firefoxSamples(file, file.threads[0]!)).toEqual([
      { stack: 'run (a.py:3) > f (a.py:3)', category: undefined, time: 1.000001, weight: 0.000333 },
      { stack: 'run (a.py:3) > g (a.py:3)', category: undefined, time: 1.000334, weight: 1.5 },
      { stack: null, category: undefined, time: 2.500334, weight: 0 },
      { stack: '(no stack)', category: 'unclassified/lost', time: 3, weight: 0.000005 },
      { stack: null, category: undefined, time: 3.000005, weight: 0 },
    ]);
    expect(firefoxText(profile)).toContain('"weight":[0.000333,1.5,0,0.000005,0]');
  });

  it('has every call in the bucket of the stack that ends in it, whatever it goes on to', () => {
    const profile = timedProfile('samples', [
      ['run>f', 1, 0],
      ['run>g', 1, 100],
      ['run>f>h', 1, 200],
    ]);
    const file = firefoxFile(profile, {
      marks: marksOf(profile, (leaf) => (leaf === 'f' ? 'python' : 'physics')),
    });
    const samples = firefoxSamples(file, file.threads[0]!);
    expect(samples.map(({ stack, category }) => [stack, category])).toEqual([
      ['run (a.py:3) > f (a.py:3)', 'python'],
      ['run (a.py:3) > g (a.py:3)', 'physics/sensors'],
      ['run (a.py:3) > f (a.py:3) > h (a.py:3)', 'physics'],
      [null, undefined],
    ]);
    // One row for each call: run, f, g, h.
    expect(file.shared['frameTable']!['category']).toEqual([1, 8, 1, 1]);
    expect(file.shared['stackTable']!['prefix']).toEqual([null, 0, 0, 1]);
    expect(file.threads[0]!.samples.weight).toBeNull();
  });

  it('takes waiting for the GIL and for a CPU out of the bucket, and has a row of states', () => {
    const profile = withStates(
      timedProfile('samples', [
        ['run>f', 1, 0],
        ['run>f', 1, 1000],
        ['run>f', 1, 2000],
        ['run>f', 1, 3000],
        ['run>f', 1, 900_000],
      ]),
      [1, 3, 3, 2, 4],
    );
    const file = firefoxFile(profile, { marks: marksOf(profile, () => 'python') });
    expect(firefoxFaults(file)).toEqual([]);
    const own = 'run (a.py:3) > f (a.py:3)';
    expect(firefoxSamples(file, file.threads[0]!).map(({ stack, category }) => [stack, category])).toEqual([
      [own, 'python'],
      [`${own} > (waiting for the GIL)`, 'gil-wait'],
      [`${own} > (waiting for the GIL)`, 'gil-wait'],
      [`${own} > (waiting for a CPU)`, 'cpu-wait'],
      [null, undefined],
      [own, 'python'],
      [null, undefined],
    ]);
    const { markers } = file.threads[0]!;
    expect(
      markers.data.map(({ state, samples, color }, row) => [
        state,
        samples,
        color,
        markers.startTime[row],
        markers.endTime[row],
      ]),
    ).toEqual([
      ['running', 1, 'green', 0, 0.001],
      ['waiting for the GIL', 2, 'red', 0.001, 0.003],
      ['waiting for a CPU', 1, 'orange', 0.003, 0.004],
      ['asleep', 1, 'grey', 0.9, 0.901],
    ]);
    expect(markers.name.map((name) => file.shared.stringArray[name])).toEqual([
      'state',
      'state',
      'state',
      'state',
    ]);
  });

  it('is a flame graph without times, and says so', async () => {
    const profile = await read('a (x.py:1);b (x.py:2) 2\nc (x.py:9) 5\na (x.py:1);d (x.py:3) 3\n');
    const file = firefoxFile(profile);
    expect(firefoxSamples(file, file.threads[0]!)).toMatchObject([
      { stack: 'a (x.py:1) > d (x.py:3)', time: 0, weight: 3 },
      { stack: 'a (x.py:1) > b (x.py:2)', time: 3, weight: 2 },
      { stack: 'c (x.py:9)', time: 5, weight: 5 },
      { stack: null, time: 10, weight: 0 },
    ]);
    const { writeNotes } = FORMATS.find(({ id }) => id === 'firefox')!;
    expect(writeNotes!(profile).map(({ id }) => id)).toEqual(['no-sample-times']);
  });

  it('holds hostile names and deep stacks, whole', () => {
    const names = ['a\u0000b\u001B[31m', '\uD83D', '__proto__', 'constructor', '"],"x":['];
    const deep = Array.from({ length: 10_000 }, (_, at) => `f${at}`).join('>');
    const profile = timedProfile(
      'samples',
      [...names, deep].map((name, at) => [name, 1, at * 100] as const),
    );
    const file = firefoxFile(profile);
    expect(firefoxFaults(file)).toEqual([]);
    expect(file.shared.stringArray.slice(0, 6)).toEqual([
      'a␀b␛[31m',
      'a.py',
      '\uFFFD',
      '__proto__',
      'constructor',
      '"],"x":[',
    ]);
    expect(file.shared['stackTable']!.length).toBe(10_005);
  });

  it.each([
    'pyspy-raw/08-native-frames.txt',
    'pyspy-raw/05-process-frames.txt',
    'cpuprofile/ws-bridge.cpuprofile',
    'perf-script/structure-09-out-of-order-times.txt',
    'foreign-folded/01-tachyon-collapsed.txt',
    'v8-log/atomics-loop.json',
    '0x-ticks/pipes.json',
  ])('has every stack of its source with its weight: %s', async (name) => {
    const profile = await readProfile([fixture(name)], { path: name });
    const file = firefoxFile(profile);
    expect(firefoxFaults(file)).toEqual([]);
    const written = new Map<string, number>();
    const scale = profile.unit === 'nanoseconds' ? 1e6 : 1;
    for (const thread of file.threads) {
      for (const { stack, weight } of firefoxSamples(file, thread)) {
        const key = `${thread.tid} ${stack}`;
        if (stack !== null) written.set(key, (written.get(key) ?? 0) + Math.round(weight * scale));
      }
    }
    // Threads are numbered in the order of the profile, as far as they keep no id of their own.
    const tids = file.threads.map(({ tid }) => tid);
    const seen = [...new Set(profile.samples.thread)].sort((a, b) => a - b);
    const expected = new Map<string, number>();
    for (let row = 0; row < profile.samples.length; row += 1) {
      const frames = framesOf(profile, profile.samples.stack[row]!).map((index) => profile.frames[index]!);
      const texts = frames.map(({ name: called, kind, file: path, line, module }) =>
        path === undefined && module === undefined
          ? frameText({ name: called, kind: kind === 'kernel' ? kind : 'unknown' })
          : `${called} (${path ?? module}${line === undefined ? '' : `:${line}`})`,
      );
      const stack = frames.length === 0 ? '(no stack)' : texts.join(' > ');
      const key = `${tids[seen.indexOf(profile.samples.thread[row]!)]} ${stack}`;
      const weight = profile.samples.weight[row]!;
      if (weight > 0) expected.set(key, (expected.get(key) ?? 0) + weight);
    }
    expect([...written].sort()).toEqual([...expected].sort());
  });

  it('is told by the checks where it is wrong', () => {
    const file = firefoxFile(timedProfile('samples', [['f>g', 1, 0]]));
    const stackTable = { ...file.shared['stackTable']!, prefix: [null, 1] };
    const { categories } = file.meta;
    expect(firefoxFaults({ ...file, shared: Object.assign({}, file.shared, { stackTable }) })).toEqual([
      'stackTable.prefix[1] is 1',
    ]);
    expect(
      firefoxFaults({ ...file, meta: { ...file.meta, categories: [{ ...categories[0]!, color: 'pink' }] } }),
    ).toEqual(['category Other is pink', 'no grey category']);
  });
});
