import { describe, expect, it } from 'vitest';
import { answer } from '../../src/cli/answer.js';
import { flameOf } from '../../src/cli/flame.js';
import { hotAnswer, select } from '../../src/cli/hot-answer.js';
import { type Loaded, loadSource } from '../../src/cli/source.js';
import { treeAnswer } from '../../src/cli/tree-answer.js';
import { viewOf } from '../../src/cli/view-profile.js';
import { shownProfile } from '../../src/cli/view-states.js';
import { waitsAnswer } from '../../src/cli/waits-answer.js';
import { speedscopeText } from '../../src/formats/index.js';
import { ProfileBuilder, checkProfile } from '../../src/model/index.js';
import { breakdownJson, breakdownText, hotText, threadsJson, threadsText } from '../../src/report/index.js';
import type { Breakdown, FlameTree, TreeNode } from '../../src/report/index.js';
import { builtInPacks, classifyProfile, compileRules } from '../../src/rules/index.js';
import { contendedFile, contendedRecording, contendedSamples } from '../gil-contention.js';
import { laidOut, temporaryFolders } from '../recording/example.js';

const RULES = compileRules(builtInPacks);
const OPTIONS = { ruleSet: RULES };

const folder = temporaryFolders();

const NET = {
  pacer: 0.345,
  publishing: 0.212,
  physics: 0.2,
  'gil-wait': 0.2,
  'cpu-wait': 0.04,
  unclassified: 0.003,
};

function shares({ threads }: Breakdown, at = 0): Record<string, number> {
  return Object.fromEntries(
    threads[at]!.buckets.map(({ bucket, share }) => [bucket, Number(share.toFixed(9))]),
  );
}

/** `outer > inner share bucket` of every node. */
function flameLines({ names, nodes, buckets }: FlameTree): string[] {
  const paths: string[] = [];
  const lines: string[] = [];
  for (let at = 0; at < nodes.length; at += 4) {
    const [parent = -1, name = 0, weight = 0, bucket = -1] = nodes.slice(at, at + 4);
    const own = (names[name] ?? '').replace(/ \(\/.*/, '');
    const path = parent <= 0 ? own : `${paths[parent]} > ${own}`;
    paths.push(path);
    lines.push(
      [path, (weight / 1e9).toFixed(3), ...(bucket < 0 || path === '<module>' ? [] : [buckets[bucket]])].join(
        ' ',
      ),
    );
  }
  return lines;
}

describe.each([
  ['a recording', contendedRecording, 'net'],
  ['a bare file', contendedFile, 'samples'],
] as const)('%s whose samples know their state', (_, load, mode) => {
  it('has buckets net of waiting, however much of it there is', async () => {
    const found = answer(await load(), OPTIONS);
    expect(found.threads[0]!.estimate.mode).toBe(mode);
    expect(shares(found)).toEqual(NET);
    expect(found.threads[1]!.thread.name).toBe('planner');
    expect(shares(found, 1)).toEqual({
      unclassified: 0.59,
      idle: 0.043,
      'gil-wait': 0.307,
      'cpu-wait': 0.06,
    });
    const json = JSON.parse(breakdownJson(found)) as { threads: { includesWaiting: boolean }[] };
    expect(json.threads.map(({ includesWaiting }) => includesWaiting)).toEqual([false, false]);
  });

  it.each(['stack', 'leaf', 'function', 'line', 'file', 'module', 'caller'] as const)(
    'has rows of hot by %s that add up to the buckets, waits apart',
    async (by) => {
      const loaded = await load();
      for (const [bucket, share] of Object.entries(NET)) {
        if (bucket === 'gil-wait' || bucket === 'cpu-wait') continue;
        const { rows } = hotAnswer(loaded, {
          ...OPTIONS,
          by,
          thread: 'MainThread',
          bucket: { bucket: bucket as 'physics' },
        });
        const sum = rows.reduce((all, row) => all + (row.share ?? 0), 0);
        // Where rows are of functions, samples without a stack have none.
        const unnamed = bucket === 'unclassified' && by !== 'stack' && rows.length === 0;
        expect([bucket, sum]).toEqual([bucket, unnamed ? 0 : expect.closeTo(share, 9)]);
      }
    },
  );

  it('says in a sentence how busy it is, and for whom it waits', async () => {
    const text = breakdownText(answer(await load(), OPTIONS), { width: 1000, color: false });
    expect(text).toContain('The physics thread (MainThread) is busy 31.0 % of ');
    expect(text).toContain(
      'It waits 20.0 % for the GIL, held by planner in Planner.spin (/app/planner.py) (profiler waits), and 4.0 % for a CPU, taken by',
    );
    const planner = answer(await load(), { ...OPTIONS, thread: 'planner' });
    expect(breakdownText(planner, { width: 1000, color: false })).toContain(
      'It waits 30.7 % for the GIL, held 65.1 % of that time by MainThread in Engine.step (/app/roqsim/engine.py) (profiler waits)',
    );
  });

  it('says in hot how many samples wait, and are in no share', async () => {
    const text = hotText(hotAnswer(await load(), { ...OPTIONS, by: 'leaf' }), { width: 300, color: false });
    expect(text).toContain(
      '; 607 of the 2,000 samples wait for the GIL or a CPU, and are in no share (profiler waits).',
    );
  });

  it('counts in hot what does not wait as in buckets, and what waits beside it', async () => {
    const loaded = await load();
    const [physics] = answer(loaded, OPTIONS).threads;
    const { total, rows, more } = hotAnswer(loaded, { ...OPTIONS, by: 'stack', thread: 'MainThread' });
    const rests = physics!.buckets.filter(({ bucket }) => bucket !== 'gil-wait' && bucket !== 'cpu-wait');
    expect(rests.length).toBeGreaterThan(2);
    for (const { bucket, samples } of rests) {
      const own = rows.filter((row) => row.bucket === bucket);
      expect([bucket, own.reduce((sum, row) => sum + row.weight! - (row.waiting ?? 0), 0)]).toEqual([
        bucket,
        samples,
      ]);
    }
    const waits = physics!.buckets.filter((row) => !rests.includes(row));
    expect(total.waiting).toBe(waits.reduce((sum, { samples }) => sum + samples, 0));
    expect(rows.reduce((sum, row) => sum + (row.waiting ?? 0), 0)).toBe(total.waiting);
    expect(more).toEqual({ rows: 0, weight: 0 });
  });

  it('is drawn without calls that were never verified, each bucket as wide as its share', async () => {
    const loaded = await load();
    const found = answer(loaded, OPTIONS);
    const { pooled, claimOf } = select(loaded, OPTIONS, true);
    const { tree } = flameOf(loaded, found, pooled, claimOf)!;
    expect(flameLines(tree)).toEqual([
      'MainThread 1.000',
      '<module> 0.997',
      '<module> > Engine.step 0.400 physics',
      '<module> > Publisher.publish 0.207 publishing',
      '<module> > Pacer.wait 0.390 pacer',
      '<module> > Engine.step > waiting for the GIL 0.160 gil-wait',
      '<module> > Engine.step > waiting for a CPU 0.040 cpu-wait',
      '<module> > Pacer.wait > waiting for the GIL 0.040 gil-wait',
      '(samples without a stack) 0.003 unclassified',
    ]);
    const seen = shownProfile(loaded.profile, found, classifyProfile(RULES, loaded.profile));
    expect(checkProfile({ ...seen.profile, unit: 'nanoseconds' })).toEqual([]);
    const view = viewOf(
      [
        {
          loaded: { ...loaded, profile: seen.profile },
          breakdown: found,
          claims: seen.claims,
        },
      ],
      { title: 'x', exporter: 'y' },
    );
    const whole = mode === 'net' ? 2 : 1000;
    expect(view.threads[0]).toEqual({
      name: expect.any(String),
      role: 'physics',
      unit: mode === 'net' ? 'seconds' : 'samples',
      total: whole,
    });
    const file = JSON.parse([...speedscopeText(view.file)].join('')) as {
      profiles: { samples: number[][]; weights: number[] }[];
      shared: { frames: { name: string }[] };
    };
    const { samples, weights } = file.profiles[0]!;
    const sums = new Map<string, number>();
    samples.forEach((stack, at) => {
      const text = stack.map((index) => file.shared.frames[index]!.name).join(';');
      sums.set(text, (sums.get(text) ?? 0) + weights[at]! / whole);
    });
    expect(Object.fromEntries([...sums].map(([text, share]) => [text, Number(share.toFixed(6))]))).toEqual({
      '<module>;Engine.step [physics]': 0.2,
      '<module>;Publisher.publish [publishing]': 0.207,
      '<module>;Pacer.wait [pacer]': 0.35,
      '<module>;Engine.step;waiting for the GIL [gil-wait]': 0.16,
      '<module>;Engine.step;waiting for a CPU [cpu-wait]': 0.04,
      '<module>;Pacer.wait;waiting for the GIL [gil-wait]': 0.04,
      '(no stack) [unclassified/lost]': 0.003,
    });
  });

  it('has a call tree without those calls, and says how many samples that concerns', async () => {
    const tree = treeAnswer(await load(), { ...OPTIONS, min: 0.001 });
    const lines: string[] = [];
    const walk = ({ frames, total, totalShare, children }: TreeNode, indent: string): void => {
      lines.push(`${indent}${frames.map(({ name }) => name).join(' > ')} ${total} ${totalShare.toFixed(3)}`);
      for (const child of children) walk(child, `${indent}  `);
    };
    walk(tree.threads[0]!.root, '');
    expect(lines).toEqual([
      ' 1000 0.760',
      '  <module> 997 0.757',
      '    Pacer.wait 390 0.350',
      '    Publisher.publish 207 0.207',
      '    Engine.step 400 0.200',
      '  (no usable stack) 3 0.003',
    ]);
    expect(tree.findings.map(({ id, what }) => `${id}: ${what.slice(0, 22)}`)).toEqual([
      'calls-unverified: 0.3 % of the samples h',
    ]);
  });
});

function ids(from: Loaded): string[] {
  return answer(from, OPTIONS).findings.map(({ id }) => id);
}

it('a wait that no sample was in is drawn beside the stacks', async () => {
  const loaded = await contendedRecording();
  const state = loaded.profile.samples.state!.map((one) => (one === 2 ? 4 : one));
  const profile = { ...loaded.profile, samples: { ...loaded.profile.samples, state } };
  const found = answer({ ...loaded, profile }, OPTIONS);
  const { pooled, claimOf } = select({ ...loaded, profile }, OPTIONS, true);
  const lines = flameLines(flameOf({ ...loaded, profile }, found, pooled, claimOf)!.tree);
  expect(lines).toContain('waiting for a CPU 0.040 cpu-wait');
  expect(lines.filter((line) => line.includes('waiting for a CPU'))).toHaveLength(1);
});

it('a bare file tells how often its sampler should have looked', async () => {
  const loaded = await contendedFile();
  const late: Loaded = { ...loaded, profile: { ...loaded.profile, ticks: { taken: 1000, due: 1300 } } };
  expect(ids(late)).toContain('short-functions-undercounted');
  expect(ids(loaded)).not.toContain('short-functions-undercounted');
});

it('a rate that the sampler lowered by itself is no missing sample', async () => {
  const loaded = await contendedRecording();
  const half: Loaded = { ...loaded, recording: { ...loaded.recording!, rateHz: 1000 } };
  expect(ids(half)).not.toContain('short-functions-undercounted');
  const { ticks: _, ...without } = half.profile;
  expect(ids({ ...half, profile: without })).toContain('short-functions-undercounted');
});

it('a thread whose state is mostly unknown is answered for as of a sampler without states', async () => {
  const builder = new ProfileBuilder('samples', { format: 'cpython' });
  const thread = builder.thread({ name: 'MainThread' });
  const step = builder.stackOf([
    builder.frame({ name: 'Engine.step', kind: 'python', file: '/app/roqsim/engine.py', line: 278 }),
  ]);
  for (let at = 0; at < 100; at += 1) builder.sample(step, thread, 1, at, at < 6 ? 0 : 3, -1);
  const loaded = { profile: builder.build(), source: { path: 'x', format: 'cpython' }, findings: [] };
  const found = answer(loaded, OPTIONS);
  expect(found.threads[0]!.estimate.states).toBeUndefined();
  expect(shares(found)).toEqual({ physics: 1 });
  expect(found.findings.map(({ id }) => id)).toContain('states-unknown');
});

it('slices of a recording folder are one answer, and who held the GIL is told across them', async () => {
  const at = folder();
  const { recording: made } = await contendedRecording();
  const [first] = made!.slices;
  const startNs = BigInt(first!.startNs);
  const slices = [0, 1].map((index) => ({
    ...first!,
    file: `slices/00${index}.samples`,
    startNs: String(startNs + BigInt(index) * 2_500_000_000n),
    endNs: String(startNs + BigInt(index) * 2_500_000_000n + 2_000_000_000n),
  }));
  const text = contendedSamples();
  await laidOut(at, { ...made!, slices }, Object.fromEntries(slices.map(({ file }) => [file, text])));
  const io = { cwd: at, stdinIsTerminal: true, stdin: () => [] };
  const loaded = await loadSource(io as unknown as Parameters<typeof loadSource>[0], '.', undefined, RULES);
  expect(shares(answer(loaded, OPTIONS))).toEqual(NET);
  expect(loaded.profile.ticks).toEqual({ taken: 2000, due: 2000 });
  // The second slice began 2.5 s after the first.
  expect(loaded.profile.samples.timeNs!.at(-1)).toBe(2_500_000_000 + 1000 * 2_000_000);
  const [main] = waitsAnswer(loaded, OPTIONS).threads;
  expect(main!.holders.map(({ thread, samples, running }) => [thread?.name, samples, running])).toEqual([
    ['planner', 400, 0.7],
  ]);
});

describe('threads beside the physics thread', () => {
  it('are told look by look, in text and JSON', async () => {
    const found = answer(await contendedRecording(), OPTIONS);
    expect(found.threads[1]!.overlap).toBeUndefined();
    const text = threadsText(found, { width: 200, color: false });
    // It ran at 310 looks: at 307 of them the planner wanted the GIL, at 3 it slept.
    expect(text).toContain(
      '  While the physics thread was on a CPU (310 looks), planner (other) ran 0.0 % (0.0–0.9), waited for the GIL 99.0 % and for a CPU 0.0 %, and rested 1.0 %.\n',
    );
    const { threads } = JSON.parse(threadsJson(found)) as {
      threads: { overlap?: object; accounting: object }[];
    };
    expect(threads[0]!.overlap).toBeUndefined();
    expect(threads[1]!.overlap).toMatchObject({
      looks: 310,
      running: { share: 0, low: 0 },
      gilWait: { share: 0.990323 },
      sleep: { share: 0.009677 },
      absent: { share: 0 },
    });
    expect(threads[1]!.accounting).toMatchObject({ onCpu: 0.59, gilWait: 0.307 });
  });

  it('are told by the totals of the kernel where samples have no states', async () => {
    const loaded = await contendedRecording();
    const { state: _, holder: __, ...samples } = loaded.profile.samples;
    const found = answer({ ...loaded, profile: { ...loaded.profile, samples } }, OPTIONS);
    expect([found.threads[1]!.overlap, found.threads[1]!.beside]).toEqual([
      { atLeast: 0, atMost: 0.31 },
      undefined,
    ]);
  });
});
