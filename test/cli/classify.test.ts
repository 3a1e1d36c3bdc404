import { describe, expect, it } from 'vitest';
import { runJson, runProfiler } from './run-profiler.js';

type Buckets = Readonly<Record<string, number>>;

/** Samples by `thread` and `bucket` or `bucket/kind`. */
async function samplesOf(file: string): Promise<Readonly<Record<string, Buckets>>> {
  const { threads } = await runJson(['buckets', `classify/${file}.txt`]);
  const byThread: Record<string, Record<string, number>> = {};
  for (const thread of threads) {
    const buckets: Record<string, number> = {};
    for (const bucket of thread.buckets) buckets[bucket.id] = bucket.samples;
    byThread[thread.name ?? ''] = buckets;
  }
  return byThread;
}

describe('buckets of stacks that are easily mistaken', () => {
  it.each([
    ['01-pacer-vs-dds-sleep', { MainThread: { physics: 50, pacer: 40 }, 'dds.ev': { idle: 100 } }],
    ['03-python-sleep-has-no-frame', { '': { pacer: 60, python: 40 } }],
    ['04-gil-wait', { '': { physics: 40, 'gil-wait': 30 }, 'other threads': { 'gil-wait': 20 } }],
    ['06-publish-blocks', { '': { publishing: 45, physics: 55 } }],
    ['07-executor-overhead', { '': { executor: 70 }, 'other threads': { idle: 30 } }],
    ['10-render-on-loop-thread', { '': { render: 70, python: 30 }, 'llvmpipe-3': { render: 200 } }],
    ['11-name-collisions', { '': { unclassified: 100 } }],
  ])('%s', async (file, expected) => {
    expect(await samplesOf(file)).toEqual(expected);
  });

  it('gives shares of the simulation thread alone, not of idle helpers', async () => {
    const { out } = await runProfiler(['buckets', 'classify/01-pacer-vs-dds-sleep.txt']);
    expect(out).toMatch(/^ {2}physics +55\.6 %/m);
    expect(out).toMatch(/^ {2}pacer\/sleep +44\.4 %/m);
  });

  it('says that sleep or work is unknown where the line of the pacer was not seen', async () => {
    const { out } = await runProfiler(['buckets', 'classify/03-python-sleep-has-no-frame.txt']);
    expect(out.replaceAll(/\s+/g, ' ')).toContain('Pace: sleep or work unknown (60 samples)');
  });

  it('keeps a publish that blocks in publishing, and says where it blocks', async () => {
    const { threads } = await runJson(['buckets', 'classify/06-publish-blocks.txt']);
    const publishing = threads[0].buckets.find((bucket: { id: string }) => bucket.id === 'publishing');
    expect(
      publishing.parts.map((part: { kind: string; samples: number }) => [part.kind, part.samples]),
    ).toEqual([['blocked-in-dds', 45]]);
  });

  it('notes software rendering with its samples, in hot as well', async () => {
    for (const command of ['hot', 'buckets', 'threads']) {
      const { out } = await runProfiler([command, 'classify/10-render-on-loop-thread.txt']);
      expect(out.replaceAll(/\s+/g, ' ')).toContain(
        'Software rendering (llvmpipe) is in use: 200 samples on its thread.',
      );
    }
  });

  it('tells no real-time factor, and blames the pacer if one was measured', async () => {
    const { out } = await runProfiler(['buckets', 'report-math/04-rtf-not-from-profile.txt']);
    const text = out.replaceAll(/\s+/g, ' ');
    expect(text).toContain('Its pacer takes 50.0 %; whether it sleeps or works there is not known.');
    expect(text).toContain('The real-time factor cannot be told from a profile.');
    expect(text).toContain('If you measured one below its target, look at the pacer');
  });
});
