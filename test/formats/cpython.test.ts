import { describe, expect, it } from 'vitest';
import { readSamples } from '../../src/formats/cpython-file.js';
import { CpythonThreads } from '../../src/formats/cpython-threads.js';
import { NumberCursor } from '../../src/formats/number-cursor.js';
import { FORMATS, readProfile } from '../../src/formats/index.js';
import {
  ProfileBuilder,
  ProfilerError,
  SAMPLE_STATES,
  checkProfile,
  framesOf,
} from '../../src/model/index.js';
import type { Profile } from '../../src/model/index.js';
import { SamplesFile } from '../samples-file.js';
import { generator } from '../stats/fixtures.js';
import { bytes, fixture, inChunks } from './reading.js';

const HEAD = 'sim-profiler cpython samples 1\nh {"startNs":"5"}\n';
const STEP = 'd 0 {"tid":7}\nc 0 1 ["step","/a.py"]\nf 0 -1 0 3\n';

function read(text: string): Promise<Profile> {
  return readProfile([bytes(text)], {}, { format: 'cpython', allowEmpty: true });
}

/** `time thread state stack holder` of every sample. */
function rows({ samples, stacks, frames, threads }: Profile): string[] {
  const threadText = (index: number): string =>
    index < 0 ? '-' : `${threads[index]?.name ?? threads[index]?.tid}`;
  return Array.from({ length: samples.length }, (_, row) => {
    const stack = framesOf({ stacks }, samples.stack[row]!)
      .map((at) => `${frames[at]!.name}${frames[at]!.line === undefined ? '' : `:${frames[at]!.line}`}`)
      .join(';');
    return [
      samples.timeNs?.[row],
      threadText(samples.thread[row]!),
      SAMPLE_STATES[samples.state?.[row] ?? -1],
      stack,
      threadText(samples.holder?.[row] ?? -1),
    ].join(' ');
  });
}

const WHOLE = [
  '2012345 MainThread running <module>:91;Engine.step:278 MainThread',
  '2012345 lidar gil-wait Lidar.spin:7 MainThread',
  '3912345 MainThread running <module>:91;Engine.step:278 MainThread',
  '3912345 lidar gil-wait Lidar.spin:7 MainThread',
  '6012345 MainThread sleep <module>:91;Pacer.wait:31 lidar',
  '6012345 lidar running Lidar.spin:7 lidar',
  '8002345 MainThread sleep <module>:91;Pacer.wait:31 -',
  '8002345 lidar running Lidar.spin:7 -',
  '10002345 MainThread cpu-wait <module>:91;Pacer.wait:31 -',
  '10002345 lidar running Lidar.spin:7 -',
  '12002345 MainThread running  -',
];

describe('a file of samples', () => {
  it('gives every thread at every look, with state, stack, time and who held the GIL', async () => {
    const profile = await readProfile([fixture('cpython/01-two-threads.samples')], { path: 'x' });
    expect(profile.origin).toEqual({ format: 'cpython', path: 'x' });
    expect(rows(profile)).toEqual(WHOLE);
    expect(profile.threads).toEqual([
      { tid: 4711, nsTid: 27, name: 'MainThread' },
      { tid: 4712, name: 'lidar' },
    ]);
    expect(profile.frames).toContainEqual({
      name: 'Engine.step',
      kind: 'python',
      file: '/app/roqsim/engine.py',
      line: 278,
    });
    // In the order of rows: <module>, Engine.step, Lidar.spin, Pacer.wait.
    expect([...profile.stacks.verified!]).toEqual([1, 1, 0, 1]);
    expect(profile.ticks).toEqual({ taken: 6, due: 6 });
    expect(profile.lost).toEqual({ samples: 0, lines: 0, examples: [] });
    expect(checkProfile(profile)).toEqual([]);
  });

  it('is the same in pieces of any size', async () => {
    const whole = fixture('cpython/01-two-threads.samples');
    for (const size of [1, 7, 64]) {
      expect(rows(await readProfile(inChunks(whole, size), {}, { format: 'cpython' }))).toEqual(WHOLE);
    }
  });

  it('is readable when it was cut off at any byte, and says so', async () => {
    const whole = fixture('cpython/01-two-threads.samples');
    const firstTick = new TextDecoder().decode(whole).indexOf('t 2012345');
    for (let length = firstTick; length < whole.length; length += 1) {
      const profile = await readProfile(
        [whole.subarray(0, length)],
        {},
        { format: 'cpython', allowEmpty: true },
      );
      const found = rows(profile).map((row) => row.replace('4712', 'lidar'));
      const holders = found.map((row, at) => (row.endsWith(' 4712') ? WHOLE[at] : row));
      expect(holders).toEqual(WHOLE.slice(0, found.length));
      const atLineEnd = whole[length - 1] === 10;
      // Only an object that is whole needs no line end.
      const isWhole = whole[length] === 10 && !/[tf]/.test(lastLine(whole, length)[0]!);
      expect([length, profile.lost.lines]).toEqual([length, atLineEnd || isWhole ? 0 : 1]);
    }
  });

  it('of any thread, file and function name is read as it stands', async () => {
    const profile = await readProfile([fixture('cpython/02-task-and-special-names.samples')], {});
    expect(profile.threads).toEqual([{ tid: 9, name: '__proto__' }]);
    expect(profile.frames).toEqual([
      { name: '__proto__', kind: 'python', file: 'constructor' },
      { name: 'a;b\n', kind: 'python', file: '/app/cell; rm.py', line: 3 },
      { name: 'Task-3', kind: 'marker' },
      { name: 'Bridge.run.<locals>.pump', kind: 'python', file: '/app/ノード.py', line: 44 },
    ]);
    expect(rows(profile)[0]).toBe(
      '1 __proto__ running __proto__;a;b\n:3;Task-3;Bridge.run.<locals>.pump:44 __proto__',
    );
    expect([...profile.stacks.verified!]).toEqual([1, 1, 1, 1]);
  });

  it('behind another one is read with it, times going on', async () => {
    const one = `${HEAD}${STEP}t 10 0 0R0\ne {"ticks":1,"dueTicks":2}\n`;
    const two = `${HEAD.replace('"5"', '"105"')}${STEP.replace('step', 'walk')}t 10 - 0S0\ne {"ticks":1,"dueTicks":1}\n`;
    const profile = await read(one + two);
    expect(rows(profile)).toEqual(['10 7 running step:3 7', '110 7 sleep walk:3 -']);
    expect(profile.ticks).toEqual({ taken: 2, due: 3 });
    expect((await read(one + two.replace(/e .*\n/, ''))).ticks).toBeUndefined();
  });

  it('behind one that began later goes on in time all the same', async () => {
    const one = `${HEAD.replace('"5"', '"500"')}${STEP}t 10 0 0R0\n`;
    const two = `${HEAD}${STEP}t 10 - 0S0\n`;
    expect((await read(one + two)).samples.timeNs).toEqual(Float64Array.of(10, 20));
  });

  it('is known by its first line alone', () => {
    const head = fixture('cpython/01-two-threads.samples');
    expect(FORMATS.filter((format) => format.sniff(head) !== 'no').map(({ id }) => id)).toEqual(['cpython']);
  });

  it('without a tick says how to record one', async () => {
    const cut = `${HEAD}${STEP}t 10 0 0R`;
    await expect(readProfile([bytes(cut)], { path: 'x.samples' })).rejects.toMatchObject({
      finding: {
        id: 'no-samples',
        why: 'The first: line 6: cut off: t 10 0 0R',
        fix: expect.stringContaining('profiler attach --pid PID --backend cpython'),
      },
    });
  });

  it('of a later version is refused', async () => {
    await expect(read('sim-profiler cpython samples 2\n')).rejects.toMatchObject({
      finding: { id: 'samples-too-new', what: expect.stringContaining('version 2') },
    });
  });
});

function lastLine(whole: Uint8Array, length: number): string {
  return new TextDecoder().decode(whole.subarray(0, length)).split('\n').at(-1) ?? '';
}

describe('a damaged file', () => {
  it.each([
    ['a number that is given twice', 'f 0 -1 0 9', 'frame of a number that was given before'],
    ['a caller that comes later', 'f 5 6 0 9', 'frame of an unknown caller'],
    ['a frame that calls itself', 'f 5 5 0 9', 'frame of an unknown caller'],
    ['a caller that is none', 'f 5 -2 0 9', 'frame without a caller'],
    ['half a frame', 'f 5 0', 'frame without a caller'],
    ['half a line', 'f 5 0 0 1.5', 'frame with more than it has'],
    ['a label that is no text', 'f 5 0 0 1 "x', 'frame with a label that is no text'],
    ['code that was given before', 'c 0 1 ["a","b"]', 'code of a number that was given before'],
    ['code that is no list', 'c 9 1 {"a":1}', 'code without name and file'],
    ['code with a number for a name', 'c 9 1 [1,"b"]', 'code without name and file'],
    ['a thread without an id', 'd 1 {"name":"x"}', 'thread without an id'],
    ['a thread that is not a number', 'd 1 {"tid":NaN}', 'thread without an id'],
    ['a thread beyond all numbers', 'd 1 {"tid":1e999}', 'thread without an id'],
    ['a negative time', 't -5 0 0R0', 'tick without a time'],
    [
      'a time beyond all numbers',
      `t ${'9'.repeat(17)} 0 0R0`,
      'tick later than 104 days after the beginning',
    ],
    ['a tick that ends early', 't 5', 'tick without a time'],
    ['a state that there is not', 't 5 0 0Q0', 'tick with a damaged thread'],
    ['a stack that is no number', 't 5 0 0Rx', 'tick with a damaged thread'],
    ['more behind a stack', 't 5 0 0R0vv', 'tick with a damaged thread'],
    ['a holder that is no number', 't 5 x 0R0', 'tick without a holder of the GIL'],
    ['a header that is none', 'h [1]', 'header is no JSON object'],
    ['an end that is none', 'e {', 'end is no JSON object'],
    ['any other line', 'hello there', 'no record of this format'],
    ['another first word', 'sim-profiler', 'no record of this format'],
  ])('counts %s with the reason', async (_, line, reason) => {
    const profile = await read(`${HEAD}${STEP}t 10 0 0R0\n${line}\nt 10 0 0R0\n`);
    expect(profile.lost.examples).toEqual([`line 7: ${reason}: ${line}`]);
    expect(profile.samples.length).toBe(2);
    expect(checkProfile(profile)).toEqual([]);
  });

  it('says nothing of threads until they are named again after a tick that cannot be read', async () => {
    const profile = await read(
      `${HEAD}${STEP}d 1 {"tid":8}\nt 10 0 0R0 1S0\nt 10 0 0R0 1?\nt 10 0 0R0\nt 10 0 0R0 1B0\n`,
    );
    expect(rows(profile)).toEqual([
      '10 7 running step:3 7',
      '10 8 sleep step:3 7',
      '30 7 running step:3 7',
      '30 8 unknown  7',
      '40 7 running step:3 7',
      '40 8 blocked step:3 7',
    ]);
    expect(profile.lost.lines).toBe(1);
  });

  it('keeps the state of a sample whose stack was in a damaged line', async () => {
    const profile = await read(`${HEAD}${STEP}f 1 0 0 x\nt 10 - 0S1\n`);
    expect(rows(profile)).toEqual(['10 7 sleep  -']);
    expect(profile.lost.lines).toBe(1);
  });

  it('shows code of a damaged line as unknown', async () => {
    const profile = await read(`${HEAD}${STEP}c 1 1 [\nf 1 0 1 4\nt 10 - 0R1\n`);
    expect(rows(profile)).toEqual(['10 7 running step:3;?:4 -']);
  });

  it('counts the samples of a thread that is not described', async () => {
    const profile = await read(`${HEAD}${STEP}t 10 900719925474099 0R0 900719925474099R0\nt 10 - 0R0\n`);
    expect(rows(profile)).toEqual(['10 7 running step:3 -', '20 7 running step:3 -']);
    expect(profile.lost).toEqual({ samples: 2, lines: 0, examples: [] });
  });
});

it('threads come and go', async () => {
  const profile = await read(
    `${HEAD}${STEP}d 1 {"tid":8}\nt 10 - 0R0 1R0\nt 10 - 0R0 1x\nt 10 - 0R0\nt 10 - 0Sn 1S0\nt 10 -\n`,
  );
  expect(rows(profile)).toEqual([
    '10 7 running step:3 -',
    '10 8 running step:3 -',
    '20 7 running step:3 -',
    '30 7 running step:3 -',
    '40 8 sleep step:3 -',
    '50 8 sleep step:3 -',
  ]);
});

it('more samples than fit end what is read, before the look that would be too much', () => {
  const builder = new ProfileBuilder('samples', { format: 'cpython' });
  const threads = new CpythonThreads(builder, new Map(), 3);
  threads.describe(0, { tid: 1 });
  const cursor = new NumberCursor();
  const said = ['10 - 0R-', '10 - 0R-', '10 - 0R- 1R-', '10 - 1x'].map((text) => {
    const line = bytes(text);
    cursor.start(line, 0, line.length);
    return [threads.tick(cursor), threads.fullAfterS];
  });
  expect(said).toEqual([
    [undefined, undefined],
    [undefined, undefined],
    [undefined, 20e-9],
    [undefined, 20e-9],
  ]);
  expect(builder.build().samples.length).toBe(2);
});

it('a small file that stands for 10^8 samples is read so far, and the answer says how far', async () => {
  const file = new SamplesFile();
  const ids = Array.from({ length: 100 }, (_, at) => file.thread({ tid: at + 1 }));
  file.tick(1, undefined, ...ids.map((id) => `${id}S-`));
  for (let look = 1; look < 1_000_000; look += 1) file.tick(1e9, undefined);
  const text = `${file.text()}e {"ticks":1000000,"dueTicks":1000000}\n`;
  const profile = await readSamples([bytes(text)], { format: 'cpython', path: 'x' }, 20_000);
  expect(profile.samples.length).toBe(20_000);
  expect(profile.lost.lines).toBe(0);
  // Of what was read it is not known how many looks were due.
  expect(profile.ticks).toBeUndefined();
  expect(profile.findings).toMatchObject([
    {
      level: 'warning',
      id: 'samples-cut',
      what: 'x has more than 20,000 samples, which is what is read of one file: the answer is of its first 199.0 s.',
    },
  ]);
});

it('a file without a readable line of samples is not asked for its format, which its first line says', async () => {
  const text = `${HEAD}${STEP}t 10 0 0?\n`;
  const chunks = inChunks(bytes(text), 16);
  await expect(readProfile(chunks, { path: 'x' })).rejects.toMatchObject({
    finding: { fix: 'Record again: profiler attach --pid PID --backend cpython' },
  });
});

it.each(['9007199254740993', '99999999999999999999', '9007199254740991'])(
  'a look after %s ns is later than what counts exactly, and so said',
  async (gap) => {
    const profile = await read(`${HEAD}${STEP}t 1 0 0R0\nt ${gap} 0 0R0\nt 1 0 0R0\n`);
    expect(profile.lost.examples).toEqual([
      `line 7: tick later than 104 days after the beginning: t ${gap} 0 0R0`,
    ]);
    expect(profile.samples.length).toBe(2);
    await expect(
      readProfile([bytes(`${HEAD}${STEP}t 9${gap} 0 0R0\n`)], { path: 'x' }),
    ).rejects.toMatchObject({
      finding: {
        what: '0 samples: x has 1 line that could not be read, and no other.',
        fix: 'Record again: profiler attach --pid PID --backend cpython',
      },
    });
  },
);

it('many threads that end at once cost no more than their number', async () => {
  const file = new SamplesFile();
  const ids = Array.from({ length: 20_000 }, (_, at) => file.thread({ tid: at + 1 }));
  file.tick(1, undefined, ...ids.map((id) => `${id}S-`));
  file.tick(1, undefined, ...ids.slice(1).map((id) => `${id}x`));
  const profile = await read(file.text());
  expect(profile.samples.length).toBe(20_001);
});

it('any damage is counted or read, never more than that', async () => {
  const whole = fixture('cpython/01-two-threads.samples');
  const random = generator(7);
  const start = HEAD.indexOf('\n') + 1;
  for (let round = 0; round < 400; round += 1) {
    const broken = whole.slice();
    for (let hit = 0; hit < 1 + (round % 5); hit += 1) {
      const at = start + Math.floor(random() * (broken.length - start));
      broken[at] = Math.floor(random() * 256);
    }
    const profile = await readProfile([broken], {}, { format: 'cpython', allowEmpty: true }).catch(
      (error: unknown) => error,
    );
    if (profile instanceof ProfilerError)
      expect(['wrong-format', 'samples-too-new']).toContain(profile.finding.id);
    else expect(checkProfile(profile as Profile)).toEqual([]);
  }
});

it('a file without a look names the process to record for longer', async () => {
  const head =
    'sim-profiler cpython samples 1\nh {"python":"3.11.7","pid":4711,"rateHz":500,"startNs":"1000"}\n';
  await expect(readProfile([bytes(head)], { path: 'x.samples' })).rejects.toMatchObject({
    finding: {
      id: 'no-samples',
      what: '0 samples: x.samples is whole, but no time was sampled (samples of our own sampler (backend cpython; *.samples)).',
      fix: 'Record for longer: profiler attach --pid 4711 --backend cpython',
    },
  });
});

it('shows no more of a line that could not be read than is recognised', async () => {
  const head =
    'sim-profiler cpython samples 1\nh {"python":"3.11.7","pid":4711,"rateHz":500,"startNs":"1000"}\n';
  const line = `${'q'.repeat(200)}`;
  const shown = await readProfile([bytes(`${head}${line}\n`)], { path: 'x' }).catch(
    (error: unknown) => error,
  );
  const { what, why } = (shown as { finding: { what: string; why: string } }).finding;
  expect(what).toBe('0 samples: x has 1 line that could not be read, and no other.');
  expect(why).toMatch(/^The first: line 3: /);
  expect(why.length).toBe('The first: '.length + 80 + '…'.length);
});
