import { describe, expect, it } from 'vitest';
import { ProfilerError } from '../../src/model/index.js';
import { factorOfRuns, parseTimedRuns, type TimedRun, timedRunsText } from '../../src/simulator/index.js';
import { studentT95 } from '../../src/stats/index.js';

function runs(text: string): readonly TimedRun[] {
  const found = parseTimedRuns(text);
  if (found === undefined) throw new Error(`not runs: ${text}`);
  return found;
}

const factor = (text: string): ReturnType<typeof factorOfRuns> => factorOfRuns(runs(text), studentT95);

function refusal(text: string): ProfilerError['finding'] {
  try {
    factor(text);
  } catch (error) {
    if (error instanceof ProfilerError) return error.finding;
    throw error;
  }
  throw new Error(`not refused: ${text}`);
}

describe('runs as text', () => {
  it('have a wall time that is worth its digits', () => {
    expect(runs('20:26.3,40:36')).toEqual([
      { simS: 20, wallS: 26.3, readingS: 0.05 },
      { simS: 40, wallS: 36, readingS: 0.5 },
    ]);
  });

  it('are written as they were read', () => {
    for (const text of ['20:26.3,40:36', '0.5:3.120,2.25:4.500'])
      expect(timedRunsText(runs(text))).toBe(text);
  });

  it('are pairs of plain positive numbers, and nothing else', () => {
    for (const text of [
      '',
      '20',
      '20:',
      ':3',
      '20:26.3,',
      '0:1,2:3',
      '20:0,40:3',
      '-20:3',
      '1e1:3',
      '20:26.3;40:36',
      '20:3:4',
      'a:b',
    ])
      expect(parseTimedRuns(text)).toBeUndefined();
    expect(parseTimedRuns(Array.from({ length: 1001 }, () => '1:2').join(','))).toBeUndefined();
  });
});

describe('two runs', () => {
  it("are the difference: start-up cancels, as in roqsim's own example", () => {
    const found = factor('20:26.3,40:36.1');
    // 20 s in 9.8 s, each wall time within half a tenth.
    expect(found.factor.value).toBeCloseTo(20 / 9.8, 12);
    expect(found.factor.low).toBeCloseTo(20 / 9.9, 12);
    expect(found.factor.high).toBeCloseTo(20 / 9.7, 12);
    expect(found.startUpS.value).toBeCloseTo(16.5, 12);
    expect(found.bounds).toBe('reading');
  });

  it('tell nothing of how runs scatter, and that is said with the line to type', () => {
    expect(factor('20:26.3,40:36.1').findings).toMatchObject([
      {
        level: 'warning',
        id: 'scatter-unknown',
        fix: 'profiler rtf --measure 20,40 --repeat 3 -- CMD --seconds {}',
      },
    ]);
  });

  it('of equal length are refused', () => {
    expect(refusal('20:26.3,20:26.4')).toMatchObject({
      id: 'runs-same-length',
      what: 'All 2 runs simulated 20 s.',
      fix: 'profiler rtf --runs 20:26.3,40:WALL',
    });
    expect(refusal('20:26.3').what).toBe('One run of 20 s alone tells no real-time factor.');
  });

  it('that contradict each other are refused', () => {
    expect(refusal('20:26.3,40:26.3').id).toBe('runs-contradict');
    expect(refusal('20:26.3,40:20.1').id).toBe('runs-contradict');
  });

  it('whose digits leave most of the difference open are refused, with longer runs to make', () => {
    expect(refusal('20:26,21:27')).toMatchObject({
      id: 'runs-too-close',
      what: 'The runs of 20 s and 21 s differ by 1 s of wall time: too little to tell a real-time factor.',
      why: 'By the digits that were given it may be off by 1 s.',
      fix: 'profiler rtf --measure 20,30 --repeat 3 -- CMD --seconds {}',
    });
    expect(factor('20:26,40:36').factor.value).toBe(2);
  });

  it('that differ by less than runs of one length do are refused, however many digits they have', () => {
    expect(refusal('20:26.3000,20.5:26.5450')).toMatchObject({
      id: 'runs-too-close',
      why: 'Two runs of the same length often differ by a few percent as well.',
    });
  });

  it('at real time are taken for what a pacer makes', () => {
    expect(factor('20:22.1,40:42.1').findings.map(({ id }) => id)).toEqual([
      'scatter-unknown',
      'maybe-paced',
    ]);
  });

  it('of which the longer is slower than start-up allows are doubted', () => {
    expect(factor('20:20.1,40:60.3').findings.map(({ id }) => id)).toContain('start-up-negative');
  });
});

describe('several runs of each length', () => {
  it('give an interval by their scatter, each length its own', () => {
    const found = factor('10:7.000,10:7.200,20:12.000,20:12.200');
    // Means 7.1 and 12.1; variances of the means 0.01 each; 2 degrees of freedom; 0.5 ms of reading each.
    const half = (4.303 * Math.sqrt(0.02) + 0.001) / 10;
    expect(found.bounds).toBe('scatter');
    expect(found.factor.value).toBeCloseTo(2, 12);
    expect(found.factor.low).toBeCloseTo(1 / (0.5 + half), 9);
    expect(found.factor.high).toBeCloseTo(1 / (0.5 - half), 9);
    expect(found.startUpS.value).toBeCloseTo(2.1, 12);
    expect(found.findings).toEqual([]);
  });

  it('that are all the same are as sure as their digits', () => {
    const found = factor('10:7.0,10:7.0,20:12.0,20:12.0');
    expect(found.factor.low).toBeCloseTo(10 / 5.1, 12);
    expect(found.factor.high).toBeCloseTo(10 / 4.9, 12);
  });

  it('whose scatter is larger than their difference are refused', () => {
    expect(refusal('10:7.0,10:9.0,20:10.0,20:8.5')).toMatchObject({
      id: 'runs-too-close',
      what: 'The runs of 10 s and 20 s differ by 1.3 s of wall time, give or take 16 s: too uncertain to tell a real-time factor.',
      why: 'Runs of the same length differ that much by chance: a busy machine, or a start that takes longer at times. Longer runs, and more of them, help.',
    });
  });

  it('of three lengths are a line', () => {
    const found = factor('10:7.000,20:12.000,30:17.000');
    expect(found.factor.value).toBeCloseTo(2, 9);
    expect(found.startUpS.value).toBeCloseTo(2, 9);
  });
});

/** Numbers from 0 to 1, the same in every run of the test (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
}

function normal(next: () => number): number {
  return Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next());
}

interface Made {
  readonly rtf: number;
  readonly startUpS: number;
  /** Standard deviation of start-up, in seconds. */
  readonly jitterS: number;
  /** Standard deviation of the rate, as a part of it for a run of one second: a slow machine is slow for a while. */
  readonly wander: number;
  readonly digits: number;
}

function wall(simS: number, made: Made, next: () => number): string {
  const loop = (simS / made.rtf) * (1 + (made.wander / Math.sqrt(simS)) * normal(next));
  return (loop + made.startUpS + made.jitterS * normal(next)).toFixed(made.digits);
}

describe('the interval', () => {
  const cases: readonly (readonly [string, Made, readonly number[]])[] = [
    [
      'three runs of each length',
      { rtf: 2.04, startUpS: 16.5, jitterS: 0.3, wander: 0.05, digits: 3 },
      [20, 40, 40, 20, 20, 40],
    ],
    ['two of each', { rtf: 0.82, startUpS: 3, jitterS: 0.2, wander: 0.02, digits: 2 }, [20, 40, 40, 20]],
    [
      'five of each where long runs scatter most',
      { rtf: 5, startUpS: 1, jitterS: 0.01, wander: 0.2, digits: 3 },
      [10, 80, 80, 10, 10, 80, 80, 10, 10, 80],
    ],
    [
      'four lengths',
      { rtf: 1.3, startUpS: 2, jitterS: 0.2, wander: 0.01, digits: 1 },
      [10, 20, 30, 40, 10, 20, 30, 40],
    ],
  ];
  for (const [name, made, lengths] of cases)
    it(`holds the truth in at least 95 of 100 tries: ${name}`, () => {
      const next = random(8);
      let held = 0;
      let refused = 0;
      const tries = 5000;
      for (let index = 0; index < tries; index += 1) {
        const text = lengths.map((simS) => `${simS}:${wall(simS, made, next)}`).join(',');
        try {
          const { low, high } = factor(text).factor;
          if (low <= made.rtf && made.rtf <= high) held += 1;
        } catch (error) {
          if (!(error instanceof ProfilerError)) throw error;
          refused += 1;
        }
      }
      expect(held / (tries - refused)).toBeGreaterThanOrEqual(0.95);
      // An interval that holds everything would be refused.
      expect(refused / tries).toBeLessThan(0.05);
    });

  it('of two runs whose wall times are off by nothing but their digits holds it always', () => {
    const next = random(9);
    const made = { rtf: 2.04, startUpS: 16.5, jitterS: 0, wander: 0, digits: 1 };
    for (let index = 0; index < 1000; index += 1) {
      const startUpS = 10 + 10 * next();
      const text = [20, 40].map((simS) => `${simS}:${wall(simS, { ...made, startUpS }, next)}`).join(',');
      const { low, high } = factor(text).factor;
      expect(low <= 2.04 && 2.04 <= high, text).toBe(true);
    }
  });
});
