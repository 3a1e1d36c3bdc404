import { describe, expect, it } from 'vitest';
import { FORMATS, chromeCalls, readProfile } from '../../src/formats/index.js';
import { ProfileBuilder, selfAndTotal } from '../../src/model/index.js';
import type { Profile } from '../../src/model/index.js';
import {
  type TraceEvent,
  chromeFaults,
  chromeFile,
  chromeText,
  chromeTotals,
  nanoseconds,
} from './chrome-file.js';
import { bytes, fixture } from './reading.js';
import { timedProfile, withStates } from './timed-profile.js';

const read = (text: string, path = 'x.raw') => readProfile([bytes(text)], { path });
const notes = (profile: Profile) => FORMATS.find(({ id }) => id === 'chrome')!.writeNotes!(profile);

/** Slices of a row, `name from-to` in nanoseconds, in the order in which they begin. */
function slices(profile: Profile, row: string, facts?: Parameters<typeof chromeFile>[1]): string[] {
  const { traceEvents } = chromeFile(profile, facts);
  const own = traceEvents.find(({ name, args }) => name === 'thread_name' && args?.['name'] === row);
  const open: number[] = [];
  const found: { text: string }[] = [];
  for (const { ph, tid, pid, ts = 0, name } of traceEvents) {
    if (own?.tid !== tid || own.pid !== pid || ph === 'M') continue;
    if (ph === 'B') open.push(found.push({ text: `${name} ${nanoseconds(ts)}` }) - 1);
    else found[open.pop()!]!.text += `-${nanoseconds(ts)}`;
  }
  return found.map(({ text }) => text);
}

describe('the trace of Chrome', () => {
  it('is one object of events: who, then each call with its begin and its end', async () => {
    const profile = await read(
      'thread (7): main;run (a.py:1);f (a.py:2) 2\nthread (7): main;run (a.py:1) 1\n',
    );
    expect(chromeFile(profile, { process: { pid: 5, name: 'python3 sim.py' } })).toEqual({
      traceEvents: [
        { ph: 'M', name: 'process_name', pid: 5, tid: 0, args: { name: 'python3 sim.py' } },
        { ph: 'M', name: 'thread_name', pid: 5, tid: 7, args: { name: 'main' } },
        { ph: 'M', name: 'thread_sort_index', pid: 5, tid: 7, args: { sort_index: 0 } },
        { ph: 'B', pid: 5, tid: 7, ts: 0, name: 'run', cat: 'python', args: { file: 'a.py', line: 1 } },
        { ph: 'B', pid: 5, tid: 7, ts: 1000, name: 'f', cat: 'python', args: { file: 'a.py', line: 2 } },
        { ph: 'E', pid: 5, tid: 7, ts: 3000, name: 'f' },
        { ph: 'E', pid: 5, tid: 7, ts: 3000, name: 'run' },
      ],
      displayTimeUnit: 'ms',
      otherData: {
        exporter: 'sim-profiler',
        source: 'x.raw',
        times:
          'The source has no times: equal stacks stand together, the heaviest first, and when something ran is not known.',
        unit: 'samples',
      },
    });
  });

  it('lets samples of one moment share the time that it stands for', () => {
    const profile = timedProfile('samples', [
      ['f', 1, 1000],
      ['g', 1, 1000],
      ['f', 1, 2000],
    ]);
    expect(slices(profile, 'main')).toEqual(['f 1000-1500', 'g 1500-2000', 'f 2000-3000']);
    const both = timedProfile('samples', [
      ['f', 1, 1000],
      ['g', 1, 1000],
    ]);
    expect(slices(both, 'main')).toEqual(['f 1000-501000', 'g 501000-1001000']);
  });

  it('ends what stood before a gap, also where there are few samples', () => {
    const profile = timedProfile('samples', [
      ['f', 1, 0],
      ['g', 1, 10_000],
      ['f', 1, 5_010_000],
    ]);
    expect(slices(profile, 'main')).toEqual(['f 0-10000', 'g 10000-20000', 'f 5010000-5020000']);
  });

  it('begins as Perfetto tells a trace from a profile of Firefox', () => {
    expect(chromeText(timedProfile('samples', [['f', 1, 0]])).slice(0, 17)).toBe('{"traceEvents":[\n');
  });

  it('keeps measured times to the nanosecond: equal neighbours are one slice, and a gap ends it', () => {
    const profile = timedProfile('nanoseconds', [
      ['run>f', 333, 1_000_001],
      ['run>f', 334, 1_000_334],
      ['run>g', 1, 1_000_668],
      ['run>g', 5, 1_000_700],
    ]);
    expect(slices(profile, 'main')).toEqual([
      'run 1000001-1000669',
      'f 1000001-1000668',
      'g 1000668-1000669',
      'run 1000700-1000705',
      'g 1000700-1000705',
    ]);
    expect(chromeText(profile)).toContain('"ts":1000.001,');
  });

  it('loses no time where measured samples overlap', () => {
    const profile = timedProfile('nanoseconds', [
      ['f', 10, 0],
      ['g', 10, 5],
    ]);
    expect(slices(profile, 'main')).toEqual(['f 0-10', 'g 10-20']);
  });

  it('lets a counted sample stand until the next one, and before a gap as long as is usual', () => {
    const profile = timedProfile('samples', [
      ['f', 1, 1000],
      ['g', 1, 1100],
      ['g', 1, 1200],
      ['f', 1, 90_000],
      ['', 1, 90_100],
    ]);
    expect(slices(profile, 'main')).toEqual([
      'f 1000-1100',
      'g 1100-1300',
      'f 90000-90100',
      '(no stack) 90100-90200',
    ]);
  });

  it('shows the bucket and the state of each moment in rows of their own, beside the thread', () => {
    const profile = withStates(
      timedProfile('samples', [
        ['run>f', 1, 0],
        ['run>f', 1, 100],
        ['run>g', 1, 200],
      ]),
      [1, 3, 3],
    );
    const marks = profile.frames.map((_, row) =>
      row === 1 ? { bucket: 'raycast' as const, kind: 'lidar' } : { bucket: 'python' as const },
    );
    const facts = { marks: () => marks, process: { pid: 5, name: 'sim' } };
    expect(slices(profile, 'main · buckets', facts)).toEqual(['raycast/lidar 0-200', 'python 200-300']);
    expect(slices(profile, 'main · state', facts)).toEqual(['running 0-100', 'waiting for the GIL 100-300']);
    const file = chromeFile(profile, facts);
    expect(chromeFaults(file)).toEqual([]);
    expect(
      file.traceEvents.flatMap(({ name, tid, args }) => (name === 'thread_sort_index' ? [[tid, args]] : [])),
    ).toEqual([
      [7, { sort_index: 0 }],
      [8, { sort_index: 1 }],
      [9, { sort_index: 2 }],
    ]);
  });

  it('ends a thread that is not seen at the next look at the others, where one look sees all', () => {
    const builder = new ProfileBuilder('samples', { format: 'cpython' });
    const [a, b] = ['a', 'b'].map((name, tid) => builder.thread({ tid: tid + 1, name })) as [number, number];
    const stack = builder.stack(-1, builder.frame({ name: 'f', kind: 'python' }));
    for (const time of [0, 100, 200, 300]) builder.sample(stack, a, 1, time);
    builder.sample(stack, b, 1, 0);
    builder.sample(stack, b, 1, 300);
    const profile = builder.build();
    expect(slices(profile, 'b')).toEqual(['f 0-600']);
    expect(slices(withStates(profile, [1, 1, 1, 1, 1, 1]), 'b')).toEqual(['f 0-100', 'f 300-400']);
  });

  it('keeps the ids of threads where they are small and their own, and gives others a free one', () => {
    const builder = new ProfileBuilder('samples', { format: 'pyspy-raw' });
    const stack = builder.stack(-1, builder.frame({ name: 'f', kind: 'python' }));
    const threads = [
      { tid: 12, name: 'a', pid: 1, command: 'x' },
      { tid: 12, name: 'b', pid: 2, command: 'y' },
      { tid: 140_451_150_558_912, name: 'c' },
      { name: 'd' },
    ];
    for (const thread of threads) builder.sample(stack, builder.thread(thread), 1);
    const file = chromeFile(builder.build());
    expect(
      file.traceEvents.flatMap(({ name, pid, tid, args }) =>
        name.endsWith('_name') ? [[name, pid, tid, args!['name']]] : [],
      ),
    ).toEqual([
      ['process_name', 1, 0, 'x'],
      ['process_name', 2, 0, 'y'],
      ['thread_name', 1, 12, 'a'],
      ['thread_name', 2, 13, 'b'],
      ['thread_name', 1, 14, 'c'],
      ['thread_name', 1, 15, 'd'],
    ]);
    expect(chromeFaults(file)).toEqual([]);
  });

  it('is a flame graph without times: equal callers together, the heaviest first', async () => {
    const profile = await read(
      'a (x.py:1);b (x.py:2) 2\nc (x.py:9) 5\na (x.py:1);d (x.py:3) 3\na (x.py:1) 1\n',
    );
    expect(slices(profile, 'thread 1')).toEqual([
      'a 0-6000000',
      'd 1000000-4000000',
      'b 4000000-6000000',
      'c 6000000-11000000',
    ]);
    expect(slices(profile, 'thread 1', { rateHz: 3 })[0]).toBe('a 0-2000000000');
    expect(notes(profile).map(({ id }) => id)).toEqual(['no-sample-times']);
    expect(notes(timedProfile('samples', [['f', 1, 0]]))).toEqual([]);
  });

  it('holds names that are no text, that steer, or that mean something to a program', () => {
    const names = [
      'a\u0000b\u001B[31m',
      '\uD83D',
      '__proto__',
      'constructor',
      '"},{"ph":"X',
      'Profile',
      '\u0085',
    ];
    const profile = timedProfile(
      'samples',
      names.map((name, at) => [name, 1, at * 100] as const),
    );
    const file = chromeFile(profile);
    expect(chromeFaults(file)).toEqual([]);
    expect(file.traceEvents.flatMap(({ ph, name }) => (ph === 'B' ? [name] : []))).toEqual([
      'a␀b␛[31m',
      '\uFFFD',
      '__proto__',
      'constructor',
      '"},{"ph":"X',
      'Profile',
      '\uFFFD',
    ]);
  });

  it('leaves out the middle of what is nested deeper than viewers draw, and says so', () => {
    const deep = Array.from({ length: 100_000 }, (_, at) => `f${at}`).join('>');
    const profile = timedProfile('samples', [[deep, 1, 0]]);
    const begun = chromeFile(profile).traceEvents.filter(({ ph }) => ph === 'B');
    expect(begun).toHaveLength(250);
    expect([begun[0]!.name, begun[125]!.name, begun[249]!.name]).toEqual([
      'f0',
      '(frames left out)',
      'f99999',
    ]);
    expect(notes(profile).map(({ id }) => id)).toEqual(['deep-stacks']);
  });

  it('is counted in calls before it is written, as far as that is asked', async () => {
    const profile = await readProfile([fixture('cpuprofile/ws-bridge.cpuprofile')], { path: 'x' });
    const begun = chromeFile(profile).traceEvents.filter(({ ph }) => ph === 'B').length;
    expect(chromeCalls(profile, 1e9)).toBe(begun);
    expect(chromeCalls(profile, 100)).toBeGreaterThan(100);
    expect(chromeCalls(profile, 100)).toBeLessThan(150);
  });

  it.each([
    'pyspy-raw/08-native-frames.txt',
    'pyspy-raw/05-process-frames.txt',
    'cpuprofile/ws-bridge.cpuprofile',
    'perf-script/structure-09-out-of-order-times.txt',
    'foreign-folded/01-tachyon-collapsed.txt',
    'v8-log/atomics-loop.json',
    '0x-ticks/pipes.json',
  ])('is as the format asks, and as long as its source: %s', async (name) => {
    const profile = await readProfile([fixture(name)], { path: name });
    const file = chromeFile(profile);
    expect(chromeFaults(file)).toEqual([]);
    if (profile.unit === 'samples' && profile.samples.timeNs !== undefined) return;
    const worth = profile.unit === 'nanoseconds' ? 1 : 1e6;
    const whole = profile.samples.weight.reduce((sum, weight) => sum + weight, 0) * worth;
    const rows = file.traceEvents.flatMap(({ name: kind, args }) =>
      kind === 'thread_name' ? [String(args!['name'])] : [],
    );
    const written = rows.reduce(
      (sum, row) => sum + [...chromeTotals(file, row).values()].reduce((own, { self }) => own + self, 0),
      0,
    );
    expect(written).toBe(whole);
  });

  it('gives every function the time that it has in the profile, to the nanosecond', async () => {
    const profile = await readProfile([fixture('cpuprofile/ws-bridge.cpuprofile')], { path: 'x' });
    const written = chromeTotals(chromeFile(profile), 'thread 1');
    const expected = selfAndTotal(profile, ({ name, file }) =>
      file === undefined ? name : `${name} ${file}`,
    );
    expect(Object.fromEntries(written)).toEqual(
      Object.fromEntries(expected.map(({ key, self, total }) => [key, { self, total }])),
    );
  });

  it('is told by the checks where it is wrong', () => {
    const file = chromeFile(timedProfile('samples', [['f>g', 1, 0]]));
    const [process, name, sort, first, second, end] = file.traceEvents as [
      TraceEvent,
      TraceEvent,
      TraceEvent,
      TraceEvent,
      TraceEvent,
      TraceEvent,
    ];
    const faultsOf = (...events: TraceEvent[]) => chromeFaults({ ...file, traceEvents: events });
    expect(faultsOf(process, name, sort, first, end)).toEqual(['event 4 ends g, which is not the innermost']);
    expect(faultsOf(name, { ...first, ts: 5 }, { ...second, ts: 4 })).toEqual([
      'event 2 is before the one before it',
      '1 7 is left open: f,g',
    ]);
    expect(faultsOf({ ...first, pid: 0, tid: -1, ph: 'X', name: '' })).toHaveLength(6);
  });
});
