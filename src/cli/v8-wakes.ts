import type { Profile, ThreadAccounting } from '../model/index.js';
import type { Recording } from '../recording/index.js';
import type { Pooled } from '../report/index.js';
import type { Loaded } from './source.js';

/** What V8 takes of a CPU to wake a thread that rests and to sample it, as measured from 100 to 8000 Hz: 15 to 25 µs. */
const WAKE_NS = 20_000;
/** On a machine whose CPUs are taken, it differed by this much. */
const WAKE_DOUBT_NS = 8000;

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
  const idle = idleSamples(profile, entries);
  return {
    ...accounting,
    onCpuNs: atWork(accounting, idle, entries),
    // Such a sample is a switch as well, and no sleep of the loop; where two come close they are one.
    voluntarySwitches: Math.max(0, accounting.voluntarySwitches - idle),
  };
}

/**
 * CPU time without that of wake-ups. Where little is left beside the doubt about their cost, the samples know better: the thread was at work in a
 * part of them, and on a CPU in as much of it as of all the time in which it had something to run. No time at all is never left beside
 * samples of work.
 */
function atWork(
  { onCpuNs, cpuWaitNs, wallNs }: ThreadAccounting,
  idle: number,
  entries: readonly Pooled[],
): number {
  const left = Math.max(0, onCpuNs - idle * WAKE_NS);
  if (left >= idle * WAKE_DOUBT_NS) return left;
  const all = entries.reduce((sum, { weight }) => sum + weight, 0);
  const working = all > 0 ? 1 - idle / all : 0;
  const sampled = onCpuNs > 0 ? (working * wallNs * onCpuNs) / (onCpuNs + cpuWaitNs) : 0;
  const atMost = Math.max(onCpuNs - idle * (WAKE_NS - WAKE_DOUBT_NS), working * onCpuNs);
  return Math.max(left, Math.min(sampled, atMost));
}

function idleSamples({ stacks, frames }: Profile, entries: readonly Pooled[]): number {
  const isIdle = (stack: number): boolean => {
    const frame = frames[stacks.frame[stack] ?? -1];
    return frame?.name === '(idle)' && frame.kind === 'marker';
  };
  return entries.reduce((sum, { stack, weight }) => sum + (isIdle(stack) ? weight : 0), 0);
}

/**
 * Share of the time that the shares may be off by, since V8 wakes what it samples. Steps begin where a sample woke the loop, so the next one
 * is a whole interval away: half an interval of each step on average belongs to functions that were not seen, by the sleeps that were
 * counted without the sampler; nothing where nobody counted them. And what a sample of an idle thread costs is not known to better than
 * some microseconds.
 */
export function v8Bias(
  { loopRates, rateHz }: Recording,
  accounting: ThreadAccounting,
  profile: Profile,
  entries: readonly Pooled[],
): number {
  const rate = loopRates.find(({ tid }) => tid === accounting.tid);
  const alone = rate?.measure === 'voluntary-switches' ? [...rate.before, ...rate.after] : [];
  const sleepsPerS = alone.reduce((sum, one) => sum + one, 0) / Math.max(1, alone.length);
  const idle = idleSamples(profile, entries);
  // Wake-ups that leave the thread more time than they could have are cheaper by at least that.
  const cheaper = atWork(accounting, idle, entries) - (accounting.onCpuNs - idle * WAKE_NS);
  const wakes = Math.max(idle * WAKE_DOUBT_NS, cheaper) / accounting.wallNs;
  return Math.min(1, sleepsPerS / rateHz / 2 + wakes);
}
