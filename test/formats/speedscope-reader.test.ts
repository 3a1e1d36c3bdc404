import { describe, expect, it } from 'vitest';
import { FORMATS, readProfile } from '../../src/formats/index.js';
import { ProfilerError, checkProfile, foldedLines } from '../../src/model/index.js';
import type { Profile } from '../../src/model/index.js';
import { bytes, fixture, inChunks } from './reading.js';

const OWN_SCHEMA = 'https://www.speedscope.app/file-format-schema.json';

const read = (data: Uint8Array): Promise<Profile> => readProfile([data], { path: 'x.json' });

const fileOf = (profiles: readonly object[], more: object = {}): Uint8Array =>
  bytes(
    JSON.stringify({
      $schema: OWN_SCHEMA,
      shared: { frames: [{ name: 'loop', file: 'a.py', line: 3 }, { name: 'step' }, { name: 'wait' }] },
      profiles,
      ...more,
    }),
  );

const sampled = (samples: unknown, weights: unknown, unit = 'none'): object => ({
  type: 'sampled',
  name: 'main',
  unit,
  startValue: 0,
  endValue: 1,
  samples,
  weights,
});

async function refusal(data: Uint8Array): Promise<string> {
  const error: unknown = await read(data).catch((caught: unknown) => caught);
  if (error instanceof ProfilerError) return error.finding.id;
  throw new Error(`no ProfilerError: ${String(error)}`);
}

describe('a file of speedscope that py-spy wrote', () => {
  it('has one sample for each stack, threads with their ids, and samples without a frame', async () => {
    const profile = await readProfile(inChunks(fixture('pyspy-speedscope/01-empty-stack-sample.json'), 7), {
      path: 'x.json',
    });
    expect(profile.origin.format).toBe('speedscope');
    expect(profile.unit).toBe('samples');
    expect(profile.threads).toEqual([{ tid: 11, name: 'MainThread' }]);
    expect([...foldedLines(profile)].toSorted()).toEqual([
      'thread (11): MainThread 1',
      'thread (11): MainThread;<module> (bridge.py:90);publish (rclpy/publisher.py:70) 1',
      'thread (11): MainThread;<module> (bridge.py:90);step (bridge.py:41) 2',
    ]);
    expect(checkProfile(profile)).toEqual([]);
  });

  it('loses what has a negative weight, and says so', async () => {
    const profile = await read(fixture('pyspy-speedscope/06-weights-negative-and-nan-ish.json'));
    expect([...foldedLines(profile)]).toEqual(['t;<module> (bridge.py:90);step (bridge.py:41) 1']);
    expect(profile.lost).toEqual({
      samples: 0,
      lines: 1,
      examples: ['line 2: profile 1: weight is negative: {"stack":[0,2],"weight":-0.002}'],
    });
  });

  it.each(['02-no-profiles', '03-no-profiles-no-name'])(
    'without a profile has no samples: %s',
    async (name) => {
      expect(await refusal(fixture(`pyspy-speedscope/${name}.json`))).toBe('no-samples');
    },
  );

  it('names libraries as native code, and processes that it followed', async () => {
    const frames = [{ name: 'mj_step', file: '/lib/libmujoco.so.3.2.0', line: 0 }];
    const profile = await read(
      fileOf([{ ...sampled([[0]], [0.01], 'seconds'), name: 'Process 7 Thread 8 "a \\"b"' }], {
        exporter: 'py-spy@0.4.2',
        shared: { frames },
      }),
    );
    expect(profile.frames).toEqual([{ name: 'mj_step', kind: 'native', module: '/lib/libmujoco.so.3.2.0' }]);
    expect(profile.threads).toEqual([{ pid: 7, tid: 8, name: 'a \\"b' }]);
  });
});

describe('a file of speedscope of another program', () => {
  it('is in time where its weights are', async () => {
    const profile = await read(fileOf([sampled([[0], [0, 1], []], [1.5, 2, 0.5], 'milliseconds')]));
    expect(profile.unit).toBe('nanoseconds');
    expect([...foldedLines(profile)].toSorted()).toEqual([
      'main;loop (a.py:3) 1500000',
      'main;loop (a.py:3);step 2000000',
      'thread (?): main 500000',
    ]);
  });

  it('says what it cannot count', async () => {
    const profile = await read(
      fileOf([
        sampled([[0], [0, 9], [0], 'x', [0]], [2, 1, 1.5, 1]),
        { ...sampled([[0]], [1], 'seconds'), name: 'other' },
      ]),
    );
    expect([...foldedLines(profile)]).toEqual(['main;loop (a.py:3) 2']);
    expect(profile.lost).toEqual({
      samples: 0,
      lines: 5,
      examples: [
        'line 2: profile 1: frame that is not in the file: {"stack":[0,9],"weight":1}',
        'line 3: profile 1: weight is not a whole number: {"stack":[0],"weight":1.5}',
        'line 4: profile 1: stack that is no list of frames: {"stack":"x","weight":1}',
        'line 5: profile 1: weight that is no number: {"stack":[0]}',
        'line 2: profile 2 is not in none, as the first one is: seconds',
      ],
    });
  });

  it('with events counts what stood between them, and nothing where all had ended', async () => {
    const events = [
      { type: 'O', frame: 0, at: 1 },
      { type: 'O', frame: 1, at: 3 },
      { type: 'C', frame: 1, at: 7 },
      { type: 'C', frame: 0, at: 8 },
      { type: 'O', frame: 2, at: 20 },
      { type: 'C', frame: 2, at: 25 },
    ];
    const evented = { type: 'evented', name: 'main', unit: 'microseconds', events };
    const expected = [
      'main;loop (a.py:3) 3000',
      'main;loop (a.py:3);step 4000',
      'thread (?): main;wait 5000',
    ];
    expect([...foldedLines(await read(fileOf([evented])))].toSorted()).toEqual(expected);
    // Beside samples they are what the program measured of itself: the same time once more.
    const both = await read(fileOf([evented, sampled([[2]], [1])]));
    expect([...foldedLines(both)]).toEqual(['thread (?): main;wait 1']);
  });

  it.each([
    ['of bytes', fileOf([sampled([[0]], [1], 'bytes')]), 'no-time'],
    ['drawn by view', fileOf([sampled([[0]], [1])], { exporter: 'sim-profiler@0.1.0' }), 'drawn-for-viewer'],
    ['without frames', bytes(`{"$schema":"${OWN_SCHEMA}","profiles":[]}`), 'not-a-speedscope-file'],
    ['cut short', fileOf([sampled([[0]], [1])]).subarray(0, -2), 'bad-json'],
  ])('is refused where no share could be right: %s', async (_, data, id) => {
    expect(await refusal(data)).toBe(id);
  });
});

it('what export writes is read back', async () => {
  const lines =
    'thread (8): MainThread;run (a.py:1);mj_step (libmujoco.so) 3\nthread (8): MainThread;run (a.py:1) 5\n';
  const profile = await readProfile([bytes(lines)], { path: 'x.raw' });
  const text = [...FORMATS.find(({ id }) => id === 'speedscope')!.write!(profile)].join('');
  const again = await read(bytes(text));
  expect([...foldedLines(again)]).toEqual([...foldedLines(profile)]);
  expect(again.threads).toEqual([{ tid: 8, name: 'MainThread' }]);
});
