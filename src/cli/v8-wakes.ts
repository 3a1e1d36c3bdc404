import type { ThreadAccounting } from '../model/index.js';
import type { Recording } from '../recording/index.js';
import type { Pooled } from '../report/index.js';
import type { Loaded } from './source.js';

/** What V8 takes of a CPU to wake a thread that rests and to sample it, as measured from 100 to 8000 Hz: 15 to 25 µs. */
const WAKE_NS = 20_000;

/**
 * A sample wakes the event loop, and where its timer is due the step begins at once: each step adds half an interval to `(idle)`. At the
 * default rate and 400 steps a second that is this share.
 */
export const V8_SLEEP_SLACK = 0.06;

/**
 * The kernel's accounting of a thread that V8 sampled, without the CPU time and the switches that its samples took while it rested: the target did
 * nothing then, and the samples say so too. Of any other recording it stays as it is.
 */
export function withoutWakes(
  accounting: ThreadAccounting,
  { recording, profile }: Loaded,
  entries: readonly Pooled[],
): ThreadAccounting {
  if (recording?.backend !== 'node') return accounting;
  const { stacks, frames } = profile;
  const isIdle = (stack: number): boolean => {
    const frame = frames[stacks.frame[stack] ?? -1];
    return frame?.name === '(idle)' && frame.kind === 'marker';
  };
  const idle = entries.reduce((sum, { stack, weight }) => sum + (isIdle(stack) ? weight : 0), 0);
  return {
    ...accounting,
    onCpuNs: Math.max(0, accounting.onCpuNs - idle * WAKE_NS),
    // Such a sample is a switch as well, and no sleep of the loop; where two come close they are one.
    voluntarySwitches: Math.max(0, accounting.voluntarySwitches - idle),
  };
}

/**
 * Steps begin where a sample woke the loop, so the next one is a whole interval away: half an interval of each step on average belongs to
 * functions that were not seen. By the sleeps that were counted without the sampler; 0 where nobody counted them.
 */
export function v8InStep({ loopRates, rateHz }: Recording, tid: number | undefined): number {
  const rate = loopRates.find((one) => one.tid === tid);
  if (rate?.measure !== 'voluntary-switches') return 0;
  const alone = [...rate.before, ...rate.after];
  const sleepsPerS = alone.reduce((sum, one) => sum + one, 0) / Math.max(1, alone.length);
  return Math.min(1, sleepsPerS / rateHz / 2);
}
