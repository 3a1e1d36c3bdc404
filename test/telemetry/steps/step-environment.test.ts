import { describe, expect, it } from 'vitest';
import { optionsOf } from '../../../src/telemetry/steps/step-environment.js';
import type { StepProfilerOptions } from '../../../src/telemetry/steps/index.js';
import { StepProfiler } from '../../../src/telemetry/steps/index.js';
import { ManualHost } from './manual-host.js';

function read(env: Record<string, string>): {
  readonly options: StepProfilerOptions | undefined;
  readonly warnings: string[];
} {
  const warnings: string[] = [];
  return { options: optionsOf(env, (line) => warnings.push(line)), warnings };
}

const OFF = { options: undefined, warnings: [] };
const on = (tracePath: string | undefined, more: StepProfilerOptions = {}): object => ({
  options: { tracePath, ...more },
  warnings: [],
});

describe('the variables of raccoon', () => {
  it('switch profiling on, with a path where there is one', () => {
    expect(read({})).toEqual(OFF);
    for (const value of ['', '0', 'false', 'off', 'no', ' OFF '])
      expect(read({ RACCOON_PROFILE: value })).toEqual(OFF);
    for (const value of ['1', 'true', 'on', 'yes', 'Yes '])
      expect(read({ RACCOON_PROFILE: value })).toEqual(on('raccoon-profile.json'));
    expect(read({ RACCOON_PROFILE: 'out/trace' })).toEqual(on('out/trace'));
    expect(read({ RACCOON_PROFILE: 'trace.json' })).toEqual(on('trace.json'));
    expect(read({ SIM_PROFILER_PROFILE: '1' })).toEqual(on('sim-profiler-profile.json'));
  });

  it('are told once where the switch is neither a switch nor a path, and nothing is profiled', () => {
    for (const value of ['ture', '2', 'enabled', 'disabled', 'profile'])
      expect(read({ RACCOON_PROFILE: value })).toEqual({
        options: undefined,
        warnings: [
          `RACCOON_PROFILE="${value}" is no switch (1, true, on, yes, 0, false, off, no) and no path (with a / in it, or .json at its end): nothing is profiled.`,
        ],
      });
  });

  it('are all read', () => {
    for (const prefix of ['RACCOON', 'SIM_PROFILER'])
      expect(
        read({
          [`${prefix}_PROFILE`]: 'a.json',
          [`${prefix}_PROFILE_TRACE`]: 'b.json',
          [`${prefix}_PROFILE_REPORT`]: '0',
          [`${prefix}_PROFILE_LOOP_LAG`]: 'off',
          [`${prefix}_PROFILE_LAG_INTERVAL_MS`]: '10',
          [`${prefix}_PROFILE_LAG_SPIKE_MS`]: '2.5',
          [`${prefix}_PROFILE_TOP`]: '7',
          [`${prefix}_PROFILE_HAL`]: 'no',
          [`${prefix}_PROFILE_SLEEP`]: 'FALSE',
          [`${prefix}_PROFILE_HAL_SPAN_MS`]: '1e-1',
          [`${prefix}_PROFILE_DEFER`]: '',
        }),
      ).toEqual(
        on('b.json', {
          printReport: false,
          loopLag: false,
          loopLagInterval: 0.01,
          lagSpikeMs: 2.5,
          top: 7,
          hal: false,
          sleepTrack: false,
          halSpanMs: 0.1,
          deferTrace: false,
        }),
      );
  });

  it('have no trace where its path is empty', () => {
    expect(read({ RACCOON_PROFILE: '1', RACCOON_PROFILE_TRACE: ' ' })).toEqual(on(undefined));
  });

  it('count less than ours, one by one', () => {
    expect(
      read({
        RACCOON_PROFILE: '1',
        RACCOON_PROFILE_TOP: '3',
        RACCOON_PROFILE_LAG_SPIKE_MS: '4',
        SIM_PROFILER_PROFILE_TOP: '5',
      }),
    ).toEqual(on('raccoon-profile.json', { lagSpikeMs: 4, top: 5 }));
    expect(read({ RACCOON_PROFILE: '1', SIM_PROFILER_PROFILE: '0' })).toEqual(OFF);
  });

  it('with a bad value are told, and count as not set', () => {
    expect(
      read({
        RACCOON_PROFILE: '1',
        RACCOON_PROFILE_TOP: 'many',
        RACCOON_PROFILE_LAG_SPIKE_MS: '',
        RACCOON_PROFILE_LAG_INTERVAL_MS: '0.1',
        RACCOON_PROFILE_HAL_SPAN_MS: '-1',
        RACCOON_PROFILE_HAL: 'ture',
        SIM_PROFILER_PROFILE_LAGSPIKE: '5',
      }),
    ).toEqual({
      options: { tracePath: 'raccoon-profile.json', loopLagInterval: 0.001 },
      warnings: [
        'SIM_PROFILER_PROFILE_LAGSPIKE is no variable that is known: SIM_PROFILER_PROFILE_TRACE, SIM_PROFILER_PROFILE_REPORT, SIM_PROFILER_PROFILE_LOOP_LAG, SIM_PROFILER_PROFILE_LAG_INTERVAL_MS, SIM_PROFILER_PROFILE_LAG_SPIKE_MS, SIM_PROFILER_PROFILE_TOP, SIM_PROFILER_PROFILE_HAL, SIM_PROFILER_PROFILE_SLEEP, SIM_PROFILER_PROFILE_HAL_SPAN_MS, SIM_PROFILER_PROFILE_DEFER.',
        'RACCOON_PROFILE_LAG_INTERVAL_MS="0.1" is less than 1, which Node\'s timers cannot do: 1 counts.',
        'RACCOON_PROFILE_LAG_SPIKE_MS="" is no number of at least 0: it counts as not set.',
        'RACCOON_PROFILE_TOP="many" is no number of at least 0: it counts as not set.',
        'RACCOON_PROFILE_HAL="ture" is neither 1, true, on, yes nor 0, false, off, no: it counts as not set.',
        'RACCOON_PROFILE_HAL_SPAN_MS="-1" is no number of at least 0: it counts as not set.',
      ],
    });
  });

  it('make a profiler, which has the defaults of raccoon for all that is not set', () => {
    const host = new ManualHost();
    expect(StepProfiler.fromEnv({}, { host })).toBeUndefined();
    const prof = StepProfiler.fromEnv({ RACCOON_PROFILE: '1' }, { host, mission: 'M000Setup' });
    expect(prof?.settings).toEqual({
      tracePath: 'raccoon-profile.json',
      loopLag: true,
      loopLagInterval: 0.005,
      lagSpikeMs: 5,
      printReport: true,
      top: 25,
      hal: true,
      sleepTrack: true,
      halSpanMs: 1,
      deferTrace: true,
      mission: 'M000Setup',
      maxSamples: 100_000,
    });
    expect(prof?.tracePath).toBe('raccoon-profile.M000Setup.json');
  });
});
