import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Loaded } from '../../src/cli/source.js';
import { waitsAnswer } from '../../src/cli/waits-answer.js';
import { readProfile } from '../../src/formats/index.js';
import { ProfilerError, SAMPLE_STATES } from '../../src/model/index.js';
import type { SampleState } from '../../src/model/index.js';
import { waitsJson, waitsText } from '../../src/report/index.js';
import type { ThreadWaits } from '../../src/report/index.js';
import { builtInPacks, compileRules } from '../../src/rules/index.js';
import { contendedFile, contendedRecording, contendedSamples } from '../gil-contention.js';
import { temporaryFolders } from '../recording/example.js';
import { SamplesFile } from '../samples-file.js';
import { runProfiler } from './run-profiler.js';

const OPTIONS = { ruleSet: compileRules(builtInPacks) };
const STYLE = { width: 100, color: false };
const folder = temporaryFolders();

function mille(share: number): number {
  return Math.round(share * 1000);
}

/** `bucket wall runs gil cpu sleeps blocked`, in per mille. */
function table({ rows }: ThreadWaits): string[] {
  return rows.map(({ bucket, wall, states }) =>
    [
      bucket,
      ...[
        wall,
        ...(['running', 'gil-wait', 'cpu-wait', 'sleep', 'blocked'] as const).map(
          (state) => states[state].share,
        ),
      ].map(mille),
    ].join(' '),
  );
}

describe.each([
  ['a recording', contendedRecording, true],
  ['a bare file', contendedFile, false],
] as const)('waits of %s', (_, load, ofWall) => {
  it('says of every bucket how much of its time was which wait', async () => {
    const waits = waitsAnswer(await load(), OPTIONS);
    expect(waits.ofWall).toBe(ofWall);
    expect(waits.threads.map(({ thread }) => thread.name)).toEqual(['MainThread']);
    expect(table(waits.threads[0]!)).toEqual([
      'publishing 212 107 0 0 5 100',
      'physics 400 200 160 40 0 0',
      'pacer 385 0 40 0 345 0',
      'unclassified 3 3 0 0 0 0',
    ]);
    const all = waits.threads[0]!.rows.reduce((total, { wall }) => total + wall, 0);
    expect(all).toBeCloseTo(1, 12);
  });

  it('says who held the GIL meanwhile, in which function, and whether on a CPU', async () => {
    const [main] = waitsAnswer(await load(), OPTIONS).threads;
    expect(main!.holders).toEqual([
      {
        thread: expect.objectContaining({ tid: 12, name: 'planner' }),
        frame: { name: 'Planner.spin', kind: 'python', file: '/app/planner.py' },
        samples: 200,
        part: { share: 1, low: expect.closeTo(0.983, 2), high: 1 },
        share: expect.closeTo(0.2, 12),
        running: 0.7,
        cpuWait: 0.3,
      },
    ]);
    const [planner] = waitsAnswer(await load(), { ...OPTIONS, thread: 'planner' }).threads;
    expect(planner!.holders.map(({ frame, samples, running }) => [frame?.name, samples, running])).toEqual([
      ['Engine.step', 200, 1],
      ['Publisher.publish', 107, 1],
    ]);
  });

  it('says which function waits, for whom', async () => {
    const [main] = waitsAnswer(await load(), OPTIONS).threads;
    expect(
      main!.places.map(({ frame, bucket, gilWait, cpuWait, heldBy }) => [
        frame.name,
        bucket,
        Number(gilWait.share.toFixed(9)),
        Number(cpuWait.share.toFixed(9)),
        heldBy?.thread.name,
        heldBy?.part,
      ]),
    ).toEqual([
      ['Engine.step', 'physics', 0.16, 0.04, 'planner', 1],
      ['Pacer.wait', 'pacer', 0.04, 0, 'planner', 1],
    ]);
  });
});

it('prints what was found', async () => {
  const text = waitsText(waitsAnswer(await contendedRecording(), OPTIONS), STYLE);
  expect(text).toContain(
    [
      '  The physics thread (MainThread) waits 20.0 % of the time for the GIL and 4.0 % for a CPU. It runs',
      '  31.0 %, sleeps 35.0 % and is blocked elsewhere 10.0 %.',
      '',
      '  MainThread           wall    runs  GIL wait  CPU wait  sleeps  blocked',
      '  publishing         21.2 %  10.7 %                       0.5 %   10.0 %',
      '  physics            40.0 %  20.0 %    16.0 %     4.0 %',
      '  pacer              38.5 %             4.0 %            34.5 %',
      '  unclassified/lost   0.3 %   0.3 %',
      '  Shares are of the wall time of MainThread; each row is split by what the thread did there.',
      '',
      '  Who held the GIL meanwhile, and how much of that time the holder itself was on a CPU:',
      '    of it        95 %  on a CPU  held by',
      '  100.0 %  98.7–100.0    70.0 %  planner: Planner.spin (/app/planner.py)',
      '',
      '  Where it waits:',
      '  GIL wait  CPU wait  where                                held mostly by',
      '    16.0 %     4.0 %  Engine.step (/app/roqsim/engine.py)  planner: Planner.spin (/app/planner.py)',
      '     4.0 %            Pacer.wait (/app/roqsim/pacer.py)    planner: Planner.spin (/app/planner.py)',
    ].join('\n'),
  );
});

/** The recording, of which the looks at the main thread saw other states. */
async function seenAs(change: Readonly<Partial<Record<SampleState, SampleState>>>): Promise<Loaded> {
  const loaded = await contendedRecording();
  const { samples } = loaded.profile;
  const state = samples.state!.map((at, row) => {
    const other = samples.thread[row] === 0 ? change[SAMPLE_STATES[at]!] : undefined;
    return other === undefined ? at : SAMPLE_STATES.indexOf(other);
  });
  return { ...loaded, profile: { ...loaded.profile, samples: { ...samples, state } } };
}

function sum(shares: readonly number[]): number {
  return shares.reduce((all, share) => all + share, 0);
}

describe('what the kernel counted and no sample saw', () => {
  it.each([
    [
      { running: 'sleep' },
      { running: 310, 'cpu-wait': 40, 'gil-wait': 135, sleep: 447, blocked: 68, unknown: 0 },
      [310, 310, 0, 0, 0],
    ],
    [
      { 'cpu-wait': 'running' },
      { running: 310, 'cpu-wait': 40, 'gil-wait': 200, sleep: 350, blocked: 100, unknown: 0 },
      [40, 0, 40, 0, 0],
    ],
    [
      { sleep: 'running', 'gil-wait': 'running', blocked: 'running' },
      { running: 310, 'cpu-wait': 40, 'gil-wait': 0, sleep: 0, blocked: 0, unknown: 650 },
      [650, 0, 0, 0, 650],
    ],
  ] as const)('%j: the whole and all rows sum to 1 all the same', async (change, whole, row) => {
    const [main] = waitsAnswer(await seenAs(change), OPTIONS).threads;
    expect(sum(Object.values(main!.whole))).toBeCloseTo(1, 12);
    expect(sum(main!.rows.map(({ wall }) => wall))).toBeCloseTo(1, 12);
    expect(
      Object.fromEntries(Object.entries(main!.whole).map(([state, share]) => [state, mille(share)])),
    ).toEqual(whole);
    const last = main!.rows.at(-1)!;
    expect([last.bucket, last.kind]).toEqual(['unclassified', 'not-sampled']);
    const { running, 'cpu-wait': cpuWait, blocked, unknown } = last.states;
    expect([last.wall, ...[running, cpuWait, blocked, unknown].map(({ share }) => share)].map(mille)).toEqual(
      row,
    );
  });

  it('is said where its kind is not known', async () => {
    const waits = waitsAnswer(
      await seenAs({ sleep: 'running', 'gil-wait': 'running', blocked: 'running' }),
      OPTIONS,
    );
    expect(waitsText(waits, STYLE).replaceAll(/\s+/g, ' ')).toContain(
      'is blocked elsewhere 0.0 %. It was blocked 65.0 %, of which no sample tells the kind.',
    );
    expect(JSON.parse(waitsJson(waits)).threads[0].whole).toEqual({
      running: 0.31,
      gilWait: 0,
      cpuWait: 0.04,
      sleep: 0,
      otherBlocked: 0,
      unknown: 0.65,
    });
  });
});

it('of samples without states is refused, with what the kernel counted all the same', async () => {
  const loaded = await contendedRecording();
  const { state: _, holder: __, ...samples } = loaded.profile.samples;
  const without: Loaded = { ...loaded, profile: { ...loaded.profile, samples } };
  expect(() => waitsAnswer(without, OPTIONS)).toThrow(ProfilerError);
  try {
    waitsAnswer(without, OPTIONS);
  } catch (error) {
    expect((error as ProfilerError).finding).toMatchObject({
      id: 'no-states',
      why: 'The kernel counted that MainThread waited for a CPU 4.0 % of the time; where it waited is in no sample.',
      fix: 'profiler attach --pid PID --backend cpython',
    });
    expect((error as ProfilerError).exitCode).toBe(1);
  }
});

it('of a thread whose state was too often not seen says of how many samples it is unknown', async () => {
  const file = new SamplesFile();
  const main = file.thread({ tid: 11, name: 'MainThread' });
  const stack = file.stack('<module> /app/run.py:9');
  for (let look = 0; look < 100; look += 1)
    file.tick(2_000_000, undefined, `${main}${look < 6 ? 'U' : 'R'}${stack}v`);
  const profile = await readProfile([new TextEncoder().encode(file.text())], { path: 'a.samples' });
  const loaded: Loaded = { profile, source: { path: 'a.samples', format: 'cpython' }, findings: [] };
  expect(() => waitsAnswer(loaded, { ...OPTIONS, thread: 'MainThread' })).toThrow(
    'What MainThread did is not known of 6 of 100 samples in a.samples: waits are told where no more than 5.0 % are.',
  );
});

describe('profiler waits', () => {
  it('reads a file and answers in JSON', async () => {
    const at = folder();
    writeFileSync(join(at, 'gil.samples'), contendedSamples());
    const run = await runProfiler(['waits', 'gil.samples', '--json'], { cwd: at });
    expect([run.code, run.err]).toEqual([0, '']);
    const json = JSON.parse(run.out) as { kind: string; threads: Record<string, unknown>[] };
    expect(json.kind).toBe('waits');
    expect(json.threads[0]).toMatchObject({
      tid: 11,
      name: 'MainThread',
      role: 'physics',
      whole: { running: 0.31, gilWait: 0.2, cpuWait: 0.04, sleep: 0.35, otherBlocked: 0.1 },
      holders: [
        {
          thread: 'planner',
          tid: 12,
          function: 'Planner.spin',
          file: '/app/planner.py',
          ofGilWait: { share: 1 },
          running: 0.7,
        },
      ],
    });
    expect((json.threads[0]!['buckets'] as object[])[1]).toMatchObject({
      id: 'physics',
      wall: 0.4,
      running: { share: 0.2 },
      gilWait: { share: 0.16 },
    });
  });

  it.each([
    [
      ['waits', 'pyspy-raw/16-lines-of-one-function.txt'],
      1,
      'do not know whether their thread ran or waited',
    ],
    [['waits', 'cpython/01-two-threads.samples', '--thread', 'nobody'], 2, 'No thread is called nobody.'],
    [['waits', 'cpython/01-two-threads.samples', '--wrong'], 2, "Unknown option '--wrong'"],
  ])('%j ends with %i and says why', async (args, code, said) => {
    const run = await runProfiler(args);
    expect([run.code, run.out]).toEqual([code, '']);
    expect(run.err).toContain(said);
  });
});
