import type { Finding } from '../model/index.js';

/** perf's timer is exact: at a round rate it would meet a loop of a round rate in the same place every time. */
export const PERF_HZ = 499;

function isPrime(value: number): boolean {
  if (value < 2) return false;
  for (let by = 2; by * by <= value; by += 1) if (value % by === 0) return false;
  return true;
}

/**
 * The nearest rate that shares no divisor with a loop's: a prime. Of two that are as near, the lower. A rate of 2 Hz or less is taken as
 * it is.
 */
export function perfRate(wantedHz: number): number {
  if (wantedHz <= 2) return wantedHz;
  for (let away = 0; ; away += 1) {
    if (isPrime(wantedHz - away)) return wantedHz - away;
    if (isPrime(wantedHz + away)) return wantedHz + away;
  }
}

/** Said where the user's rate was moved. */
export function rateMoved(wantedHz: number | undefined): readonly Finding[] {
  if (wantedHz === undefined || perfRate(wantedHz) === wantedHz) return [];
  return [
    {
      level: 'note',
      id: 'rate-moved',
      what: `perf samples at ${perfRate(wantedHz)} Hz instead of ${wantedHz} Hz.`,
      why: 'Its timer is exact: at a rate that divides evenly with that of the loop, it sees the same place of every step, and can be wrong by the whole share.',
    },
  ];
}
