import type { Finding } from '../model/index.js';
import type { Slice } from '../recording/index.js';
import type { Target } from '../target/index.js';
import type { Throttling } from './cpu-quota.js';
import type { RatedRequest } from './request.js';

/** Errors beside which the samples that were read are no longer a fair draw. */
const MANY_ERRORS = 0.05;
/** Blocking mode stops every thread for every sample. */
const MANY_THREADS = 32;

/** What reading one more thread takes py-spy, of one sample: 121 waiting threads took it 14 ms. */
const THREAD_MS = 0.11;
/** Part of a core that a sampler may take without a word. */
const HEAVY_LOAD = 0.5;

/** Part of its rate that a sampler is asked for after it fell behind: what it just kept took a whole core. */
const EASY_LOAD = 0.6;

/** A rate that the sampler can keep, by what it managed in its worst slice; in steps of 5 Hz. */
function bearableHz(slices: readonly Slice[], rateHz: number): number {
  const kept = slices.map(({ startNs, endNs, behindS = 0 }) => {
    const wallS = Number(BigInt(endNs) - BigInt(startNs)) / 1e9;
    return Math.max(0, 1 - behindS / wallS);
  });
  return Math.max(5, 5 * Math.floor((EASY_LOAD * Math.min(1, ...kept) * rateHz) / 5));
}

export function slicesFindings(slices: readonly Slice[], request: RatedRequest): readonly Finding[] {
  const findings: Finding[] = [];
  const samples = slices.reduce((sum, slice) => sum + (slice.samples ?? 0), 0);
  const errors = slices.reduce((sum, slice) => sum + (slice.errors ?? 0), 0);
  const behindS = Math.max(0, ...slices.map((slice) => slice.behindS ?? 0));
  if (behindS > 0) {
    findings.push({
      level: 'warning',
      id: 'sampler-behind',
      what: `The sampler fell up to ${behindS.toFixed(1)} s behind its ${request.rateHz} Hz.`,
      why: 'It could not read all threads in time, so it took its samples when it could and not at random.',
      fix: `profiler attach … --rate ${bearableHz(slices, request.rateHz)}`,
    });
  } else if (!request.native) {
    findings.push(...loadFinding(slices, request.rateHz));
  }
  if (errors > MANY_ERRORS * (samples + errors)) {
    findings.push({
      level: 'warning',
      id: 'sampler-errors',
      what: `The sampler failed to read ${errors} of ${samples + errors} stacks.`,
      why: request.native
        ? 'Native and Python frames could not be merged; what is missing is not missing evenly.'
        : 'Short Python calls move while they are read, so they are missing more often than long ones.',
      ...(request.native ? { fix: 'leave out --native' } : {}),
    });
  }
  return findings;
}

/** A sampler that keeps its rate, but takes much of a core for it: the target may wait for that core. */
function loadFinding(slices: readonly Slice[], rateHz: number): readonly Finding[] {
  const wallS = slices.reduce(
    (sum, { startNs, endNs }) => sum + Number(BigInt(endNs) - BigInt(startNs)) / 1e9,
    0,
  );
  const samples = slices.reduce((sum, slice) => sum + (slice.samples ?? 0), 0);
  const load = ((samples / wallS) * THREAD_MS) / 1000;
  if (wallS < 1 || load <= HEAVY_LOAD) return [];
  return [
    {
      level: 'note',
      id: 'many-threads-read',
      what: `Reading ${Math.round(samples / wallS / rateHz)} threads ${rateHz} times a second took the sampler about ${Math.min(100, Math.round(100 * load))} % of a core.`,
      why: 'The target waits whenever it needs that core; how much its loop slowed down tells.',
      fix: `profiler attach … --rate ${Math.max(5, 5 * Math.floor((rateHz * HEAVY_LOAD) / load / 5))}`,
    },
  ];
}

/** `policy` is what the kernel said while the sampler ran; `refusal` says which gate refused real-time priority. */
export function policyFinding(policy: string, refusal: Finding | undefined): readonly Finding[] {
  if (policy.startsWith('fifo:') || policy.startsWith('rr:')) return [];
  return [
    {
      level: 'warning',
      id: 'sampler-normal-priority',
      what: refusal?.what ?? `The sampler did not run at real-time priority: the kernel says ${policy}.`,
      why: 'It gets its turn when the target sleeps: function shares may be off by 20 points; the totals from the kernel are exact.',
      ...(refusal?.fix === undefined ? {} : { fix: refusal.fix }),
    },
  ];
}

export function threadsFinding(request: RatedRequest, threads: number): readonly Finding[] {
  if (!request.native || threads <= MANY_THREADS) return [];
  return [
    {
      level: 'warning',
      id: 'many-threads-stopped',
      what: `Every sample stopped all ${threads} threads of the target.`,
      why: 'Stopping many threads takes milliseconds a sample: loop rates and shares of this recording are not those of the undisturbed program.',
      fix: 'leave out --native, or take --rate 20',
    },
  ];
}

export function throttlingFinding(
  before: Throttling | undefined,
  after: Throttling | undefined,
): readonly Finding[] {
  const times = (after?.times ?? 0) - (before?.times ?? 0);
  if (times <= 0) return [];
  const seconds = (after?.seconds ?? 0) - (before?.seconds ?? 0);
  return [
    {
      level: 'warning',
      id: 'cpu-throttled',
      what: `The kernel held the target's control group back ${times} times, ${seconds.toFixed(2)} s in all, because its CPU quota was used up.`,
      why: 'The time shows as waiting for a CPU; a larger quota may be all that the simulation needs.',
      fix: 'raise or remove the CPU quota (docker: --cpus, compose: deploy.resources.limits.cpus)',
    },
  ];
}

export function statesFinding(refusal: string | undefined): readonly Finding[] {
  if (refusal === undefined) return [];
  return [
    {
      level: 'note',
      id: 'states-missing',
      what: `Blocked time is not split into waiting for the GIL, sleep and the rest: ${refusal}.`,
      why: 'The totals on CPU, waiting for a CPU and blocked are exact all the same.',
    },
  ];
}

/** What is missing of a target that only its engine's machine can look at. */
export function elsewhereFinding({ elsewhere }: Target): readonly Finding[] {
  if (elsewhere === undefined) return [];
  return [
    {
      level: 'warning',
      id: 'kernel-elsewhere',
      what: `The process is on the machine of the engine (${elsewhere}): what the kernel there says of its threads was not read.`,
      why: 'All shares are of samples alone: waiting for the GIL or a CPU is inside them, and nothing checks them.',
      fix: 'profiler attach …  (on that machine)',
    },
  ];
}

export function gilFinding(known: boolean, request: RatedRequest): readonly Finding[] {
  if (
    known ||
    // It finds it by itself, or does not start.
    request.cpython === true ||
    request.target.freeThreaded === true ||
    request.target.elsewhere !== undefined ||
    request.target.runtime !== 'python'
  )
    return [];
  return [
    {
      level: 'note',
      id: 'gil-address-unknown',
      what: 'The address of the GIL could not be found in the target.',
      why: 'Waiting for the GIL counts as other blocked time.',
    },
  ];
}

export function lostSliceFinding(lost: number, slices: number): readonly Finding[] {
  if (lost === 0) return [];
  return [
    {
      level: 'warning',
      id: 'slice-lost',
      what: `${lost} of ${lost + slices} slices have no samples: the sampler ended without writing its file.`,
      why: 'Their time is not part of the window; what the sampler said is in their logs.',
    },
  ];
}

export function lostBesideFinding(lost: number): readonly Finding[] {
  if (lost === 0) return [];
  return [
    {
      level: 'warning',
      id: 'native-lost',
      what: `perf wrote nothing of ${lost} slice${lost === 1 ? '' : 's'}: there, Python lines have no native frames.`,
      why: 'What it said is in slices/*.perf.log of the recording; lines and buckets do not depend on it.',
    },
  ];
}

export function endedFinding(pid: number, keptS: number, requestedS: number): Finding {
  return {
    level: 'note',
    id: 'target-ended',
    what: `Process ${pid} ended during the recording; ${keptS.toFixed(1)} of ${requestedS} s were recorded.`,
    why: 'What was recorded is kept; the intervals are wider.',
  };
}

/** `isWhole`: the samples end where the other program begins; otherwise the slice in which it began is left out. */
export function replacedFinding(pid: number, keptS: number, requestedS: number, isWhole: boolean): Finding {
  return {
    level: 'note',
    id: 'target-replaced',
    what: `Process ${pid} replaced its program (exec) during the recording; the ${keptS.toFixed(1)} of ${requestedS} s before it are kept.`,
    why: `What runs under the same number from then on is another program${isWhole ? '' : '; the slice in which it began is left out'}.`,
  };
}

/** `stops`: looks during the window, and how many found the target stopped. */
export function stoppedFinding(
  pid: number,
  { looks, stopped }: { readonly looks: number; readonly stopped: number },
): readonly Finding[] {
  if (stopped === 0) return [];
  return [
    {
      level: 'warning',
      id: 'target-stopped',
      what: `Process ${pid} was stopped (state T) in ${stopped} of ${looks} looks at it, about ${Math.round((100 * stopped) / looks)} % of the window.`,
      why: 'A signal (SIGSTOP, Ctrl-Z) or a debugger held it: that time counts as blocked, and shows as sleep or unclassified although the program did not wait for anything.',
      fix: `kill -CONT ${pid}`,
    },
  ];
}

/** What a process whose first thread has ended hides: samplers of its language need it. */
export function noMainThreadFinding(pid: number): Finding {
  return {
    level: 'warning',
    id: 'main-thread-ended',
    what: `The main thread of process ${pid} has ended, while its other threads go on.`,
    why: 'The kernel shows neither the program nor the memory of such a process, so its stacks of Python or JavaScript cannot be read: there are only those of perf.',
    fix: 'Start the simulation again, with a main thread that waits for the others, then attach.',
  };
}

/** A window that ended by itself and is much shorter than what was asked for. */
export function shortWindowFinding(measuredS: number, requestedS: number): readonly Finding[] {
  if (measuredS >= 0.9 * requestedS) return [];
  return [
    {
      level: 'warning',
      id: 'window-short',
      what: `Only ${measuredS.toFixed(1)} of ${requestedS} s were sampled.`,
      why: 'The sampler failed or ended early; the intervals are wider.',
    },
  ];
}

/** A loop that nobody knows was recorded up to the program's end. */
export function unknownLoopFinding(slices: number): readonly Finding[] {
  if (slices === 0) return [];
  return [
    {
      level: 'note',
      id: 'loop-unknown',
      what: 'No step of the loop was recognised, so everything until the program ended is in the answer.',
      why: 'What the program does after its loop counts as well.',
      fix: '--until SECONDS  (or a text that it prints when the loop is over; or teach the rules with --rules FILE)',
    },
  ];
}

/** What a start-up had done before a sampler could be beside it. */
export function missedStartFinding(
  startedNs: bigint | undefined,
  [first]: readonly Slice[],
): readonly Finding[] {
  if (startedNs === undefined || first === undefined) return [];
  const missedS = Number(BigInt(first.startNs) - startedNs) / 1e9;
  return [
    {
      level: 'note',
      id: 'start-missed',
      what: `The first ${missedS.toFixed(1)} s of the program are not in the answer.`,
      why: 'Its interpreter has to be up before its stacks can be read, and the sampler has to be beside it.',
    },
  ];
}
