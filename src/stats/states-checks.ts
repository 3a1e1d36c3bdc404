import { statesWeight } from '../model/index.js';
import type { Finding, StateWeights } from '../model/index.js';
import { missingSamples, normalPriority, percent, stolen } from './checks.js';
import type { Agreement, SamplerPriority, Totals } from './thread-estimate.js';

/** Of S1: how far the part of the samples that run, and that wait for a CPU, may be from the kernel's. */
const RUNNING_SLACK = 0.025;
const WAITING_SLACK = 0.04;
/** Of short recordings the counting noise is larger than that; this many standard deviations are no disagreement. */
const NOISE = 2.6;
/** Samples of unknown state above this part are worth a word. */
const NOTABLE_UNKNOWN = 0.01;

export interface StateCheckFacts {
  /** All samples of the thread, those without a stack too. */
  readonly seen: StateWeights;
  readonly lost: StateWeights;
  readonly totals?: Totals;
  readonly agreement?: Agreement;
  readonly expectedSamples?: number;
  readonly rateHz?: number;
  readonly priority: SamplerPriority;
  readonly priorityFix?: string;
}

/** How far a part of the samples is off, and how far it may be. */
interface Held {
  readonly off: number;
  readonly tolerance: number;
}

function excess({ off, tolerance }: Held): number {
  return Math.abs(off) - tolerance;
}

/** S1: what the samples say of running and waiting, held against the kernel; the part of the two that is further off. */
export function stateAgreement(totals: Totals, seen: StateWeights): Agreement {
  const known = statesWeight(seen) - seen.unknown;
  const held = (samples: number, share: number, slack: number): Held => {
    const part = samples / known;
    const noise = NOISE * Math.sqrt((part * (1 - part) + 1 / (known + 4)) / known);
    return { off: part - share, tolerance: Math.max(slack, noise) };
  };
  const running = held(seen.running, totals.onCpu, RUNNING_SLACK);
  const waiting = held(seen['cpu-wait'], totals.cpuWait, WAITING_SLACK);
  const worse = excess(waiting) > excess(running) && excess(waiting) > 0 ? waiting : running;
  const displaced = worse === waiting ? waiting.off > 0 : running.off < 0;
  const agrees = excess(worse) <= 0;
  return {
    sampled: seen.running / known,
    low: totals.onCpu,
    high: totals.onCpu,
    tolerance: worse.tolerance,
    points: 100 * Math.abs(worse.off),
    side: agrees ? 'inside' : displaced ? 'too-much-sleep' : 'too-little-sleep',
    agrees,
  };
}

/** What a reader has to know about one thread's shares, worst first. */
export function stateChecks(facts: StateCheckFacts): readonly Finding[] {
  return [disagreeing, stolen, normalPriority, undercounted, stateUnknown, noTotals].flatMap(
    (check) => check(facts) ?? [],
  );
}

function disagreeing({ agreement, totals, seen, priority, rateHz }: StateCheckFacts): Finding | undefined {
  if (agreement === undefined || totals === undefined || agreement.agrees) return undefined;
  const known = statesWeight(seen) - seen.unknown;
  const what = `${percent(seen.running / known)} of the samples run and ${percent(seen['cpu-wait'] / known)} wait for a CPU, but the kernel counted ${percent(totals.onCpu)} and ${percent(totals.cpuWait)}.`;
  if (agreement.side === 'too-much-sleep' && priority === 'fifo') {
    return {
      level: 'warning',
      id: 'sampler-displaces-target',
      what,
      why: 'The sampler takes a CPU from the thread at the very moments at which it looks, which happens on few CPUs and where the GIL changes hands fast: shares of functions may be off by more than their intervals, the totals of the kernel hold.',
      fix: `profiler attach … -r ${rateHz === undefined ? 250 : Math.max(25, Math.round(rateHz / 2))}`,
    };
  }
  return {
    level: 'warning',
    id: 'sampler-starved',
    what,
    why: 'The sampler was held off while the thread ran or slept, so the shares of functions are unreliable; the totals of the kernel hold.',
    fix: 'Record again on a quieter machine, with real-time priority for the sampler (as root).',
  };
}

/** S2: stacks lost where the thread ran are short functions, and so are looks that did not happen. */
function undercounted({ seen, lost, expectedSamples }: StateCheckFacts): Finding | undefined {
  return missingSamples({
    lost: lost.running,
    among: seen.running,
    amongWords: 'samples that run',
    delivered: statesWeight(seen),
    expected: expectedSamples ?? 0,
  });
}

function stateUnknown({ seen }: StateCheckFacts): Finding | undefined {
  const part = seen.unknown / statesWeight(seen);
  if (!(part > NOTABLE_UNKNOWN)) return undefined;
  return {
    level: 'note',
    id: 'states-unknown',
    what: `What the thread did is not known of ${seen.unknown} samples (${percent(part)}): they count for no function.`,
    why: 'Its state could not be read at that moment, or the line of the file that told it is damaged.',
  };
}

function noTotals({ totals }: StateCheckFacts): Finding | undefined {
  if (totals !== undefined) return undefined;
  return {
    level: 'note',
    id: 'totals-unavailable',
    what: 'There is no accounting of the kernel for this thread: shares are of its samples and of the states that they were taken in.',
    why: 'Whether the sampler was held off or displaced the thread cannot be told; waits for the GIL and for a CPU are rows of their own.',
    fix: 'profiler attach --pid PID --backend cpython',
  };
}
