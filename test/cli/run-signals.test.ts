import { describe, expect, it } from 'vitest';
import { passSignals } from '../../src/cli/run-signals.js';

function passing(foreground: boolean): {
  readonly press: (signal: NodeJS.Signals) => void;
  readonly passed: ReturnType<typeof passSignals>;
  readonly got: NodeJS.Signals[];
  readonly listening: () => number;
} {
  const listeners = new Map<NodeJS.Signals, () => void>();
  const got: NodeJS.Signals[] = [];
  const passed = passSignals({
    on: (signal, listener) => listeners.set(signal, listener),
    off: (signal) => listeners.delete(signal),
    inForeground: () => foreground,
  });
  return { passed, got, press: (signal) => listeners.get(signal)?.(), listening: () => listeners.size };
}

describe('signals', () => {
  it('are passed on, each time, and end the recording', () => {
    const { passed, got, press } = passing(false);
    passed.to({ signal: (signal) => got.push(signal) });
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM'] as const) press(signal);
    expect(got).toEqual(['SIGTERM', 'SIGINT', 'SIGTERM']);
    expect(passed.signal.aborted).toBe(true);
  });

  it('are not sent a second time where the terminal has sent them to the program as well', () => {
    const { passed, got, press } = passing(true);
    passed.to({ signal: (signal) => got.push(signal) });
    for (const signal of ['SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGTERM'] as const) press(signal);
    expect(got).toEqual(['SIGTERM']);
    expect(passed.signal.aborted).toBe(true);
  });

  it('of the user reach the program, and the recording goes on', () => {
    const { passed, got, press } = passing(true);
    passed.to({ signal: (signal) => got.push(signal) });
    press('SIGUSR1');
    press('SIGUSR2');
    expect(got).toEqual(['SIGUSR1', 'SIGUSR2']);
    expect(passed.signal.aborted).toBe(false);
  });

  it('that come before the program is there are passed on once it is', () => {
    const { passed, got, press } = passing(true);
    press('SIGINT');
    passed.to({ signal: (signal) => got.push(signal) });
    expect(got).toEqual(['SIGINT']);
  });

  it('are let go at the end', () => {
    const { passed, listening } = passing(false);
    expect(listening()).toBe(6);
    passed.stop();
    expect(listening()).toBe(0);
  });
});
