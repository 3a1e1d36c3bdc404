import { type Profile, SAMPLE_STATES, withoutUnverifiedEdges } from '../model/index.js';
import type { Breakdown } from '../report/index.js';

const [, RUNNING] = SAMPLE_STATES.keys();
const SLEEP = SAMPLE_STATES.indexOf('sleep');
const BLOCKED = SAMPLE_STATES.indexOf('blocked');

/**
 * A profile as it is shown: without calls that no verified stack has, and, of threads whose breakdown is by states, each sample weighing its
 * share of the thread's time (0 to 1). Samples of a wait weigh nothing there and are left out: the wait is shown as a whole.
 */
export function shownProfile(profile: Profile, { threads }: Pick<Breakdown, 'threads'>): Profile {
  const drawn = withoutUnverifiedEdges(profile);
  const { samples } = drawn;
  const { state } = samples;
  if (state === undefined) return drawn;
  const perSample = new Map(
    threads.flatMap(({ index, estimate }) =>
      estimate.states === undefined ? [] : [[index, estimate.perSample] as const],
    ),
  );
  const weight = samples.weight.map((own, row) => {
    const worth = perSample.get(samples.thread[row] as number);
    if (worth === undefined) return own;
    if (state[row] === RUNNING) return own * worth.work;
    return state[row] === SLEEP || state[row] === BLOCKED ? own * worth.sleep : 0;
  });
  const kept = Int32Array.from(weight.keys()).filter((row) => (weight[row] as number) > 0);
  return {
    ...drawn,
    samples: {
      length: kept.length,
      stack: kept.map((row) => samples.stack[row] as number),
      thread: kept.map((row) => samples.thread[row] as number),
      weight: Float64Array.from(kept, (row) => weight[row] as number),
      ...(samples.timeNs === undefined
        ? {}
        : { timeNs: Float64Array.from(kept, (row) => samples.timeNs?.[row] as number) }),
    },
  };
}
