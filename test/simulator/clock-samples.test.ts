import { describe, expect, it } from 'vitest';
import { ProfilerError } from '../../src/model/index.js';
import { clockFactor, type ClockSample } from '../../src/simulator/index.js';

interface Made {
  readonly seconds?: number;
  readonly hz?: number;
  /** Simulated seconds per wall second, at a wall second. */
  readonly speed?: (second: number) => number;
  /** How late the message of a wall second comes, in seconds. */
  readonly late?: (second: number) => number;
}

/** Messages of a clock that is published so often a second of wall time. */
function clock({ seconds = 20, hz = 100, speed = () => 0.82, late = () => 0 }: Made): ClockSample[] {
  let simNs = 0;
  let cameNs = 0;
  return Array.from({ length: seconds * hz + 1 }, (_, index) => {
    const at = index / hz;
    if (index > 0) simNs += (speed(at) * 1e9) / hz;
    // In the order in which they were sent.
    cameNs = Math.max(cameNs, Math.round((at + late(at)) * 1e9));
    return { receiveNs: cameNs, simNs: Math.round(simNs) };
  });
}

const ids = (samples: readonly ClockSample[], endNs?: number): readonly string[] =>
  clockFactor(samples, endNs === undefined ? {} : { endNs }).findings.map(({ id }) => id);

function refusal(samples: readonly ClockSample[]): string {
  try {
    clockFactor(samples);
  } catch (error) {
    if (error instanceof ProfilerError) return error.finding.id;
    throw error;
  }
  throw new Error('not refused');
}

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

describe('a clock that runs evenly', () => {
  it('tells its factor, its window and every second of it', () => {
    const found = clockFactor(clock({}));
    expect(found.factor.value).toBeCloseTo(0.82, 9);
    expect(found.factor.high - found.factor.low).toBeLessThan(1e-6);
    // Without the first message.
    expect(found.messages).toBe(2000);
    expect(found.windowS).toBeGreaterThan(17.9);
    expect(found.perSecond.length).toBeGreaterThanOrEqual(17);
    for (const second of found.perSecond) expect(second).toBeCloseTo(0.82, 6);
    expect(found.findings).toEqual([]);
  });

  it('is known to the delays of its messages, and no better', () => {
    const next = random(1);
    // Up to 20 ms late, mostly less.
    const found = clockFactor(clock({ speed: () => 1.5, late: () => 0.02 * next() ** 2 }));
    expect(Math.abs(found.factor.value - 1.5)).toBeLessThan(0.0005);
    expect(found.factor.low).toBeLessThanOrEqual(1.5);
    expect(found.factor.high).toBeGreaterThanOrEqual(1.5);
    expect(found.factor.high - found.factor.low).toBeLessThan(0.005);
  });

  it('holds the truth in 95 of 100 windows, however late its messages come', () => {
    const next = random(2);
    let held = 0;
    for (let index = 0; index < 300; index += 1) {
      const speed = 0.3 + 2 * next();
      const worst = 0.1 * next();
      const { low, high } = clockFactor(
        clock({ seconds: 5, hz: 50, speed: () => speed, late: () => worst * next() ** 2 }),
      ).factor;
      if (low <= speed && speed <= high) held += 1;
    }
    expect(held / 300).toBeGreaterThanOrEqual(0.95);
  });

  it('may be one that is late in its first message: that does not count', () => {
    const [first, ...rest] = clock({});
    const found = clockFactor([{ ...first!, simNs: -5e9 }, ...rest]);
    expect(found.factor.value).toBeCloseTo(0.82, 9);
    expect(found.findings).toEqual([]);
  });
});

describe('what happens in the window', () => {
  it('is in the factor: a stall of two seconds takes a tenth of twenty', () => {
    const found = clockFactor(clock({ hz: 500, speed: (at) => (at > 8 && at <= 10 ? 0 : 1) }));
    expect(found.factor.value).toBeCloseTo(0.9, 2);
    expect(Math.min(...found.perSecond)).toBeLessThan(0.01);
    expect(found.findings).toMatchObject([
      {
        level: 'warning',
        id: 'clock-paused',
        what: 'Simulated time stood still for 2.0 s, 8.0 s after the first message.',
        why: 'The simulation was paused, or one step took so long: it is in the factor, which is 1.00 without it.',
      },
    ]);
  });

  it('may be a pause in which nothing is published', () => {
    const samples = clock({ speed: (at) => (at > 8 && at <= 10 ? 0 : 1) });
    const silent = samples.filter((sample, index) => sample.simNs !== samples[index - 1]?.simNs);
    expect(silent.length).toBeLessThan(samples.length - 190);
    expect(ids(silent)).toEqual(['clock-paused']);
    expect(clockFactor(silent).factor.value).toBeCloseTo(clockFactor(samples).factor.value, 9);
  });

  it('may be a pause that lasts to the end of listening', () => {
    const samples = clock({ seconds: 10, speed: () => 1 });
    const found = clockFactor(samples, { endNs: 20e9 });
    expect(found.factor.value).toBeCloseTo(0.5, 3);
    expect(found.findings.map(({ id }) => id)).toEqual(['clock-paused']);
    expect(ids(samples, 10.1e9)).toEqual([]);
  });

  it('may be messages that were held up: they change nothing, and are named', () => {
    // Held from 8 to 9, then all at once.
    const found = clockFactor(clock({ late: (at) => (at > 8 && at < 9 ? 9 - at : 0) }));
    expect(found.factor.value).toBeCloseTo(0.82, 6);
    expect(found.findings).toMatchObject([
      {
        level: 'note',
        id: 'clock-bursts',
        what: 'Messages came in bursts: once after up to 1.00 s without any.',
      },
    ]);
  });

  it('is not told of where a tenth of a second was late, once', () => {
    expect(ids(clock({ late: (at) => (at > 8 && at < 8.1 ? 8.1 - at : 0) }))).toEqual([]);
  });

  it('may be messages that always come a tenth of a second at once', () => {
    const found = clockFactor(clock({ hz: 500, speed: () => 2, late: (at) => Math.ceil(at * 10) / 10 - at }));
    expect(Math.abs(found.factor.value - 2)).toBeLessThan(0.002);
    expect(found.factor.low).toBeLessThanOrEqual(2);
    expect(found.factor.high).toBeGreaterThanOrEqual(2);
    expect(found.findings.map(({ id }) => id)).toEqual(['clock-bursts']);
  });

  it('may be a reset: the longest time without one counts', () => {
    const samples = [
      ...clock({ seconds: 5, speed: () => 0.5 }),
      ...clock({ seconds: 12 }).map((one) => ({ ...one, receiveNs: one.receiveNs + 5.01e9 })),
    ];
    const found = clockFactor(samples);
    expect(found.factor.value).toBeCloseTo(0.82, 9);
    expect(found.findings).toMatchObject([
      {
        level: 'warning',
        id: 'clock-jumped',
        what: 'Simulated time jumped back once; this is of the longest time without a jump, 12.0 s.',
      },
    ]);
  });

  it('may be a leap ahead, which is none of the simulation', () => {
    const samples = clock({}).map((one) =>
      one.receiveNs > 15e9 ? { ...one, simNs: one.simNs + 100e9 } : one,
    );
    const found = clockFactor(samples);
    expect(found.factor.value).toBeCloseTo(0.82, 9);
    expect(found.findings[0]?.what).toContain('jumped ahead once');
  });

  it('is nothing where time stands still all along', () => {
    const found = clockFactor(clock({ speed: () => 0 }));
    expect(found.factor).toEqual({ value: 0, low: 0, high: 0 });
    expect(found.findings.map(({ id }) => id)).toEqual(['clock-stands-still']);
  });
});

const two = (named: boolean): readonly ClockSample[] =>
  [
    ...clock({ hz: 100 }).map((one) => ({ ...one, ...(named ? { publisher: 'a' } : {}) })),
    ...clock({ hz: 50, speed: () => 2 }).map((one) => ({
      receiveNs: one.receiveNs + 1,
      simNs: one.simNs + 1000e9,
      ...(named ? { publisher: 'b' } : {}),
    })),
  ].sort((a, b) => a.receiveNs - b.receiveNs);

describe('several publishers', () => {
  it('are told apart where the subscriber can, and one of them counts', () => {
    const found = clockFactor(two(true));
    expect(found.factor.value).toBeCloseTo(0.82, 9);
    expect(found.findings).toMatchObject([
      {
        id: 'clock-several-publishers',
        what: '2 publishers write to the clock; this is the one that sent most (2001 of 3002 messages).',
      },
    ]);
  });

  it('are refused where nobody can', () => {
    expect(refusal(two(false))).toBe('clock-several-publishers');
  });
});

describe('too little', () => {
  it('is refused', () => {
    expect(refusal([])).toBe('clock-too-few');
    expect(refusal(clock({ seconds: 5, hz: 1 }))).toBe('clock-too-few');
    expect(refusal(clock({ seconds: 20, hz: 100 }).slice(0, 50))).toBe('clock-too-few');
    expect(clockFactor(clock({ seconds: 12, hz: 1 })).factor.value).toBeCloseTo(0.82, 6);
  });
});

it('half a million messages are read at once', () => {
  const next = random(3);
  const samples = clock({ seconds: 1000, hz: 500, late: () => 0.05 * next() ** 8 });
  expect(clockFactor(samples).factor.value).toBeCloseTo(0.82, 4);
});
