import { describe, expect, it } from 'vitest';
import { StepProfiler } from '../../../src/telemetry/steps/index.js';
import type { GcPause } from '../../../src/telemetry/steps/loop-watch.js';
import { held, ManualHost } from './manual-host.js';

describe('the lag of the event loop', () => {
  it('is the time past the last look and the interval, so that one block shows once', () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host }).start();
    for (const ms of [5, 5.5, 75, 5, 4]) host.wake(ms);
    expect(prof.lagSamples.map(([ts, lagMs]) => [ts, Math.round(lagMs * 1000) / 1000])).toEqual([
      [0.005, 0],
      [0.0105, 0.5],
      [0.0855, 70],
      [0.0905, 0],
      [0.0945, 0],
    ]);
    expect(prof.lagSpikes.map(({ ts, near }) => [ts, near])).toEqual([[0.0855, '(between steps)']]);
    expect(prof.maxLagMs).toBeCloseTo(70, 9);
  });

  it('is watched from the first step on, with `await using` at once, and no longer than the profiler', async () => {
    const host = new ManualHost();
    const sync = new StepProfiler({ host });
    expect(host.waiting).toBe(0);
    sync.step('a', () => undefined);
    expect(host.waiting).toBe(1);
    sync[Symbol.dispose]();
    expect(host.waiting).toBe(0);
    {
      await using prof = new StepProfiler({ host });
      expect([prof.samples.length, host.waiting]).toEqual([0, 1]);
    }
    {
      using prof = new StepProfiler({ host });
      expect([prof.samples.length, host.waiting]).toEqual([0, 0]);
    }
    expect(host.waiting).toBe(0);
    expect(host.printed.length).toBe(3);
  });

  it('hits the step that blocked, not the one that runs when the loop is back', async () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host }).start();
    host.wake(5);
    await prof.step('blocks', async () => host.pass(100));
    const { promise, keep } = held<void>();
    const next = prof.step('next', () => promise);
    host.wake(2);
    keep();
    await next;
    expect(prof.lagSpikes.map(({ near }) => near)).toEqual(['blocks']);
  });

  it('hits the deepest of steps around each other, and no composite', async () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host }).start();
    const { promise, keep } = held<void>();
    const whole = prof.step('seq', () => prof.step('outer', () => prof.step('inner', () => promise)), {
      composite: true,
    });
    host.wake(40);
    keep();
    await whole;
    expect(prof.lagSpikes.map(({ near }) => near)).toEqual(['inner']);
  });

  it('is not watched where it is switched off', () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host, loopLag: false });
    prof.step('a', () => undefined);
    expect(host.waiting).toBe(0);
    expect(prof.formatReport()).toContain('(loop-lag monitor did not run');
  });

  it('asks Node for whole milliseconds', () => {
    const host = new ManualHost();
    expect(
      [0.0001, 0.0024, 0.0025, Number.NaN].map(
        (loopLagInterval) => new StepProfiler({ host, loopLagInterval }).settings.loopLagInterval,
      ),
    ).toEqual([0.001, 0.002, 0.003, 0.005]);
  });

  it('keeps ten times as many samples as there are steps, and says when it lost some', () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host, maxSamples: 2 }).start();
    for (let at = 0; at < 25; at += 1) host.wake(5);
    expect(prof.lagSamples.length).toBe(19);
    expect(prof.formatReport()).toContain('  samples                     : 25 @ 5 ms\n');
    expect(prof.formatReport()).toContain('  p50 and p99 are without the oldest 6 samples of the lag.\n');
  });
});

describe('a pause of the garbage collector', () => {
  it('is told apart from a call that blocks', () => {
    const host = new ManualHost();
    let tell: ((pause: GcPause) => void) | undefined;
    let isOn = false;
    const prof = new StepProfiler({
      host: {
        ...all(host),
        watchGc: (onPause) => {
          [tell, isOn] = [onPause, true];
          return () => {
            isOn = false;
          };
        },
        watchDelay: (resolutionMs) => ({
          read: () => ({ meanMs: 1, p50Ms: resolutionMs, p99Ms: 30, maxMs: 64 }),
          stop: () => undefined,
        }),
      },
    }).start();
    host.wake(5);
    host.wake(69);
    tell?.({ startMs: host.ms - 60, durationMs: 40 });
    // Told before the spike is.
    tell?.({ startMs: host.ms + 8, durationMs: 1.5 });
    host.wake(37);
    // Before all of them, and after.
    tell?.({ startMs: 1000, durationMs: 2 });
    tell?.({ startMs: host.ms, durationMs: 2 });
    expect(
      prof.lagSpikes.map(({ lagMs, gcMs, cause }) => [Math.round(lagMs), Math.round(gcMs * 10) / 10, cause]),
    ).toEqual([
      [64, 40, 'gc'],
      [32, 1.5, 'blocked'],
    ]);
    expect(prof.gc).toEqual({ pauses: 4, totalMs: 45.5, maxMs: 40 });
    expect(prof.formatReport()).toContain(
      [
        '  gc pauses                   : 4, 45.5 ms in all, longest 40.0 ms',
        '  gc in the spikes            : 41.5 of 96.0 ms (more than half of 1 of 2)',
        "  node's own histogram        : p50 5.0, p99 30.0, max 64.0 ms",
        '',
      ].join('\n'),
    );
    prof[Symbol.dispose]();
    expect(isOn).toBe(false);
  });
});

function all(host: ManualHost): Pick<ManualHost, 'clock' | 'timers' | 'print' | 'warn' | 'traces'> {
  return { clock: host.clock, timers: host.timers, print: host.print, warn: host.warn, traces: host.traces };
}
