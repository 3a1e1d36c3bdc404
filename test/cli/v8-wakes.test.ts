import { describe, expect, it } from 'vitest';
import { v8InStep, withoutWakes } from '../../src/cli/v8-wakes.js';
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
    const few = { ...charged, onCpuNs: 1e7, voluntarySwitches: 900 };
    expect(withoutWakes(few, of.loaded, of.entries)).toMatchObject({ onCpuNs: 0, voluntarySwitches: 0 });
  });

  it('is there with no other sampler', () => {
    const of = loaded('py-spy');
    expect(withoutWakes(charged, of.loaded, of.entries)).toBe(charged);
  });
});

function counted(loopRates: Recording['loopRates']): Recording {
  return recording({ rateHz: 4000, loopRates });
}

describe('functions that hide between a sleep and the next sample', () => {
  const rates = {
    tid: 7,
    measure: 'voluntary-switches',
    before: [800, 780],
    during: [4000],
    after: [820],
  } as const;

  it('have half an interval of every sleep that was counted without the sampler', () => {
    expect(v8InStep(counted([rates]), 7)).toBeCloseTo(800 / 4000 / 2, 12);
    expect(v8InStep(counted([{ ...rates, before: [90_000] }]), 7)).toBe(1);
  });

  it('are not claimed where nobody counted sleeps', () => {
    expect(v8InStep(counted([]), 7)).toBe(0);
    expect(v8InStep(counted([rates]), 8)).toBe(0);
    expect(v8InStep(counted([{ ...rates, measure: 'cpu' }]), 7)).toBe(0);
    expect(v8InStep(counted([{ ...rates, before: [], after: [] }]), 7)).toBe(0);
  });
});
