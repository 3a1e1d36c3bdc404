import type { ThreadAccounting } from '../model/index.js';
import type { Totals } from './thread-estimate.js';

/**
 * Shares of wall time from the kernel's accounting, with the blocked time split by what the state sampler saw (F2).
 * Two clocks that disagree by a hair are scaled so that the shares still sum to 1.
 *
 * `stoppedNs` is time that a blocking sampler itself held the thread (0.5 ms a sample with native stacks). The kernel
 * books it as blocked although it is none of the target's: it leaves the window.
 *
 * `stolenPart` is the part of the CPU time used on the machine that its host took; any thread may have lost that part of its own.
 *
 * Undefined for a window of no length.
 */
export function totals(accounting: ThreadAccounting, stoppedNs = 0, stolenPart = 0): Totals | undefined {
  const running = accounting.onCpuNs + accounting.cpuWaitNs;
  const blockedNs = Math.max(0, accounting.wallNs - running - stoppedNs);
  const wallNs = running + blockedNs;
  if (!(accounting.wallNs > 0) || !(wallNs > 0)) return undefined;
  const blocked = blockedNs / wallNs;
  const onCpu = accounting.onCpuNs / wallNs;
  const stolen = stolenPart < 1 ? Math.min(blocked, (onCpu * stolenPart) / (1 - stolenPart)) : blocked;
  return {
    wallS: accounting.wallNs / 1e9,
    onCpu,
    cpuWait: accounting.cpuWaitNs / wallNs,
    blocked,
    ...splitBlocked(blocked, accounting),
    voluntaryPerS: accounting.voluntarySwitches / (accounting.wallNs / 1e9),
    ...(stolen > 0 ? { stolenPart, stolenAtMost: stolen } : {}),
  };
}

/** Nothing where no look found the thread blocked: unknown is left out, never 0. */
function splitBlocked(
  blocked: number,
  accounting: ThreadAccounting,
): Pick<Totals, 'gilWait' | 'sleep' | 'otherBlocked'> {
  const states = accounting.states;
  if (states === undefined) return {};
  const looks = states.gil + states.sleep + states.other;
  if (!(looks > 0)) return {};
  return {
    gilWait: (blocked * states.gil) / looks,
    sleep: (blocked * states.sleep) / looks,
    otherBlocked: (blocked * states.other) / looks,
  };
}
