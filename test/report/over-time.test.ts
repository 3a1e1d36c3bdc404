import { describe, expect, it } from 'vitest';
import type { Bucket, Profile } from '../../src/model/index.js';
import { type OverTime, binLength, binsThatFit, overTime, overTimeText } from '../../src/report/index.js';
import { randomNumbers, timedSamples } from './timed-samples.js';

function over(
  rows: Parameters<typeof timedSamples>[1],
  {
    unit = 'samples' as Profile['unit'],
    fromS = 0,
    toS = 10,
    binS = 1,
    state = undefined as number[] | undefined,
  } = {},
): OverTime {
  const { profile, claims } = timedSamples(unit, rows);
  const column = state === undefined ? {} : { state: Uint8Array.from(state) };
  const known = { ...profile, samples: { ...profile.samples, ...column } };
  return overTime({ profile: known, thread: 0, role: 'physics', claims, fromS, toS, binS });
}

const rowsOf = ({ buckets }: OverTime) => Object.fromEntries(buckets.map(({ id, shares }) => [id, shares]));

/** A sample each 2 ms, of the bucket that is asked for by its number and second. */
function each2ms(seconds: number, bucketOf: (second: number, sample: number) => Bucket) {
  return Array.from(
    { length: seconds * 500 },
    (_, at) => [bucketOf(at / 500, at), at / 500, 1] as [Bucket, number, number],
  );
}

describe('a thread over time', () => {
  it('has the shares of each moment, those that work first, and none where nobody looked', () => {
    const found = over(
      [
        ['pacer', 0.1, 1],
        ['physics', 0.2, 3],
        ['raycast', 2, 1],
        ['physics', 2.999, 1],
      ],
      { toS: 3 },
    );
    expect(found.bins).toEqual([
      { fromS: 0, toS: 1, looks: 2 },
      { fromS: 1, toS: 2, looks: 0 },
      { fromS: 2, toS: 3, looks: 2 },
    ]);
    expect(found.buckets).toEqual([
      { id: 'physics', share: 4 / 6, shares: [0.75, undefined, 0.5] },
      { id: 'raycast', share: 1 / 6, shares: [0, undefined, 0.5] },
      { id: 'pacer', share: 1 / 6, shares: [0.25, undefined, 0] },
    ]);
    expect([found.thread.name, found.role, found.states]).toEqual(['MainThread', 'physics', undefined]);
  });

  it('gives a measured sample to every moment that it reaches into', () => {
    const found = over(
      [
        ['physics', 0.5, 2e9],
        ['pacer', 2.5, 0.5e9],
      ],
      { unit: 'nanoseconds', toS: 3 },
    );
    expect(rowsOf(found)).toEqual({ physics: [1, 1, 0.5], pacer: [0, 0, 0.5] });
    expect(found.bins.map(({ looks }) => looks)).toEqual([1, 0, 1]);
  });

  it('takes the last moment of the window, and an interval of it', () => {
    const found = over(
      [
        ['physics', 3, 1],
        ['pacer', 4.5, 1],
      ],
      { fromS: 3, toS: 4.5 },
    );
    expect(found.bins).toEqual([
      { fromS: 3, toS: 4, looks: 1 },
      { fromS: 4, toS: 4.5, looks: 1 },
    ]);
  });

  it('takes waits for the GIL and a CPU out of the bucket, and shows every state', () => {
    const rows = Array.from({ length: 4 }, (_, at) => ['physics', at / 4, 1] as ['physics', number, number]);
    const found = over(rows, { toS: 1, state: [1, 3, 2, 5] });
    expect(rowsOf(found)).toEqual({ physics: [0.5], 'gil-wait': [0.25], 'cpu-wait': [0.25] });
    expect(found.states?.map(({ id, share }) => [id, share])).toEqual([
      ['running', 0.25],
      ['cpu-wait', 0.25],
      ['gil-wait', 0.25],
      ['blocked', 0.25],
    ]);
  });

  it('is of nothing that has no times', () => {
    const { profile, claims } = timedSamples('samples', []);
    const facts = { profile, thread: 0, role: 'physics', claims, fromS: 0, toS: 1, binS: 1 };
    expect(() => overTime(facts)).toThrow(RangeError);
  });

  it.each([
    [20, 10_000, 40, 1],
    [60, 30_000, 40, 2],
    [5, 2500, 40, 0.2],
    [5, 100, 40, 1],
    [5, 2500, 10, 0.5],
    [100_000, 1e6, 10, 10_000],
  ])('has moments of %d s, %d samples and at most %d of them: %d s', (windowS, looks, most, binS) => {
    expect(binLength(windowS, looks, most)).toBe(binS);
  });
});

/** Whether a sample is among the first so many of each hundred. */
const turns = (share: number) => (sample: number) => (sample % 100) / 100 < share;

describe('what changed', () => {
  it('is a burst where few moments are apart, which are one next to each other', () => {
    const { changes } = over(
      each2ms(20, (second, at) =>
        turns(second >= 6 && second < 8 ? 0.5 : 0.1)((at * 37) % 100) ? 'render' : 'pacer',
      ),
      { toS: 20 },
    );
    expect(changes).toEqual([
      { kind: 'burst', bucket: 'render', fromS: 6, toS: 8, share: 0.5, elsewhere: 0.1 },
      { kind: 'burst', bucket: 'pacer', fromS: 6, toS: 8, share: 0.5, elsewhere: 0.9 },
    ]);
  });

  it('is a drift where a share rises or falls', () => {
    const { changes } = over(
      each2ms(12, (second, at) =>
        turns(0.2 + 0.02 * Math.floor(second))((at * 37) % 100) ? 'physics' : 'pacer',
      ),
      { toS: 12 },
    );
    expect(changes.map(({ kind, bucket }) => [kind, bucket])).toEqual([
      ['drift', 'physics'],
      ['drift', 'pacer'],
    ]);
    expect(changes[0]).toMatchObject({ first: expect.closeTo(0.23), last: expect.closeTo(0.39) });
  });

  it('is going up and down where many moments are apart', () => {
    const { changes } = over(
      each2ms(12, (second, at) =>
        turns(Math.floor(second) % 2 === 0 ? 0.1 : 0.4)((at * 37) % 100) ? 'plugin' : 'idle',
      ),
      { toS: 12 },
    );
    expect(changes).toEqual([
      { kind: 'uneven', bucket: 'plugin', low: 0.1, high: 0.4 },
      { kind: 'uneven', bucket: 'idle', low: 0.6, high: 0.9 },
    ]);
  });

  it('is nothing below five points, however many samples say so', () => {
    const { changes } = over(
      each2ms(400, (second, at) => (turns(second < 40 ? 0.14 : 0.1)((at * 37) % 100) ? 'render' : 'pacer')),
      { toS: 400, binS: 40 },
    );
    expect(changes).toEqual([]);
  });

  it('is nothing in samples that come by chance', () => {
    let told = 0;
    for (let run = 0; run < 50; run += 1) {
      const random = randomNumbers(run);
      const { changes } = over(
        each2ms(20, () => {
          const at = random();
          return at < 0.1 ? 'render' : at < 0.4 ? 'physics' : at < 0.5 ? 'python' : 'pacer';
        }),
        { toS: 20 },
      );
      told += changes.length;
    }
    // Both sides of one moment that is four standard deviations off: one of 16,000 is.
    expect(told).toBeLessThanOrEqual(2);
  });

  it('is nothing where a call is seen by many samples, which are one event', () => {
    let told = 0;
    for (let run = 0; run < 50; run += 1) {
      const random = randomNumbers(run);
      let isRender = false;
      // 30 ms in the mean, 10 % of the time: in a second 3 or so, by chance.
      const { changes } = over(
        each2ms(20, () => {
          isRender = random() < (isRender ? 14 / 15 : 1 / 135);
          return isRender ? 'render' : 'pacer';
        }),
        { toS: 20 },
      );
      told += changes.length;
    }
    expect(told).toBeLessThan(3);
  });

  it('finds a burst of long calls nevertheless', () => {
    const random = randomNumbers(1);
    let isRender = false;
    const { changes } = over(
      each2ms(20, (second) => {
        isRender = random() < (isRender ? 14 / 15 : second >= 7 && second < 8 ? 1 / 5 : 1 / 135);
        return isRender ? 'render' : 'pacer';
      }),
      { toS: 20 },
    );
    expect(changes.map(({ kind, bucket }) => [kind, bucket])).toContainEqual(['burst', 'render']);
  });
});

describe('the text of it', () => {
  const found = over(
    each2ms(20, (second, at) => {
      const render = second >= 6 && second < 8 ? 50 : 10;
      const turn = (at * 37) % 100;
      return turn < render ? 'render' : turn < 60 ? 'physics' : 'pacer';
    }),
    { toS: 20, state: Array.from({ length: 10_000 }, (_, at) => ((at * 37) % 100 < 60 ? 1 : 4)) },
  );
  const answer = {
    source: { path: 'demo', format: 'recording' },
    window: { wallS: 20, rateHz: 500 },
    overTime: found,
    lost: { samples: 0, lines: 0, examples: [] },
    findings: [],
  };

  it('fits 80 columns, moments below each other, with a sentence for each change', () => {
    const text = overTimeText(answer, { width: 80, color: false });
    expect(binsThatFit(80)).toBe(34);
    expect(text).toBe(`  demo · recording · 20.0 s at 500 Hz

  MainThread             share  over time             low–high
  physics               46.0 %  ██████▂▂████████████   10–50 %
  render                14.0 %  ▂▂▂▂▂▂██▂▂▂▂▂▂▂▂▂▂▂▂   10–50 %
  pacer                 40.0 %  ████████████████████      40 %
                                0               20 s

  by the kernel          share  over time             low–high
  running               60.0 %  ████████████████████      60 %
  asleep                40.0 %  ████████████████████      40 %

  A mark is 1 s, 500 samples on average. Each row is drawn from nothing to its
  own highest share, which stands behind it; shares are of the samples of the
  moment.
  physics: 10.0 % from 6 to 8 s, 50.0 % elsewhere.
  render: 50.0 % from 6 to 8 s, 10.0 % elsewhere.
`);
  });

  it('is in ASCII where a terminal has no blocks', () => {
    const text = overTimeText(answer, { width: 60, color: false, ascii: true });
    expect(text).toContain('  render                14.0 %  ::::::@@::::::::::::   10–50 %');
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(63);
  });
});
