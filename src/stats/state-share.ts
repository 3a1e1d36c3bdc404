import { SAMPLE_STATES } from '../model/index.js';
import type { SampleState, StateWeights } from '../model/index.js';
import { countingHalfWidth, interval, joinedHalfWidth, rawInterval } from './interval.js';
import type { Interval } from './interval.js';
import type { ThreadEstimate } from './thread-estimate.js';

const BLOCKED: ReadonlySet<SampleState> = new Set(['gil-wait', 'sleep', 'blocked']);
const NOTHING: Interval = { share: 0, low: 0, high: 0 };

/**
 * Wall share of some of a thread's samples by state, each with its 95 % interval. Those of unknown state have none, nor has a state
 * that no sample of the thread was in. */
export function stateShares(
  { mode, pools, states }: Pick<ThreadEstimate, 'mode' | 'pools' | 'states'>,
  counts: StateWeights,
): Readonly<Record<SampleState, Interval>> {
  const blocked = {
    share: 0,
    samples: 0,
  };
  for (const state of BLOCKED) {
    blocked.share += states?.[state].share ?? 0;
    blocked.samples += states?.[state].samples ?? 0;
  }
  const shareOf = (state: SampleState): Interval => {
    const own = counts[state];
    if (states === undefined || state === 'unknown') return NOTHING;
    if (mode === 'samples') return rawInterval(own, pools.work.samples);
    const pool = BLOCKED.has(state) ? blocked : states[state];
    if (pool.samples === 0) return NOTHING;
    const share = (pool.share * own) / pool.samples;
    return interval(share, joinedHalfWidth(pools.bias, countingHalfWidth(own, pool.samples, pool.share)));
  };
  const found = SAMPLE_STATES.map((state) => [state, shareOf(state)] as const);
  return Object.fromEntries(found) as Record<SampleState, Interval>;
}
