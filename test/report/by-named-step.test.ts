import { describe, expect, it } from 'vitest';
import type { Bucket, ProgramSpan } from '../../src/model/index.js';
import { type ByNamedStep, byNamedStep, byNamedStepJson, byNamedStepText } from '../../src/report/index.js';
import { timedSamples } from './timed-samples.js';

const MS = 1e6;

const step = (name: string, fromMs: number, toMs: number, more: Partial<ProgramSpan> = {}): ProgramSpan => ({
  tid: 1,
  kind: 'step',
  name,
  startNs: fromMs * MS,
  endNs: toMs * MS,
  row: '0',
  ...more,
});

/** A sample each millisecond, in the middle of it. */
function samples(buckets: readonly Bucket[]): ReturnType<typeof timedSamples> {
  return timedSamples(
    'samples',
    buckets.map((bucket, ms) => [bucket, (ms + 0.5) / 1000, 1] as const),
  );
}

const many = (bucket: Bucket, count: number): Bucket[] => Array.from({ length: count }, () => bucket);

function found(
  buckets: readonly Bucket[],
  spans: readonly ProgramSpan[],
  toMs: number,
): ByNamedStep | undefined {
  const { profile, claims } = samples(buckets);
  return byNamedStep({ profile, thread: 0, role: 'main', claims, spans, windows: [[0, toMs * MS]] });
}

const shown = (byStep: ByNamedStep | undefined): readonly string[] =>
  (byStep?.rows ?? []).map(
    ({ names, seconds, looks, runs, buckets }) =>
      `${names.join(' + ')} ${seconds} s ${looks} ${runs === undefined ? '-' : `${runs.count}x ${runs.meanMs} ${runs.maxMs}`} ${buckets.map(({ bucket, share }) => `${bucket} ${share.share}`).join(' ')}`,
  );

describe('a thread by the steps that the program names', () => {
  const spans = [
    step('square', 0, 100, { kind: 'composite' }),
    step('drive', 0, 40),
    step('drive', 50, 70),
    step('look', 60, 90),
    step('runs', 95, 120, { isOpen: true }),
  ];
  const buckets = [
    ...many('physics', 40),
    ...many('idle', 10),
    ...many('publishing', 20),
    ...many('physics', 40),
    ...many('idle', 10),
  ];

  it('has the time of the innermost, how often and how long each ran, and where its time goes', () => {
    expect(shown(found(buckets, spans, 120))).toEqual([
      'drive 0.05 s 50 2x 30 40 physics 0.8 publishing 0.2',
      'look 0.02 s 20 1x 30 30 physics 1',
      'runs 0.02 s 20 - physics 0.5 idle 0.5',
      'square 0.015 s 15 1x 100 100 physics 0.3333333333333333 idle 0.6666666666666666',
      'drive + look 0.01 s 10 - publishing 1',
      'runs + square 0.005 s 5 - physics 1',
    ]);
  });

  it('has what is between steps last, and time only while samples were taken', () => {
    expect(shown(found(many('idle', 100), [step('late', 80, 200)], 100))).toEqual([
      'late 0.02 s 20 1x 120 120 idle 1',
      ' 0.08 s 80 - idle 1',
    ]);
    expect(found(many('idle', 10), [step('after', 500, 600)], 10)).toBeUndefined();
  });

  it('names what a step does most, however many buckets there are and however narrow it is', () => {
    const mixed = [
      ...many('physics', 5),
      ...many('raycast', 4),
      ...many('publishing', 3),
      ...many('plugin', 2),
      ...many('idle', 86),
    ];
    const byStep = found(mixed, [step('drive', 0, 100)], 100);
    const text = (width: number): string =>
      byNamedStepText(
        {
          source: { path: 'r', format: 'recording' },
          window: {},
          byStep,
          lost: { samples: 0, lines: 0, examples: [] },
          findings: [],
        } as never,
        { width, color: false, ascii: true } as never,
      );
    expect(text(130)).toContain('physics 5.0 %, raycast 4.0 %, publishing 3.0 %, idle 86.0 %, 1 more\n');
    expect(text(75)).toMatch(/100\.0 % +physics 5\.0 %, idle 86\.0 %, …\n/);
  });

  it('is a table, and JSON', () => {
    const byStep = found(buckets, spans, 120);
    if (byStep === undefined) throw new Error('nothing was found');
    const of = {
      source: { path: 'r', format: 'recording' },
      window: {},
      byStep: {
        ...byStep,
        rows: byStep.rows.map((row, at) => (at === 0 ? { ...row, names: ['drive\u001b[2J'] } : row)),
      },
      lost: { samples: 0, lines: 0, examples: [] },
      findings: [],
    } as const;
    const text = byNamedStepText(of as never, { width: 110, color: false, ascii: true } as never);
    expect(text).not.toContain('\u001b');
    expect(text).toMatch(/look +1 +30\.0 ms +30\.0 ms +16\.7 % +physics 100\.0 %/);
    expect(text).toContain('drive + look');
    const narrow = byNamedStepText(of as never, { width: 70, color: false, ascii: true } as never);
    expect(narrow).toMatch(/square +1 +100 ms +100 ms +12\.5 % +idle 66\.7 %, …/);
    expect(JSON.parse(byNamedStepJson(of as never))).toMatchObject({
      kind: 'by-named-step',
      steps: 4,
      rows: [
        { seconds: 0.05, samples: 50, runs: { count: 2, meanMs: 30, maxMs: 40 } },
        { steps: ['look'] },
        {},
        {},
        {},
        {},
      ],
    });
  });
});
