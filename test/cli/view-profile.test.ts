import { describe, expect, it } from 'vitest';
import { SPEEDSCOPE_LIMITS, readProfile, speedscopeText } from '../../src/formats/index.js';
import { ProfileBuilder } from '../../src/model/index.js';
import { builtInPacks, classifyProfile, compileRules } from '../../src/rules/index.js';
import { answer } from '../../src/cli/answer.js';
import { type Loaded, loadSource } from '../../src/cli/source.js';
import { sourceLabels } from '../../src/cli/view-names.js';
import { type ViewSource, viewOf } from '../../src/cli/view-profile.js';
import { SLICE, emptyFolder, writePacedRecording } from './recording-folder.js';

const RULES = compileRules(builtInPacks);
const TITLES = { title: 'demo', exporter: 'sim-profiler@1' };

interface Written {
  readonly name: string;
  readonly profiles: readonly {
    readonly name: string;
    readonly unit: string;
    readonly samples: readonly (readonly number[])[];
    readonly weights: readonly number[];
    readonly endValue: number;
  }[];
  readonly shared: { readonly frames: readonly { readonly name: string }[] };
}

function source(
  loaded: Loaded,
  options: { rateHz?: number; thread?: string; label?: string } = {},
): ViewSource {
  const { label, ...asked } = options;
  return {
    loaded,
    breakdown: answer(loaded, { ruleSet: RULES, ...asked }),
    claims: classifyProfile(RULES, loaded.profile),
    ...(label === undefined ? {} : { label }),
  };
}

function shown(sources: readonly ViewSource[], limits = {}) {
  const view = viewOf(sources, TITLES, { ...SPEEDSCOPE_LIMITS, ...limits });
  const file = JSON.parse([...speedscopeText(view.file)].join('')) as Written;
  /** `a;b` and its weight, by profile. */
  const stacks = file.profiles.map(({ samples, weights }) =>
    samples.map(
      (stack, at) => [stack.map((index) => file.shared.frames[index]?.name).join(';'), weights[at]] as const,
    ),
  );
  return { view, file, stacks };
}

/** Sums of a profile by the bucket that its frames name. */
function byBucket(stacks: readonly (readonly [string, number | undefined])[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [stack, weight = 0] of stacks) {
    const [, bucket = 'none'] = /\[([a-z-]+)(?:\/[^\]]*)?\]/.exec(stack) ?? [];
    sums[bucket] = (sums[bucket] ?? 0) + weight;
  }
  return sums;
}

async function bare(text: string, path = 'x.raw'): Promise<Loaded> {
  const profile = await readProfile([new TextEncoder().encode(text)], { path });
  return { profile, source: { path, format: profile.origin.format }, findings: [] };
}

function noInput(): never {
  throw new Error('nobody reads standard input');
}

async function recorded(changes = {}, text = SLICE): Promise<Loaded> {
  const cwd = emptyFolder();
  await writePacedRecording(cwd, 'paced', changes, text);
  return loadSource({ cwd, stdin: noInput, stdinIsTerminal: false }, undefined, undefined, RULES);
}

describe('a recording on screen', () => {
  it.each([
    ['as it is', {}, SLICE],
    ['with stacks that were lost', {}, `${SLICE}thread (100): MainThread 20\n`],
    ['without a policy', { policy: 'other:0' }, SLICE],
    ['with a thread that the kernel knows nothing of', {}, `${SLICE}thread (300): late;f (x.py:1) 40\n`],
  ])('has the shares of buckets, of the wall time of each thread: %s', async (_, changes, text) => {
    const one = source(await recorded(changes, text));
    const { view, file, stacks } = shown([one]);
    expect(view.order).toBe('left-heavy');
    for (const [index, profile] of file.profiles.entries()) {
      const thread = one.breakdown.threads[index]!;
      expect(profile.unit).toBe('seconds');
      const wallS = thread.totals?.wallS ?? 40 / 250;
      expect(profile.endValue).toBeCloseTo(wallS, 6);
      const sums = byBucket(stacks[index]!);
      for (const row of thread.buckets)
        expect([row.bucket, (sums[row.bucket] ?? 0) / wallS]).toEqual([
          row.bucket,
          expect.closeTo(row.share, 6),
        ]);
      expect(
        Object.keys(sums).filter((bucket) => !thread.buckets.some((row) => row.bucket === bucket)),
      ).toEqual([]);
    }
  });

  it('opens on the physics thread, with the role of each, and names buckets', async () => {
    const { view, file, stacks } = shown([source(await recorded())]);
    expect(file.profiles.map(({ name }) => name)).toEqual(['MainThread (physics)', 'executor (executor)']);
    expect(stacks[0]!.map(([stack]) => stack)).toEqual([
      '<module>;run;_tick;wait [pacer/sleep]',
      '<module>;run;_tick;step [physics]',
      'waiting for a CPU [cpu-wait]',
    ]);
    expect(view.threads[0]).toEqual({
      name: 'MainThread (physics)',
      role: 'physics',
      unit: 'seconds',
      total: expect.closeTo(2, 6),
    });
  });

  it('names the bucket at the frame that decided it, whatever was called below', async () => {
    const step = '<module> (/app/run.py:9);step (/app/roqsim/engine.py:278);inner (libx.so) 50';
    const { stacks } = shown([source(await recorded({}, `${SLICE}thread (100): MainThread;${step}\n`))]);
    expect(stacks[0]!.map(([stack]) => stack)).toContain('<module>;step [physics];inner');
  });

  it('splits what the kernel measured by the samples that show it', async () => {
    const text = `${SLICE}thread (100): MainThread;run (/app/roqsim/runner.py:736);schedule_[k] 1\n`;
    const one = source(await recorded({}, text));
    const { estimate } = one.breakdown.threads[0]!;
    const rows = estimate.rows.map((row) =>
      row.bucket === 'cpu-wait' ? { ...row, samples: 300, share: 0.5 } : row,
    );
    const threads = [{ ...one.breakdown.threads[0]!, estimate: { ...estimate, rows } }];
    const claims = one.claims.map((claim) =>
      claim.bucket === 'pacer' ? ({ ...claim, bucket: 'cpu-wait' } as const) : claim,
    );
    const { stacks } = shown([{ ...one, claims, breakdown: { ...one.breakdown, threads } }]);
    expect(byBucket(stacks[0]!)['cpu-wait']).toBeCloseTo(1, 6);
    expect(stacks[0]!.some(([stack]) => stack.startsWith('waiting for a CPU'))).toBe(false);
  });
});

describe('a bare file on screen', () => {
  const TEXT =
    'thread (1): MainThread;run (roqsim/runner.py:9);f (x.py:1) 30\nthread (1): MainThread;g (y.py:2) 10\n';

  it('counts samples; of what nothing claims the leaf is marked', async () => {
    const { view, stacks, file } = shown([source(await bare(TEXT))]);
    expect(file.profiles[0]).toMatchObject({ unit: 'none', endValue: 40 });
    expect(stacks[0]!.at(-1)).toEqual(['g [unclassified]', 10]);
    expect(view.threads[0]?.unit).toBe('samples');
  });

  it('is one profile of all samples where it knows no threads', async () => {
    const { file } = shown([source(await bare('main;step 30\nmain;pub 12\n'))]);
    expect(file.profiles.map(({ name, endValue }) => [name, endValue])).toEqual([['all samples', 42]]);
  });

  it('is in seconds where its rate is stated', async () => {
    const { file } = shown([source(await bare(TEXT), { rateHz: 100 })]);
    expect(file.profiles[0]).toMatchObject({ unit: 'seconds', endValue: 0.4 });
  });

  it('shows samples without a stack as lost', async () => {
    const { stacks } = shown([source(await bare(`${TEXT} 7\n`))]);
    expect(stacks.flat()).toContainEqual(['(no stack) [unclassified/lost]', 7]);
  });

  it('tells threads of one name apart, and shows those that were asked for', async () => {
    const text =
      'thread (1): worker;f (a.py:1) 3\nthread (2): worker;f (a.py:1) 2\nthread (3): other;f (a.py:1) 1\n';
    expect(shown([source(await bare(text))]).file.profiles.map(({ name }) => name)).toEqual([
      'worker 1',
      'worker 2',
      'other',
    ]);
    const only = shown([source(await bare(text), { thread: 'other' })]);
    expect(only.file.profiles.map(({ name }) => name)).toEqual(['other (physics)']);
  });

  it('is in order of time where it has times', () => {
    const builder = new ProfileBuilder('nanoseconds', { format: 'cpuprofile' });
    const thread = builder.thread({ name: 'main' });
    const f = builder.stack(-1, builder.frame({ name: 'f', kind: 'js' }));
    const g = builder.stack(f, builder.frame({ name: 'g', kind: 'js' }));
    builder.sample(f, thread, 1e9, 1e9);
    builder.sample(g, thread, 3e9, 3e9);
    const path = 'x.cpuprofile';
    const loaded = { profile: builder.build(), source: { path, format: 'cpuprofile' }, findings: [] };
    const { view, stacks } = shown([source(loaded)]);
    expect(view.order).toBe('time-ordered');
    expect(stacks[0]!.map(([, weight]) => weight)).toEqual([1, 1, 3]);
    expect(stacks[0]!.map(([stack]) => stack.replace(/ \[.*\]/, ''))).toEqual(['f', '', 'f;g']);
    const folded = shown([source(loaded)], { timedFrames: 3 });
    expect(folded.view.order).toBe('left-heavy');
    expect(folded.stacks[0]!.map(([, weight]) => weight)).toEqual([3, 1]);
    expect(folded.view.findings.map(({ id }) => id)).toEqual(['times-dropped']);
    expect(shown([source(loaded)], { timedFrames: 4 }).view.findings).toEqual([]);
  });
});

function named(path: string, label?: string): Parameters<typeof sourceLabels>[0][number] {
  return {
    source: { path, format: 'x' },
    ...(label === undefined ? {} : { recording: { label } as Loaded['recording'] & object }),
  };
}

describe('several sources on screen', () => {
  it('are told apart by their names, each with its own unit', async () => {
    const { file } = shown([
      source(await recorded(), { label: 'before' }),
      source(await bare('thread (1): a;f (x.py:1) 3\n'), { label: 'x.raw' }),
    ]);
    expect(file.profiles.map(({ name, unit }) => [name, unit])).toEqual([
      ['before: MainThread (physics)', 'seconds'],
      ['before: executor (executor)', 'seconds'],
      ['x.raw: a', 'none'],
    ]);
  });

  it('go by label or file name, by path where those are the same, by number where they are the same file', () => {
    expect(sourceLabels([named('recordings/a', 'demo'), named('/x/y.raw'), named('-')])).toEqual([
      'demo',
      'y.raw',
      'standard input',
    ]);
    expect(
      sourceLabels([
        named('recordings/a', 'demo'),
        named('recordings/b', 'demo'),
        named('b/x'),
        named('b/x'),
      ]),
    ).toEqual(['recordings/a', 'recordings/b', 'b/x', 'b/x (2)']);
  });
});

describe('what is more than the viewer can open', () => {
  const TEXT = Array.from({ length: 9 }, (_, n) => `thread (1): t;f (a.py:1);g${n} (a.py:2) ${9 - n}`).join(
    '\n',
  );

  it('keeps its heaviest stacks, and the total', async () => {
    const { view, stacks, file } = shown([source(await bare(`${TEXT}\n`))], { pooledFrames: 6 });
    expect(stacks[0]).toEqual([
      ['f;g0 [unclassified]', 9],
      ['f;g1 [unclassified]', 8],
      ['f;g2 [unclassified]', 7],
      ['(6 lighter stacks)', 21],
    ]);
    expect(file.profiles[0]?.endValue).toBe(45);
    expect(view.findings).toMatchObject([
      { level: 'note', id: 'light-stacks', why: 'Totals are right; of a thread they are at most 46.7 %.' },
    ]);
  });

  it('shows stacks that are too deep without their middle, and says so', async () => {
    const deep = Array.from({ length: 50 }, (_, n) => `f${n} (a.py:${n + 1})`).join(';');
    const { view, stacks } = shown([source(await bare(`${deep} 3\nf (a.py:1) 9\n`))], { depth: 5 });
    expect(stacks[0]![1]).toEqual(['f0;f1;(frames left out);f48;f49 [unclassified]', 3]);
    expect(view.findings.map(({ id }) => id)).toEqual(['deep-stacks']);
  });
});
