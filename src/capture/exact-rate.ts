import type { Finding } from '../model/index.js';

/** perf's timer is exact: at a round rate it would meet a loop of a round rate in the same place every time. */
export const PERF_HZ = 499;
/** Beside another sampler: a stack that is unwound from a copy costs the loop, and printing it costs a core, as much as py-spy does at this rate. */
export const BESIDE_HZ = 199;
/**
 * So is that of V8, and it wakes a loop that waits for a timer, which then begins its step in step with the samples: a step is off by up
 * to one interval. At 1 kHz the parts of a step of 1.7 ms were wrong by up to 32 points, at 4 kHz by 2.
 */
export const V8_HZ = 4000;

function isPrime(value: number): boolean {
  if (value < 2) return false;
  for (let by = 2; by * by <= value; by += 1) if (value % by === 0) return false;
  return true;
}

/**
 * The nearest rate that shares no divisor with a loop's: a prime. Of two that are as near, the lower. A rate of 2 Hz or less is taken as
 * it is.
 */
export function unlockedRate(wantedHz: number): number {
  if (wantedHz <= 2) return wantedHz;
  for (let away = 0; ; away += 1) {
    if (isPrime(wantedHz - away)) return wantedHz - away;
    if (isPrime(wantedHz + away)) return wantedHz + away;
  }
}

/** The same for V8, which takes whole microseconds between two samples: a prime number of them. */
export function v8Rate(wantedHz: number): number {
  return Math.round(1e6 / unlockedRate(Math.round(1e6 / wantedHz)));
}

/** Said where the user's rate was moved. */
export function rateMoved(sampler: 'perf' | 'V8', wantedHz: number | undefined): readonly Finding[] {
  if (wantedHz === undefined) return [];
  const givenHz = sampler === 'perf' ? unlockedRate(wantedHz) : v8Rate(wantedHz);
  if (givenHz === wantedHz) return [];
  return [
    {
      level: 'note',
      id: 'rate-moved',
      what: `${sampler} samples at ${givenHz} Hz instead of ${wantedHz} Hz.`,
      why: 'Its timer is exact: at a rate that divides evenly with that of the loop, it sees the same place of every step, and can be wrong by the whole share.',
    },
  ];
}
