import { describe, expect, it } from 'vitest';
import { realTimeOf } from '../../src/cli/real-time.js';
import type { Recording, StepPhase } from '../../src/recording/index.js';
import { recording } from '../recording/example.js';

const phase = (of: StepPhase['phase'], wallS: number, simulatedS?: number, resets?: number): StepPhase => ({
  phase: of,
  startNs: '1000000000',
  endNs: String(1_000_000_000n + BigInt(Math.round(wallS * 1e9))),
  ...(simulatedS === undefined ? {} : { simulatedS }),
  ...(resets === undefined ? {} : { resets }),
});

const measured = (phases: readonly StepPhase[], part: Partial<Recording> = {}) =>
  realTimeOf(
    recording({
      steps: {
        symbol: 'mj_step',
        tid: 7,
        worlds: 1,
        stepsPerS: 500,
        timestepS: 0.002,
        timedBy: 'memory',
        phases,
      },
      ...part,
    }),
  );

describe('the real-time factor of a recording', () => {
  it('is that of the sampled time, where sampling did not change it', () => {
    const found = measured([phase('before', 3, 2.41), phase('during', 20, 16), phase('after', 3, 2.39)]);
    expect(found).toMatchObject({ factor: 0.8, measured: 'during', wallS: 20, timestepS: 0.002, resets: 0 });
    expect([found?.low, found?.high]).toEqual([0.8 - 0.0001, 0.8 + 0.0001]);
  });

  it('is that of the time beside it, where sampling changed it by more than a hundredth', () => {
    expect(measured([phase('before', 3, 3), phase('during', 20, 19), phase('after', 3, 3.06)])).toMatchObject(
      {
        factor: 1.01,
        measured: 'beside',
        wallS: 6,
      },
    );
  });

  it('is never that of a time in which the sampler stopped its target', () => {
    const native = { native: true, backend: 'py-spy' };
    expect(measured([phase('before', 2, 1), phase('during', 20, 10)], native)).toMatchObject({
      measured: 'beside',
    });
    expect(measured([phase('during', 20, 10)], native)).toBeUndefined();
    const perf = { native: true, backend: 'py-spy+perf' };
    expect(measured([phase('during', 20, 10)], perf)).toMatchObject({ factor: 0.5, measured: 'during' });
  });

  it('is not told where it is not known of all of that time', () => {
    expect(realTimeOf(recording({}))).toBeUndefined();
    expect(measured([])).toBeUndefined();
    expect(measured([phase('during', 20)])).toBeUndefined();
    expect(measured([phase('before', 2), phase('during', 20, 10)])).toMatchObject({ measured: 'during' });
  });

  it('says how often time was set back', () => {
    expect(measured([phase('during', 20, 10, 3)])).toMatchObject({ resets: 3 });
  });
});
