import { describe, expect, it } from 'vitest';
import { type Bucket, SAMPLE_STATES } from '../../src/model/index.js';
import { type ByStep, byStep, byStepText } from '../../src/report/index.js';
import { timedSamples } from './timed-samples.js';

const MS = 1e6;

/** 400 steps of 2 ms, of which each twentieth takes 4 ms; a sample each 0.1 ms: 1 ms of physics, publishing in what a step has more, then the pacer. */
function twentieths(): { readonly starts: number[]; readonly rows: [Bucket, number, number][] } {
  const starts: number[] = [];
  const rows: [Bucket, number, number][] = [];
  let at = 0;
  for (let step = 0; step < 400; step += 1) {
    starts.push(at * MS);
    const length = step % 20 === 19 ? 40 : 20;
    for (let sample = 0; sample < length; sample += 1) {
      const bucket = sample < 10 ? 'physics' : sample < length - 10 ? 'publishing' : 'pacer';
      rows.push([bucket, (at + (sample + 0.5) / 10) / 1000, 1]);
    }
    at += length / 10;
  }
  starts.push(at * MS);
  return { starts, rows };
}

function stepsOf(
  starts: readonly number[],
  rows: Parameters<typeof timedSamples>[1],
  windows: readonly (readonly [number, number])[] = [[0, 1e12]],
  mostGroups = 4,
): ByStep | undefined {
  const { profile, claims } = timedSamples('samples', rows);
  const startsNs = Float64Array.from(starts);
  return byStep({ profile, thread: 0, role: 'physics', claims, startsNs, windows, mostGroups });
}

const us = (found: ByStep | undefined, bucket: Bucket, of: 'all' | 'slow' | 'others'): number => {
  const set = of === 'all' ? found?.all : found?.[of];
  const share = found?.rows.find((row) => row.bucket === bucket)?.[of]?.share;
  return Math.round((share ?? Number.NaN) * (set?.meanUs ?? Number.NaN) * 1000) / 1000;
};

describe('a thread by the step', () => {
  it('has what each bucket takes of a step, of the slow ones and of the others', () => {
    const { starts, rows } = twentieths();
    const found = stepsOf(starts, rows);
    expect(found?.all).toEqual({ steps: 400, looks: 8400, meanUs: 2100 });
    expect(found).toMatchObject({ p50Us: 2000, p95Us: 2000, p99Us: 4000, maxUs: 4000, stepsPerGroup: 100 });
    expect(us(found, 'physics', 'all')).toBe(1000);
    expect(us(found, 'publishing', 'all')).toBe(100);
    expect(us(found, 'pacer', 'all')).toBe(1000);
    expect(found?.slow).toEqual({ steps: 20, looks: 800, meanUs: 4000, fromUs: 4000 });
    expect(found?.others).toEqual({ steps: 380, looks: 7600, meanUs: 2000 });
    expect(us(found, 'publishing', 'slow')).toBe(2000);
    expect(us(found, 'publishing', 'others')).toBe(0);
    expect(us(found, 'physics', 'slow')).toBe(1000);
  });

  it('tells what makes slow steps slow', () => {
    const { starts, rows } = twentieths();
    const found = stepsOf(starts, rows);
    const text = byStepText(
      {
        source: { path: 'r', format: 'recording' },
        window: {},
        byStep: found!,
        lost: {} as never,
        findings: [],
      },
      { width: 100, color: false } as never,
    );
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      'The 20 slow ones, from 4,000 µs on, take 4,000 µs each, 2,000 more than the others: of that, publishing 2,000.',
    );
  });

  it('leaves out steps that were not sampled from beginning to end', () => {
    const rows: [Bucket, number, number][] = Array.from({ length: 100 }, (_, at) => [
      'physics',
      at / 1000,
      1,
    ]);
    const starts = [-5, 5, 15, 25, 35, 45].map((ms) => ms * MS);
    const found = stepsOf(starts, rows, [
      [0, 26 * MS],
      [30 * MS, 60 * MS],
    ]);
    // 5 to 15, 15 to 25, 35 to 45.
    expect(found?.all).toEqual({ steps: 3, looks: 30, meanUs: 10_000 });
    expect(found).not.toHaveProperty('slow');
    expect(stepsOf([0], rows)).toBeUndefined();
    expect(stepsOf(starts, rows, [[0, MS]])).toBeUndefined();
  });

  it('puts a sample that waited where it waited', () => {
    const { profile, claims } = timedSamples('samples', [
      ['physics', 0.001, 1],
      ['physics', 0.002, 1],
    ]);
    const state = Uint8Array.from([SAMPLE_STATES.indexOf('running'), SAMPLE_STATES.indexOf('gil-wait')]);
    const found = byStep({
      profile: { ...profile, samples: { ...profile.samples, state } },
      thread: 0,
      role: 'physics',
      claims,
      startsNs: Float64Array.from([0, 1e8]),
      windows: [[0, 1e9]],
      mostGroups: 8,
    });
    expect(found?.rows.map(({ bucket, all }) => [bucket, all.share])).toEqual([
      ['physics', 0.5],
      ['gil-wait', 0.5],
    ]);
  });
});
