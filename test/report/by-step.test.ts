import { describe, expect, it } from 'vitest';
import { type Bucket, SAMPLE_STATES } from '../../src/model/index.js';
import { mostBeyond } from '../../src/report/by-step-beyond.js';
import { openSlowest } from '../../src/report/by-step-slowest.js';
import { type ByStep, byStep, byStepJson, byStepText } from '../../src/report/index.js';
import { byStepSection } from '../../src/report/html/by-step-section.js';
import type { Report } from '../../src/report/report.js';
import { rawInterval } from '../../src/stats/index.js';
import type { SlowStep } from '../../src/report/by-step.js';
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

const STYLE = { width: 100, color: false } as never;

function answerOf(found: ByStep, path = 'r'): Parameters<typeof byStepText>[0] {
  return {
    source: { path, format: 'recording' },
    window: {},
    byStep: found,
    lost: { lines: 0, samples: 0, examples: [] },
    findings: [],
  };
}

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
    const text = byStepText(answerOf(found!), STYLE);
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

/** As `twentieths`, but of the slow step that begins at 38 ms only those samples that are wanted. */
function cutShort(wanted: (sample: number) => boolean): ByStep | undefined {
  const { starts, rows } = twentieths();
  const kept = rows.filter(([, timeS]) => {
    const sample = Math.round(timeS * 10_000 - 380 - 0.5);
    return sample < 0 || sample >= 40 || wanted(sample);
  });
  return stepsOf(starts, kept);
}

const firstOf = (found: ByStep | undefined): SlowStep | undefined => found?.slowest[0];

/** A step of 4 ms with five samples, so many of them in publishing. */
function oneStep(publishing: number): Parameters<typeof mostBeyond>[0] {
  const rows = [{ bucket: 'publishing' as const, interval: rawInterval(publishing, 5) }];
  return { steps: 1, looks: 5, meanUs: 4000, rows };
}

describe('the slowest steps', () => {
  it('are those that are set apart, equally slow ones as they came, with what they have most of beyond the others', () => {
    const { starts, rows } = twentieths();
    const found = stepsOf(starts, rows);
    expect(found?.slowest.length).toBe(20);
    expect(found?.slowest.slice(0, 2)).toEqual([
      {
        fromNs: 38 * MS,
        toNs: 42 * MS,
        looks: 40,
        beyond: { bucket: 'publishing', moreUs: 2000 },
      },
      {
        fromNs: 80 * MS,
        toNs: 84 * MS,
        looks: 40,
        beyond: { bucket: 'publishing', moreUs: 2000 },
      },
    ]);
  });

  it('begin with the one that took longest', () => {
    const { starts, rows } = twentieths();
    // The last one takes 5 ms, of which nobody saw the last.
    const [longest] = stepsOf([...starts.slice(0, -1), 841 * MS], rows)?.slowest ?? [];
    expect(longest).toEqual({
      fromNs: 836 * MS,
      toNs: 841 * MS,
      looks: 40,
      beyond: { bucket: 'publishing', moreUs: 2500 },
    });
  });

  it('are at most a hundred', () => {
    const starts = Array.from({ length: 3001 }, (_, at) => at * 2 * MS);
    for (let at = 10; at < 3001; at += 25) starts[at] = at * 2 * MS + MS;
    const rows = Array.from({ length: 6000 }, (_, at): [Bucket, number, number] => [
      'physics',
      (at + 0.5) / 1000,
      1,
    ]);
    const found = stepsOf(starts, rows);
    expect(found?.slow?.steps).toBe(120);
    expect(found?.slowest.length).toBe(100);
    expect(found?.slowest[0]).toEqual({ fromNs: 18 * MS, toNs: 21 * MS, looks: 3 });
  });

  it('are none where slow ones are not set apart', () => {
    const rows = Array.from({ length: 100 }, (_, at): [Bucket, number, number] => ['physics', at / 1000, 1]);
    const found = stepsOf([5 * MS, 15 * MS, 45 * MS], rows);
    expect(found?.slowest).toEqual([]);
    expect(byStepText(answerOf(found!), STYLE)).not.toContain('slowest');
    expect(JSON.parse(byStepJson(answerOf(found!)))).not.toHaveProperty('slowest');
  });

  it('have nothing most where less than half of the samples that are due were taken in them', () => {
    expect(firstOf(cutShort((sample) => sample >= 10 && sample < 30))).toMatchObject({
      looks: 20,
      beyond: { bucket: 'publishing' },
    });
    const thin = firstOf(cutShort((sample) => sample >= 10 && sample < 29));
    expect(thin).toEqual({ fromNs: 38 * MS, toNs: 42 * MS, looks: 19 });
  });

  it('have nothing most where fewer than five samples were taken in them', () => {
    const { starts, rows } = twentieths();
    const found = stepsOf(
      starts,
      rows.filter((_, at) => at % 5 === 0),
    );
    expect(found?.slowest[0]).toMatchObject({ looks: 8, beyond: { bucket: 'publishing', moreUs: 2000 } });
    const few = stepsOf(
      starts,
      rows.filter((_, at) => at % 10 === 0),
    );
    expect(few?.slowest[0]).toEqual({ fromNs: 38 * MS, toNs: 42 * MS, looks: 4 });
  });

  it('have nothing most where counting explains what they have more', () => {
    const [all, others] = [
      { steps: 100, looks: 250, meanUs: 2000 },
      { meanUs: 2000, shareOf: () => rawInterval(5, 250) },
    ];
    expect(mostBeyond(oneStep(2), others, all)).toBeUndefined();
    expect(mostBeyond(oneStep(4), others, all)).toEqual({ bucket: 'publishing', moreUs: 3160 });
  });

  it('are told on the screen, five at most, with the line that opens the first', () => {
    const { starts, rows } = twentieths();
    const text = byStepText(answerOf(stepsOf(starts, rows)!, 'my run'), STYLE);
    expect(text.split('\n').slice(-10)).toEqual([
      '',
      '  slowest from     µs  samples  most beyond the others  µs more',
      '       0.038 s  4,000       40  publishing                2,000',
      '       0.080 s  4,000       40  publishing                2,000',
      '       0.122 s  4,000       40  publishing                2,000',
      '       0.164 s  4,000       40  publishing                2,000',
      '       0.206 s  4,000       40  publishing                2,000',
      '',
      "  Open the slowest: profiler hot 'my run' --from 0.038 --to 0.042",
      '',
    ]);
  });

  it('are opened by whole milliseconds around them, within the window', () => {
    const { starts, rows } = twentieths();
    const moved = [...starts.slice(0, -2), 836.4 * MS, 840.7 * MS];
    const inside = stepsOf(moved, rows, [[0, 1e9]]);
    expect(openSlowest(inside!, 'r')).toBe('profiler hot r --from 0.836 --to 0.841');
    const atEnd = stepsOf(moved, rows, [[0, 840.8 * MS]]);
    expect(openSlowest(atEnd!, 'r')).toBe('profiler hot r --from 0.836 --to 0.8408');
  });

  it('are opened by the first that has samples', () => {
    const found = cutShort(() => false);
    expect(found?.slowest[0]).toEqual({ fromNs: 38 * MS, toNs: 42 * MS, looks: 0 });
    expect(openSlowest(found!, 'r')).toBe('profiler hot r --from 0.08 --to 0.084');
  });

  it('are told on the page', () => {
    const { starts, rows } = twentieths();
    const found = stepsOf(starts, rows)!;
    const page =
      byStepSection({ byStep: found, breakdown: { run: { folder: 'my run' } } } as Report)?.text ?? '';
    const row = '<tr><th scope="row">0.080 s</th><td>4,000</td><td>40</td>';
    expect(page.replaceAll(/>\s+</g, '><')).toContain(row);
    expect(page.match(/ s<\/th>/g)).toHaveLength(5);
    expect(page).toContain('<code>profiler hot &#39;my run&#39; --from 0.038 --to 0.042</code>');
  });

  it('are told as data, all of them', () => {
    const { starts, rows } = twentieths();
    const { slowest } = JSON.parse(byStepJson(answerOf(stepsOf(starts, rows)!)));
    expect(slowest.length).toBe(20);
    expect(slowest[0]).toEqual({ from: 0.038, us: 4000, samples: 40, bucket: 'publishing', moreUs: 2000 });
    const [none] = JSON.parse(byStepJson(answerOf(cutShort(() => false)!))).slowest;
    expect(none).toEqual({ from: 0.038, us: 4000, samples: 0 });
  });
});
