import { type Profile, SAMPLE_STATES, withoutUnverifiedEdges } from '../model/index.js';
import type { Breakdown } from '../report/index.js';
import { type Claim, UNCLAIMED } from '../rules/index.js';
import { WAITS, type Wait, withWaitLeaves } from './wait-leaves.js';
import { wallShares } from './wall-shares.js';

/** A profile as it is shown, and by row of its stack table what decides the bucket. */
export interface ShownProfile {
  readonly profile: Profile;
  readonly claims: readonly Claim[];
}

/**
 * A profile without calls that no verified stack has, and, of threads whose breakdown is by states, each sample weighing its share of the
 * thread's time (0 to 1), with a leaf below those that waited for the GIL or a CPU. What weighs nothing is left out.
 */
export function shownProfile(
  whole: Profile,
  { threads }: Pick<Breakdown, 'threads'>,
  claims: readonly Claim[],
): ShownProfile {
  const drawn = withoutUnverifiedEdges(whole);
  const { samples } = drawn;
  const { state } = samples;
  if (state === undefined) return { profile: drawn, claims };
  const worths = new Map(
    threads.flatMap(({ index, estimate }) => {
      const { perState } = wallShares(estimate);
      return perState === undefined ? [] : [[index, perState] as const];
    }),
  );
  const waitAt = (row: number): Wait | undefined => {
    const name = SAMPLE_STATES[state[row] as number];
    const wait = WAITS.find((one) => one === name);
    return worths.has(samples.thread[row] as number) ? wait : undefined;
  };
  function* waited(): Generator<readonly [number, Wait]> {
    for (let row = 0; row < samples.length; row += 1) {
      const wait = waitAt(row);
      if (wait !== undefined) yield [samples.stack[row] as number, wait];
    }
  }
  const leaves = withWaitLeaves(drawn, waited());
  const weight = samples.weight.map((own, row) => {
    const worth = worths.get(samples.thread[row] as number);
    return worth === undefined ? own : own * worth[SAMPLE_STATES[state[row] as number] ?? 'unknown'];
  });
  const kept = Int32Array.from(weight.keys()).filter((row) => (weight[row] as number) > 0);
  const { timeNs } = samples;
  return {
    profile: {
      ...leaves.profile,
      samples: {
        length: kept.length,
        stack: kept.map((row) => {
          const stack = samples.stack[row] as number;
          const wait = waitAt(row);
          return wait === undefined ? stack : leaves.rowOf(stack, wait);
        }),
        thread: kept.map((row) => samples.thread[row] as number),
        weight: Float64Array.from(kept, (row) => weight[row] as number),
        ...(timeNs === undefined ? {} : { timeNs: Float64Array.from(kept, (row) => timeNs[row] as number) }),
      },
    },
    claims: Array.from(
      { length: leaves.profile.stacks.length },
      (_, row) => leaves.claimOf(row) ?? claims[row] ?? UNCLAIMED,
    ),
  };
}
