import type { Bucket, Profile } from '../model/index.js';
import type { Claim } from './rule.js';
import { type ThreadSelector, selectThread, threadText } from './thread-selector.js';

/** The thread that steps physics, and how that is known. */
export interface PhysicsThread {
  /** Index into the profile's threads; undefined: nothing tells. */
  readonly index: number | undefined;
  /** One sentence. Raw: may hold thread names of the target. */
  readonly reason: string;
  readonly because: 'named' | 'physics' | 'pacer' | 'unknown';
}

/**
 * The named thread; else the one with most physics samples; else the one with most pacer samples; else none.
 * Equal counts go to the earlier thread. Throws ProfilerError (`no-such-thread`, `ambiguous-thread`) for a selector.
 */
export function findPhysicsThread(
  profile: Profile,
  claims: readonly Claim[],
  selector?: ThreadSelector,
): PhysicsThread {
  if (selector !== undefined) {
    const index = selectThread(profile, selector);
    return { index, because: 'named', reason: `${threadText(profile.threads[index])} was named.` };
  }
  for (const because of ['physics', 'pacer'] as const) {
    const sums = samplesIn(profile, claims, because);
    const index = sums.reduce((best, sum, i) => (sum > (sums[best] ?? 0) ? i : best), 0);
    const most = sums[index] ?? 0;
    if (most <= 0) continue;
    const others = sums.filter((sum, i) => i !== index && sum > 0).length;
    const what = because === 'physics' ? 'enters the simulator’s step' : 'waits in a pacer';
    const rest = others === 0 ? '' : `, most of ${others + 1} threads that do`;
    const times = profile.unit === 'samples' ? ` in ${most} samples` : '';
    const reason = `${threadText(profile.threads[index])} ${what}${times}${rest}.`;
    return { index, because, reason };
  }
  return {
    index: undefined,
    because: 'unknown',
    reason: 'No thread enters a known simulator step or waits in a pacer.',
  };
}

function samplesIn(profile: Profile, claims: readonly Claim[], bucket: Bucket): number[] {
  const { samples } = profile;
  const sums = profile.threads.map(() => 0);
  for (let i = 0; i < samples.length; i++) {
    const thread = samples.thread[i] ?? -1;
    if (claims[samples.stack[i] ?? -1]?.bucket !== bucket) continue;
    sums[thread] = (sums[thread] ?? 0) + (samples.weight[i] ?? 0);
  }
  return sums;
}
