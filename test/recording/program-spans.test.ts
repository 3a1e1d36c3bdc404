import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { framesOf } from '../../src/model/index.js';
import { readRecording, timeOrigin } from '../../src/recording/index.js';
import type { LoadedRecording } from '../../src/recording/index.js';
import { laidOut, recording, slice, temporaryFolders } from './example.js';
import { cpuprofile, nodeRecording, nsAt, spans, step, steps, told } from './node-recording.js';

const folderOf = temporaryFolders();

const recorded = async (...telemetry: readonly (string | undefined)[]): Promise<LoadedRecording> =>
  readRecording(await nodeRecording(folderOf(), ...telemetry));

const placed = ({ spans: found = [] }: LoadedRecording): readonly string[] =>
  found.map(
    ({ kind, name, startNs, endNs, isOpen }) =>
      `${kind} ${name} ${startNs / 1e6}-${endNs / 1e6}${isOpen === true ? ' open' : ''}`,
  );

const ids = ({ findings }: LoadedRecording): readonly string[] => findings.map(({ id }) => id);

describe('spans of a recording', () => {
  it('lie where the samples lie, whatever the clock of the program begins with', async () => {
    const shifted = { nowMs: 777_100, nowNs: nsAt(100) };
    const found = await recorded(
      told(
        [spans(0, [{ name: 'Physics', calls: 5 }], { nowMs: 777_000, nowNs: nsAt(0) })],
        [
          spans(
            100,
            [
              {
                name: 'Physics',
                calls: 7,
                spans: [
                  [777_060, 20],
                  [777_030, 10],
                  [776_990, 10],
                ],
              },
              { name: 'Frame_Total', calls: 1, spans: [[777_070, 90]] },
            ],
            shifted,
          ),
        ],
      ),
    );
    expect(placed(found)).toEqual(['frame Frame_Total -20-70', 'span Physics 20-30', 'span Physics 40-60']);
    expect(ids(found)).toEqual([]);
  });

  it('are there once, though two slices tell of them, also of what ended between', async () => {
    const found = await recorded(
      told([spans(0, [])], [spans(100, [{ name: 'A', calls: 1, spans: [[90, 10]] }])]),
      told(
        [spans(105, [{ name: 'A', calls: 2 }])],
        [
          spans(200, [
            {
              name: 'A',
              calls: 3,
              spans: [
                [150, 10],
                [102, 1],
                [90, 10],
              ],
            },
          ]),
        ],
      ),
    );
    expect(placed(found)).toEqual(['span A 80-90', 'span A 101-102', 'span A 140-150']);
    expect(ids(found)).toEqual([]);
  });

  it('are missed where a ring was too small for them, and where they have no place in time', async () => {
    const found = await recorded(
      told(
        [spans(0, [{ name: 'Often', calls: 1000 }])],
        [
          spans(100, [
            {
              name: 'Often',
              calls: 3003,
              spans: [
                [99, 1],
                [98, 1],
              ],
            },
            { name: 'Recorded', calls: 4, unplaced: 4 },
          ]),
        ],
      ),
    );
    expect(found.findings).toMatchObject([
      { level: 'warning', id: 'spans-lost', what: expect.stringContaining('2,001 of Often came and went') },
      {
        level: 'note',
        id: 'spans-without-place',
        what: expect.stringContaining('4 of Recorded have a duration'),
      },
    ]);
  });

  it('are left out where their clock is another one', async () => {
    const slow = told(
      [spans(0, [])],
      [spans(100, [{ name: 'A', calls: 1, spans: [[40, 10]] }], { nowMs: 50 })],
    );
    const far = told(
      [],
      [spans(100, [{ name: 'A', calls: 1, spans: [[40, 10]] }], { nowNs: nsAt(9_000_000) })],
    );
    for (const text of [slow, far]) {
      const found = await recorded(text);
      expect([found.spans, ids(found)]).toEqual([undefined, ['telemetry-other-clock']]);
    }
  });
});

/** So many that ended just now. */
const often = (count: number): readonly (readonly [number, number])[] =>
  Array.from({ length: count }, (_, at) => [99 - at * 1e-5, 1e-6] as const);

describe('spans that nobody would make', () => {
  it('are told of in few words, with no character halved', async () => {
    const name = `${'n'.repeat(39)}\u{1F600}${'n'.repeat(1e6)}`;
    const found = await recorded(
      told([], [spans(100, [{ name, calls: 9, spans: [[50, 10]], unplaced: 3 }]), steps(100, [])]),
    );
    expect(found.findings.map(({ what }) => what)).toEqual([
      `5 of ${'n'.repeat(39)}… came and went between two looks: they are not among the spans.`,
      `3 of ${'n'.repeat(39)}… have a duration and no place in time: they are not among the spans.`,
    ]);
    const step199 = step(`${'s'.repeat(199)}\u{1F600}`, 10, 20);
    const steps199 = await recorded(told([], [steps(100, [step199])]));
    expect(placed(steps199)).toEqual([`step ${'s'.repeat(199)} 10-20`]);
    const clock = `\u{1F600}`.repeat(100);
    const slow = told([spans(0, [])], [spans(100, [], { nowMs: 50, name: clock })]);
    expect((await recorded(slow)).findings[0]?.what).toContain(`What ${'\u{1F600}'.repeat(20)}… measured`);
  });

  it('are passed over where their times are none, or are still to come', async () => {
    const times = [
      [NaN, 1],
      [1e308, 1],
      [-1e308, 1],
      [50, -5],
      [50, Infinity],
      [50, 1e300],
      [1e9, 2e9],
      [60, 10],
    ] as const;
    const found = await recorded(
      told(
        [],
        [
          spans(100, [{ name: 'A', calls: 8, spans: times }]),
          steps(100, [
            step('n', -1e308, 1e308),
            step('back', 30, 10),
            step('later', 10, 1e7),
            step('s', 1, 2),
          ]),
        ],
      ),
    );
    expect(placed(found)).toEqual(['step s 1-2', 'span A 50-60']);
  });

  it('have a name, whatever they are called', async () => {
    const found = await recorded(
      told(
        [],
        [
          spans(100, [{ name: '', calls: 1, spans: [[40, 20]] }]),
          steps(100, [step(' \t', 60, 80), step(' a', 80, 90)]),
        ],
      ),
    );
    expect(placed(found)).toEqual(['span (no name) 20-40', 'step (no name) 60-80', 'step  a 80-90']);
  });

  it('are no source where they are counted by what is no number of anything', async () => {
    for (const calls of [-1, 1e308, 0.5])
      expect(
        placed(await recorded(told([], [spans(100, [{ name: 'A', calls, spans: [[60, 10]] }])]))),
      ).toEqual([]);
  });

  it('are left out by name where they are more than a million, the most frequent first', async () => {
    const telling = told(
      [],
      [
        spans(100, [
          { name: 'Often', calls: 600_000, spans: often(600_000) },
          { name: 'Less', calls: 400_001, spans: often(400_001) },
          { name: 'Rare', calls: 1, spans: [[50, 10]] },
        ]),
      ],
    );
    const found = await recorded(telling);
    expect(found.spans?.length).toBe(400_002);
    expect(found.findings).toMatchObject([
      {
        level: 'warning',
        id: 'spans-left-out',
        what: expect.stringContaining('600,000 of Often are left out'),
      },
    ]);
  });

  it('are each there once, though their clock stands still for a millisecond', async () => {
    const coarse = { nowMs: 100 };
    const ended = { name: 'A', calls: 1, spans: [[100, 10]] } as const;
    const found = await recorded(
      told([], [spans(100, [ended], { ...coarse, nowNs: nsAt(100.1) })]),
      told(
        [spans(101, [{ name: 'A', calls: 1 }], { nowMs: 101, nowNs: nsAt(101.9) })],
        [spans(200, [ended], { nowMs: 200, nowNs: nsAt(200.9) })],
      ),
    );
    expect(placed(found)).toEqual(['span A 90.1-100.1']);
  });
});

describe('steps of a recording', () => {
  it('are there when they end, and those that run to the end of it', async () => {
    const drive = {
      phases: [
        ['execute', 42, 118],
        ['sleep', 60, 100],
      ],
      path: '',
    };
    const found = await recorded(
      told(
        [steps(0, [])],
        [
          steps(100, [
            step('patrol', -50, 100, { composite: true, isOpen: true }),
            step('drive', 40, 100, { isOpen: true, phases: [] }),
            step('before', -20, -10),
          ]),
        ],
      ),
      told(
        [steps(105, [])],
        [
          steps(200, [
            step('patrol', -50, 200, { composite: true, isOpen: true }),
            step('drive', 40, 120, drive),
            step('turn', 130, 150, { lane: 1 }),
          ]),
        ],
      ),
    );
    expect(placed(found)).toEqual([
      'composite patrol -50-200 open',
      'step drive 40-120',
      'phase execute 42-118',
      'phase sleep 60-100',
      'step turn 130-150',
    ]);
    expect(new Set(found.spans?.map(({ row }) => row))).toEqual(new Set(['1.0', '1.1']));
  });

  it('say that there were more than is read', async () => {
    const found = await recorded(told([], [steps(100, [step('a', 10, 20)], { leftOut: 12 })]));
    expect(ids(found)).toEqual(['steps-left-out']);
  });
});

const stacks = ({ profile }: LoadedRecording): readonly string[] =>
  Array.from(profile.samples.stack, (row, at) =>
    [
      (profile.samples.timeNs?.[at] ?? -1) / 1e6,
      ...framesOf(profile, row).map((frame) => profile.frames[frame]?.name),
    ].join(' > '),
  );

describe('samples of a program that measures itself', () => {
  it('stand below the step and the span that was open, and are all there', async () => {
    const found = await recorded(
      told(
        [],
        [
          spans(100, [{ name: 'Physics', calls: 1, spans: [[35, 20]] }]),
          steps(100, [step('drive', 8, 52), step('look', 35, 62)]),
        ],
      ),
    );
    expect(stacks(found)).toEqual([
      '0 > work',
      '10 > step drive > work',
      '20 > step drive > span Physics > work',
      '30 > step drive > span Physics > work',
      '40 > steps drive + look > work',
      '50 > steps drive + look > work',
      '60 > step look > work',
      '70 > work',
      '80 > work',
      '90 > work',
    ]);
    expect(found.profile.samples.weight.reduce((sum, one) => sum + one, 0)).toBe(10);
  });

  it('count from when the first of them was due, which is before its slice where V8 took long to answer', async () => {
    const folder = folderOf();
    const file = 'slices/000.cpuprofile';
    const telemetry = 'slices/000.telemetry.json';
    const thread = { file, tid: 48211, startNs: nsAt(-60), telemetry };
    await laidOut(
      folder,
      recording({
        backend: 'node',
        rateHz: 100,
        slices: [slice({ file, format: 'cpuprofile', startNs: nsAt(0), endNs: nsAt(40), threads: [thread] })],
      }),
      { [file]: cpuprofile(-60, 100), [telemetry]: told([], [steps(40, [step('drive', -42, -8)])]) },
    );
    const found = await readRecording(folder);
    expect(placed(found)).toEqual(['step drive 18-52']);
    expect(stacks(found).slice(0, 7)).toEqual([
      '0 > work',
      '10 > work',
      '20 > step drive > work',
      '30 > step drive > work',
      '40 > step drive > work',
      '50 > step drive > work',
      '60 > work',
    ]);
    const far = { ...thread, startNs: nsAt(9_000_000) };
    expect(timeOrigin({ slices: [slice({ startNs: nsAt(0), threads: [far] })] })).toBe(BigInt(nsAt(0)));
  });

  it('are as they were where nothing was measured', async () => {
    const found = await recorded(undefined);
    expect(found.spans).toBeUndefined();
    expect(new Set(stacks(found).map((one) => one.replace(/^\S+ > /, '')))).toEqual(new Set(['work']));
  });
});

describe('a telemetry file that is none', () => {
  it.each([
    ['no JSON', 'x'],
    ['something else', '[1]'],
    ['an answer that is none', JSON.stringify({ begin: '', end: 'x' })],
  ])('is told of, and costs no sample: %s', async (_, text) => {
    const found = await recorded(text);
    expect(ids(found)).toEqual(['telemetry-unreadable']);
    expect(found.profile.samples.length).toBe(10);
  });

  it('has sources that are none passed over', async () => {
    const broken = [
      { kind: 'spans', id: 'x' },
      { kind: 'other' },
      3,
      spans(100, [{ name: 'A', calls: 1, spans: [[40, 10]] }]),
    ];
    expect(placed(await recorded(told([], broken)))).toEqual(['span A 30-40']);
  });

  it('is not read outside of the recording', async () => {
    const folder = folderOf();
    await writeFile(join(folder, 'outside.json'), told([], [spans(100, [])]));
    const inner = join(folder, 'r');
    const one = { file: 'slices/000.cpuprofile', tid: 48211, telemetry: '../outside.json' };
    await laidOut(
      inner,
      recording({
        backend: 'node',
        rateHz: 100,
        slices: [slice({ file: one.file, format: 'cpuprofile', threads: [one] })],
      }),
      { [one.file]: cpuprofile(0, 100) },
    );
    expect(ids(await readRecording(inner))).toEqual(['telemetry-unreadable']);
  });
});
