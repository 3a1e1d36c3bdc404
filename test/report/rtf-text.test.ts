import { describe, expect, it } from 'vitest';
import { type Rtf, rtfText } from '../../src/report/index.js';

const STYLE = { width: 200, color: false };
const CLOCK = { way: 'clock', messages: 1000, windowS: 10, simS: 8.2, perSecond: [], via: 'rclpy' } as const;

/** The line with the factor. */
function headline(found: Partial<Rtf>): string | undefined {
  const whole = { source: 'x', factor: 0.82, pace: 1, measured: CLOCK, findings: [], ...found };
  return rtfText(whole, STYLE)
    .split('\n')
    .find((line) => line.includes('Real-time factor'))
    ?.trim();
}

describe('the headline of rtf', () => {
  it('has as many digits as its interval is worth', () => {
    expect(headline({ low: 0.81, high: 0.83 })).toBe(
      'Real-time factor 0.820 ± 0.010: falls behind real time by 18 %.',
    );
    expect(headline({ low: 0.77, high: 0.87 })).toBe(
      'Real-time factor 0.82 ± 0.05: falls behind real time by 18 %.',
    );
    expect(headline({ low: 0.8199, high: 0.8201 })).toMatch(/^Real-time factor 0\.8200 ± 0\.0001: /);
    expect(headline({ low: 0.82, high: 0.82 })).toMatch(/^Real-time factor 0\.820 ± 0\.001: /);
    expect(headline({ low: 0.3, high: 0.9 })).toMatch(/^Real-time factor 0\.82 \(0\.30–0\.90\): /);
    expect(headline({})).toMatch(/^Real-time factor 0\.82: /);
  });

  it('keeps up as far as the interval, and half a percent, allow', () => {
    expect(headline({ factor: 0.997, low: 0.9965, high: 0.9975 })).toContain(': keeps up with real time.');
    expect(headline({ factor: 0.97, low: 0.94, high: 1 })).toContain(': keeps up with real time.');
    expect(headline({ factor: 0.9, low: 0.8, high: 1 })).toContain(': may keep up with real time, or not.');
    expect(headline({ factor: 0.99, low: 0.989, high: 0.991 })).toContain(': falls behind real time by 1 %.');
  });

  it('measures by the pace that it was given', () => {
    expect(headline({ factor: 0.5, pace: 0.5 })).toContain(': keeps up with its pace of 0.5.');
    expect(headline({ factor: 0.25, pace: 0.5 })).toContain(': falls behind its pace of 0.5 by 50 %.');
    expect(headline({ factor: 3, low: 2.9, high: 3.1 })).toContain(': runs 3.0 times as fast as real time.');
    expect(headline({ factor: 0, low: 0, high: 0 })).toContain(': simulated time stands still.');
  });

  it('says what unpaced runs mean for real time', () => {
    const { pace: _, ...unpaced } = { source: 'x', measured: CLOCK, findings: [], pace: 1 };
    const text = (factor: number, low: number, high: number): string =>
      rtfText({ ...unpaced, factor, low, high }, STYLE);
    expect(text(2, 1.9, 2.1)).toContain('so real time leaves it idle 50 % of the time');
    expect(text(0.82, 0.8, 0.84)).toContain('it cannot keep up with real time, and falls behind by 18 %');
    expect(text(1.01, 0.95, 1.07)).toContain('it can just about keep up with real time, and has no headroom');
  });
});

it('names from outside cannot write to the terminal', () => {
  const text = rtfText(
    {
      source: 'a\u001B[2Jb',
      factor: 1,
      measured: { ...CLOCK, via: 'c\u001B[2Jd' },
      findings: [],
    },
    STYLE,
  );
  expect(text).not.toContain('\u001B');
});

describe('the line to type of rtf', () => {
  const late = { source: 'x', factor: 0.82, low: 0.81, high: 0.83, pace: 1, measured: CLOCK, findings: [] };

  it('names the process that was measured, on a line of its own', () => {
    const text = rtfText({ ...late, target: '--container sim --match run_bridge' }, { ...STYLE, width: 50 });
    expect(text.split('\n').slice(3, 7)).toEqual([
      '  A pacer that is late has no time to sleep. Which',
      '  part of the step takes it:',
      '  profiler attach --container sim --match run_bridge',
      '  1,000 messages of /clock heard with rclpy: 8.20',
    ]);
  });

  it('has PID in its place where there was no process', () => {
    expect(rtfText(late, STYLE)).toContain('\n  profiler attach --pid PID\n');
    const { pace: _, ...unpaced } = late;
    expect(rtfText(unpaced, STYLE)).toContain(
      '\n  Which part of its step has to shrink:\n  profiler attach --pid PID\n',
    );
  });
});
