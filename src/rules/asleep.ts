import { type Profile, SAMPLE_STATES } from '../model/index.js';
import type { Claim } from './rule.js';

const RUNNING = SAMPLE_STATES.indexOf('running');
const SLEEP = SAMPLE_STATES.indexOf('sleep');
const BLOCKED = SAMPLE_STATES.indexOf('blocked');

/** Where no rule knows the call, but the kernel says that its thread sleeps there. */
const ASLEEP: Claim = { bucket: 'idle', kind: 'sleep', frame: -1 };

/**
 * Claims of a profile whose samples know what their thread did: a stack that nothing finer claims, and in which threads sleep more than
 * they do anything else but wait, ends in a sleep or a poll by whatever name (`from time import sleep as nap`). It is no work.
 */
export function withSleepers({ samples, stacks }: Profile, claims: readonly Claim[]): readonly Claim[] {
  const { state } = samples;
  if (state === undefined) return claims;
  // What sleeps counts for, all else against it; waiting for the GIL or a CPU is nobody's.
  const balance = new Float64Array(stacks.length);
  for (let row = 0; row < samples.length; row += 1) {
    const stack = samples.stack[row] ?? -1;
    if (stack < 0) continue;
    const own = state[row];
    const weight = samples.weight[row] ?? 0;
    if (own === SLEEP) balance[stack] = (balance[stack] ?? 0) + weight;
    else if (own === RUNNING || own === BLOCKED) balance[stack] = (balance[stack] ?? 0) - weight;
  }
  return claims.map((claim, stack) =>
    (balance[stack] ?? 0) > 0 && (claim.bucket === 'unclassified' || claim.bucket === 'python')
      ? ASLEEP
      : claim,
  );
}
