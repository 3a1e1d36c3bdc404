import { describe, expect, it } from 'vitest';
import { FORMATS, readProfile } from '../../src/formats/index.js';
import { checkProfile, stackText, totalWeight } from '../../src/model/index.js';
import type { Profile } from '../../src/model/index.js';
import { bytes, fixture } from './reading.js';

function read(value: unknown, format?: string): Promise<Profile> {
  return readProfile([bytes(JSON.stringify(value))], {}, format === undefined ? {} : { format });
}

function rows(profile: Profile): readonly (readonly [number | undefined, number, string])[] {
  const { samples } = profile;
  return Array.from(samples.weight, (weight, row) => [
    samples.timeNs?.[row],
    weight,
    stackText(profile, samples.stack[row] ?? -1, 0),
  ]);
}

const CODE = [
  { name: '/usr/lib/libc.so.6', type: 'SHARED_LIB' },
  { name: 'tick file:///app/a b.mjs:12:3', type: 'JS', kind: 'Opt' },
  { name: ' node:internal/timers:504:20', type: 'JS', kind: 'Unopt' },
  { name: 'get on time /app/x.js:7:1', type: 'JS', kind: 'Unopt' },
  { name: 'node::Start(int, char**) [clone .cold]', type: 'CPP' },
  { name: 'JsonStringify', type: 'CODE', kind: 'Builtin' },
  { name: 'wasm-function[12]', type: 'JS', kind: 'Opt' },
  { name: '' },
];

describe('a preprocessed log of V8', () => {
  it('reads pairs of code and offset from the leaf, by time, and what the engine was doing', async () => {
    const ticks = [
      { tm: 1000, vm: 0, s: [5, 1, 1, 20, 2, 4] },
      { tm: 2000, vm: 7, s: [0, 99, -1, 8123456, 1, 20] },
      { tm: 3500, vm: 8, s: [4, 3] },
      { tm: 9500, vm: 1, s: [1, 2] },
      { tm: 10_500, vm: 6, s: [-1, 55, 7, 1] },
      { tm: 11_500, vm: 0, s: [6, 1, 3, 1] },
    ];
    const profile = await read({ code: CODE, functions: [], ticks, scripts: [] });
    expect(profile.origin.format).toBe('v8-log');
    expect(rows(profile)).toEqual([
      [1e6, 1e6, '(anonymous) (node:internal/timers:504);tick (/app/a b.mjs:12);JsonStringify (?)'],
      [2e6, 1.5e6, 'tick (/app/a b.mjs:12);[libc.so.6] (/usr/lib/libc.so.6);(Atomics.wait)'],
      // V8 takes few ticks while it is idle: the gap is the time.
      [3.5e6, 6e6, '(idle)'],
      [9.5e6, 1e6, 'tick (/app/a b.mjs:12);(garbage collector)'],
      [10.5e6, 1e6, '(program)'],
      [11.5e6, 1e6, 'get on time (/app/x.js:7);wasm-function[12] (?)'],
    ]);
    expect(checkProfile(profile)).toEqual([]);
  });

  it('counts ticks that it cannot read', async () => {
    const ticks = [
      { tm: 1, vm: 0, s: [] },
      { tm: 'x', s: [] },
      null,
      { tm: 2 },
      { tm: 1e300, s: [] },
      { tm: 3, s: [1] },
    ];
    const profile = await read({ code: CODE, ticks });
    expect([profile.samples.length, profile.lost.lines, profile.lost.examples[0]]).toEqual([
      2,
      4,
      'line 2: tick without time or stack: {"tm":"x","s":[]}',
    ]);
  });

  it('finds Atomics.wait in a real log of Node 20', async () => {
    const profile = await readProfile([fixture('v8-log/atomics-loop.json')], {});
    const waiting = rows(profile).filter(([, , stack]) => stack.endsWith('(Atomics.wait)'));
    expect(waiting.length).toBe(220);
    expect(new Set(waiting.map(([, , stack]) => stack.split(';').at(-3)))).toEqual(
      new Set(['waitUntil (/app/atom.mjs:3)']),
    );
  });

  it('refuses JSON without ticks', async () => {
    await expect(read({ code: [] })).rejects.toMatchObject({ finding: { id: 'not-a-v8-log' } });
  });
});

describe('ticks of 0x', () => {
  it('reads stacks from the root; a tick without frames is a sample without a stack', async () => {
    const profile = await read([[], [CODE[2], CODE[1], CODE[5]], [CODE[0]], 7]);
    expect([profile.origin.format, profile.unit, totalWeight(profile)]).toEqual(['0x-ticks', 'samples', 3]);
    expect(rows(profile).map(([, weight, stack]) => [weight, stack])).toEqual([
      [1, ''],
      [1, '(anonymous) (node:internal/timers:504);tick (/app/a b.mjs:12);JsonStringify (?)'],
      [1, '[libc.so.6] (/usr/lib/libc.so.6)'],
    ]);
    expect(profile.lost.examples).toEqual(['line 4: tick that is no list of frames: 7']);
  });

  it('reads a real ticks.json', async () => {
    const profile = await readProfile([fixture('0x-ticks/pipes.json')], {});
    expect([profile.origin.format, totalWeight(profile), checkProfile(profile)]).toEqual([
      '0x-ticks',
      103,
      [],
    ]);
  });

  it('reads names of any length in linear time', async () => {
    const names = [
      ' '.repeat(200_000),
      ':1'.repeat(100_000),
      ' /'.repeat(100_000),
      `f ${'a:'.repeat(100_000)}1:1`,
    ];
    const profile = await read(names.map((name) => [{ name, type: 'JS', kind: 'Opt' }]));
    expect(totalWeight(profile)).toBe(4);
  });
});

it('each is known by its content alone', () => {
  for (const [file, id] of [
    ['v8-log/atomics-loop.json', 'v8-log'],
    ['0x-ticks/pipes.json', '0x-ticks'],
  ] as const) {
    const head = fixture(file).subarray(0, 65_536);
    expect(FORMATS.filter((format) => format.sniff(head) !== 'no').map((format) => format.id)).toEqual([id]);
  }
});

it('a list of events is no list of stacks', () => {
  const ticks = FORMATS.find(({ id }) => id === '0x-ticks');
  expect(ticks?.sniff(bytes('[{"name":"step","type":"B"}]'))).toBe('no');
  expect(ticks?.sniff(bytes('[ [], [], [ {"name" : "step", "type" : "JS"} ] ]'))).toBe('yes');
});

it('the raw log of V8 is told apart, with the line that processes it', async () => {
  const raw = 'v8-version,11,3,244,8,-node.38,0\nshared-library,"/usr/bin/node",0x400000\n';
  await expect(readProfile([bytes(raw)], { path: 'a-v8.log' })).rejects.toMatchObject({
    finding: {
      id: 'unknown-format',
      fix: 'node --prof-process --preprocess a-v8.log > a-v8.log.json && profiler hot a-v8.log.json',
    },
  });
});
