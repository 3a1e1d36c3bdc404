import { SAMPLE_STATES, samplesByMoment } from '../model/index.js';
import type { Profile, SampleState } from '../model/index.js';
import { rawInterval } from './interval.js';
import type { Interval } from './interval.js';

const RUNNING = SAMPLE_STATES.indexOf('running');
const EACH = SAMPLE_STATES.length;

/** What one thread did at the looks at which another one was on a CPU; parts of those looks, each with its 95 % interval. */
export interface Beside {
  /** Looks at which the other one was on a CPU. */
  readonly looks: number;
  readonly states: Readonly<Record<SampleState, Interval>>;
  /** It had no Python to run, or was not there. */
  readonly absent: Interval;
}

/** By index, what every other thread did while `thread` ran. Empty where samples have no states, or it was never seen running. */
export function besideThread(profile: Profile, thread: number): ReadonlyMap<number, Beside> {
  const { state, thread: owner } = profile.samples;
  const found = new Map<number, Beside>();
  if (state === undefined) return found;
  const seen = new Float64Array(profile.threads.length * EACH);
  let looks = 0;
  for (const [start, end] of samplesByMoment(profile)) {
    let runs = false;
    for (let row = start; row < end; row += 1) runs ||= owner[row] === thread && state[row] === RUNNING;
    if (!runs) continue;
    looks += 1;
    for (let row = start; row < end; row += 1) {
      const at = (owner[row] as number) * EACH + (state[row] as number);
      seen[at] = (seen[at] as number) + 1;
    }
  }
  if (looks === 0) return found;
  for (let other = 0; other < profile.threads.length; other += 1) {
    if (other === thread) continue;
    const counts = [...seen.subarray(other * EACH, (other + 1) * EACH)];
    const there = counts.reduce((sum, count) => sum + count, 0);
    const states = SAMPLE_STATES.map((name, at) => [name, rawInterval(counts[at] ?? 0, looks)] as const);
    found.set(other, {
      looks,
      states: Object.fromEntries(states) as Record<SampleState, Interval>,
      absent: rawInterval(Math.max(0, looks - there), looks),
    });
  }
  return found;
}
