import { describe, expect, it } from 'vitest';
import { v8Bias, withoutWakes } from '../../src/cli/v8-wakes.js';
import { ProfileBuilder } from '../../src/model/index.js';
import type { Recording } from '../../src/recording/index.js';
import { recording, threadAccounting } from '../recording/example.js';

function loaded(backend: string) {
  const builder = new ProfileBuilder('samples', { format: 'cpuprofile', path: 'r' });
  const thread = builder.thread({ tid: 7, name: 'node' });
  const idle = builder.stack(-1, builder.frame({ name: '(idle)', kind: 'marker' }));
  const step = builder.stack(-1, builder.frame({ name: 'step', kind: 'js' }));
  builder.sample(thread, idle, 1);
  return {
    entries: [
      { thread, stack: idle, weight: 1000 },
      { thread, stack: step, weight: 500 },
    ],
    loaded: {
      profile: builder.build(),
      source: { path: 'r', format: 'recording' },
      findings: [],
      recording: recording({ backend }),
    },
  };
}

describe('what V8 takes of a thread that rests', () => {
  const charged = threadAccounting({ onCpuNs: 5e8, voluntarySwitches: 1300 });

  it('is neither its CPU time nor its sleeps: 20 us and one switch for each sample that found it idle', () => {
    const of = loaded('node');
    expect(withoutWakes(charged, of.loaded, of.entries)).toEqual({
      ...charged,
      onCpuNs: 4.8e8,
      voluntarySwitches: 300,
    });
    const few = { ...charged, voluntarySwitches: 900 };
    expect(withoutWakes(few, of.loaded, of.entries)).toMatchObject({ voluntarySwitches: 0 });
  });

  const left = (onCpuNs: number, cpuWaitNs: number, { loaded: from, entries } = loaded('node')): number =>
    withoutWakes({ ...charged, wallNs: 2e9, onCpuNs, cpuWaitNs }, from, entries).onCpuNs;

  it('leaves samples of work the time that they stand for, where its cost is not known well enough to say', () => {
    const of = loaded('node');
    // A hundredth of the looks.
    const few = {
      ...of,
      entries: [
        { ...of.entries[0]!, weight: 990 },
        { ...of.entries[1]!, weight: 10 },
      ],
    };
    // 19.8 ms of wake-ups, to 7.9 ms: what is beyond the doubt is kept to the nanosecond.
    expect(left(3e7, 0, few)).toBe(3e7 - 990 * 20_000);
    // 1 % of 2 s would be 20 ms, of which two thirds waited: more than is left, within the doubt.
    expect(left(2e7, 4e7, few)).toBeCloseTo(2e9 * 0.01 * (2 / 6), 3);
    // No wake-up was seen to cost less than 12 us.
    expect(left(2e7, 0, few)).toBe(2e7 - 990 * 12_000);
    // These did: something is left of it all the same.
    expect(left(1e7, 0, few)).toBeCloseTo(1e5, 3);
  });

  it('leaves nothing where there is nothing', () => {
    const of = loaded('node');
    const resting = { ...of, entries: of.entries.slice(0, 1) };
    expect(left(1e7, 1e7, resting)).toBe(0);
    expect(left(0, 0, of)).toBe(0);
    expect(left(0, 0, { ...of, entries: [] })).toBe(0);
  });

  it('is there with no other sampler', () => {
    const of = loaded('py-spy');
    expect(withoutWakes(charged, of.loaded, of.entries)).toBe(charged);
  });
});

describe('how far the shares of V8 may be off', () => {
  const rates = {
    tid: 48211,
    measure: 'voluntary-switches',
    before: [800, 780],
    during: [4000],
    after: [820],
  } as const;
  const busy: ReturnType<typeof loaded> = { ...loaded('node'), entries: [] };
  const doubt = (loopRates: Recording['loopRates'], of = busy): number =>
    v8Bias(recording({ rateHz: 4000, loopRates }), threadAccounting({}), of.loaded.profile, of.entries);

  it('is half an interval of every sleep that was counted without the sampler', () => {
    expect(doubt([rates])).toBeCloseTo(800 / 4000 / 2, 12);
    expect(doubt([{ ...rates, before: [90_000] }])).toBe(1);
  });

  it('is nothing of it where nobody counted sleeps', () => {
    expect(doubt([])).toBe(0);
    expect(doubt([{ ...rates, tid: 8 }])).toBe(0);
    expect(doubt([{ ...rates, measure: 'cpu' }])).toBe(0);
    expect(doubt([{ ...rates, before: [], after: [] }])).toBe(0);
  });

  it('is 8 us for each sample of an idle thread besides', () => {
    // 1000 of them in 2 s.
    expect(doubt([], loaded('node'))).toBeCloseTo(0.004, 12);
  });

  it('is what they must have cost less, where that is more', () => {
    const of = loaded('node');
    const idle = {
      ...of,
      entries: [
        { ...of.entries[0]!, weight: 990 },
        { ...of.entries[1]!, weight: 10 },
      ],
    };
    const { profile } = of.loaded;
    const little = threadAccounting({ wallNs: 2e9, onCpuNs: 1e7, cpuWaitNs: 0 });
    // 0.1 ms is left of 10 ms: 990 wake-ups took 9.9 ms, and not 19.8.
    expect(v8Bias(recording({ rateHz: 4000, loopRates: [] }), little, profile, idle.entries)).toBeCloseTo(
      0.00495,
      12,
    );
  });
});
