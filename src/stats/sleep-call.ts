/**
 * CPU time of one sleep call (leaving the CPU and coming back) that a look sees as sleep: how much differs between machines. On loops with a known
 * truth it was 6 to 40 µs: 10 on one day's machine, 20 on a real simulator's, 30 in another virtual machine.
 */
const CALL_S = { mean: 15e-6, deviation: 15e-6 } as const;
const LONGEST_CALL_S = 60e-6;
const Z95 = 1.96;

/** Wall shares, 0 to 1. */
export interface SleepCalls {
  /** CPU time of all sleep calls that no look saw running. */
  readonly share: number;
  /** Half of its 95 % interval. */
  readonly doubt: number;
}

/**
 * How much of a thread's CPU time went into its sleep calls. The looks see it running for less than the kernel counted, by that much and by the noise of
 * counting; so the difference is weighed against what such a call took elsewhere.
 * @param on its CPU time by the kernel.
 * @param ran samples in which it ran, of `known` that know what it did.
 */
export function sleepCalls({
  on,
  ran,
  known,
  sleepsPerS,
}: {
  readonly on: number;
  readonly ran: number;
  readonly known: number;
  readonly sleepsPerS: number;
}): SleepCalls {
  if (sleepsPerS <= 0 || known === 0) return { share: 0, doubt: 0 };
  const seen = ran / known;
  const prior = CALL_S.deviation ** -2;
  const counted = sleepsPerS ** 2 / ((seen * (1 - seen) + 1 / (known + 4)) / known);
  const callS = (prior * CALL_S.mean + (counted * (on - seen)) / sleepsPerS) / (prior + counted);
  const share = Math.min(on / 2, Math.min(LONGEST_CALL_S, Math.max(0, callS)) * sleepsPerS);
  return { share, doubt: Math.min(on / 2, (Z95 * sleepsPerS) / Math.sqrt(prior + counted)) };
}
