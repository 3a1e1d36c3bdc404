import type { Finding } from '../model/index.js';
import type { PooledThread } from './pools.js';
import type { SamplerPriority, Totals } from './thread-estimate.js';

/** More samples lost than this, and short functions are under-counted (S2). A sampler cannot say which state a failed sample was in, so all samples are the base. */
const MAX_LOST = 0.01;
/** Up to this part lost, the intervals hold it: it is no reason to distrust the answer. */
const MANY_LOST = 0.03;
/** Fewer delivered than this part of what the rate promised (S2); random sampling intervals get their own noise besides. */
const MIN_DELIVERED = 0.98;
/** Blocked time below this is not worth a word. */
const NOTABLE_BLOCKED = 0.01;
/** Blocked time of unknown kind above this puts the work shares in doubt. */
const DOUBTFUL_BLOCKED = 0.05;
/** Work that may count as sleep, as a share of the time: worth a word, and enough to mistrust the answer. */
const NOTABLE_STOLEN = 0.01;
const DOUBTFUL_STOLEN = 0.03;

export interface CheckFacts {
  readonly pooled: PooledThread;
  readonly totals?: Totals;
  readonly samples: number;
  readonly lost: number;
  readonly expectedSamples?: number;
  readonly priority: SamplerPriority;
  /** How to get real-time priority here, where capture knows it. */
  readonly priorityFix?: string;
}

/** What a reader has to know about one thread's shares, worst first. */
export function checks(facts: CheckFacts): readonly Finding[] {
  return [
    starved,
    stolen,
    unknownSleep,
    normalPriority,
    undercounted,
    gilUnknown,
    includesWaiting,
    noTotals,
  ].flatMap((check) => check(facts) ?? []);
}

/** C1: the share of sleeping samples contradicts the kernel. */
function starved({ pooled }: CheckFacts): Finding | undefined {
  const { agreement } = pooled;
  if (agreement === undefined || agreement.agrees || pooled.unknownSleep > 0) return undefined;
  return {
    level: 'warning',
    id: 'sampler-starved',
    what: `${percent(agreement.sampled)} of the samples sleep, but the kernel allows ${percent(agreement.low)} to ${percent(agreement.high)}.`,
    why: 'The sampler was held off while the thread ran or slept, so the shares of functions are unreliable; the totals of the kernel hold.',
    fix: 'Record again on a quieter machine, with real-time priority for the sampler (as root).',
  };
}

/** Time that the host took from the machine: any of it may have been this thread's. */
export function stolen({ totals }: Pick<CheckFacts, 'totals'>): Finding | undefined {
  const most = totals?.stolenAtMost ?? 0;
  if (totals === undefined || most < NOTABLE_STOLEN) return undefined;
  return {
    level: most < DOUBTFUL_STOLEN ? 'note' : 'warning',
    id: 'cpu-stolen',
    what: `The host of this virtual machine took ${percent(totals.stolenPart ?? 0)} of the CPU time that was in use here (steal in /proc/stat).`,
    why: `The kernel charges it to nobody: work that was held up looks like sleep. Up to ${percent(most)} of this thread's time may be work that counts as sleep, and the loop is late by as much.`,
    fix: 'Record again while the host is less busy, or give this virtual machine CPUs of its own.',
  };
}

function unknownSleep({ pooled }: CheckFacts): Finding | undefined {
  if (!(pooled.unknownSleep > 0)) return undefined;
  return {
    level: 'warning',
    id: 'sleep-not-recognised',
    what: `The kernel saw ${percent(pooled.unknownSleep)} more sleep than samples that stand on a line known to sleep.`,
    why: 'Most likely the line that sleeps is unknown to the rules; its time stays in its own bucket and counts as work.',
    fix: 'profiler hot --by leaf',
  };
}

export function normalPriority({
  priority,
  priorityFix,
  totals,
}: Pick<CheckFacts, 'priority' | 'priorityFix' | 'totals'>): Finding | undefined {
  if (priority === 'fifo' || (priority === 'unknown' && totals === undefined)) return undefined;
  return {
    level: 'warning',
    id: 'sampler-normal-priority',
    what:
      priority === 'other'
        ? 'The sampler ran at normal priority: function shares may be off by 20 points.'
        : 'The priority of the sampler is not known: function shares may be off by 20 points.',
    why: 'Such a sampler wakes up when the thread rests, and its samples pile up there; the totals of the kernel are exact all the same.',
    ...(priorityFix === undefined ? {} : { fix: priorityFix }),
  };
}

/** S2: samples are missing, and they are missing where calls are short. */
function undercounted({ samples, lost, expectedSamples }: CheckFacts): Finding | undefined {
  return missingSamples({
    lost,
    among: samples + lost,
    amongWords: 'samples',
    delivered: samples,
    expected: expectedSamples ?? 0,
  });
}

/** S2 of any sampler: `lost` of `among` have no stack, `delivered` came where `expected` (0: unknown) were due. */
export function missingSamples(facts: {
  readonly lost: number;
  readonly among: number;
  readonly amongWords: string;
  readonly delivered: number;
  readonly expected: number;
}): Finding | undefined {
  const { lost, among, expected } = facts;
  const lostPart = among > 0 ? lost / among : 0;
  const delivered = expected > 0 ? facts.delivered / expected : 1;
  const enough = expected > 0 ? MIN_DELIVERED - 2 / Math.sqrt(expected) : 0;
  if (lostPart <= MAX_LOST && delivered >= enough) return undefined;
  const what =
    lostPart > MAX_LOST
      ? `${lost} of ${among} ${facts.amongWords} (${percent(lostPart)}) have no usable stack.`
      : `${facts.delivered} samples arrived where ${Math.round(expected)} were due (${percent(delivered)}).`;
  return {
    level: lostPart > MANY_LOST || delivered < enough ? 'warning' : 'note',
    id: 'short-functions-undercounted',
    what,
    why: 'They are lost mostly in short calls: take the shares of long calls as upper bounds, those of short functions as lower bounds.',
  };
}

function gilUnknown({ pooled }: CheckFacts): Finding | undefined {
  const blocked = pooled.blockedUnsplit;
  if (blocked <= NOTABLE_BLOCKED) return undefined;
  const doubtful = (pooled.notSampled > 0 ? blocked : unexplained(pooled)) > DOUBTFUL_BLOCKED;
  return {
    level: doubtful ? 'warning' : 'note',
    id: 'gil-unknown',
    what: `The thread was blocked ${percent(blocked)} of the time, and how much of that was waiting for the GIL is not known.`,
    why: 'The states of the thread could not be read while it ran; sleep was taken from the samples, and GIL wait may hide in it or in the code around it.',
    fix: 'Run as root, or as the user of the target with ptrace allowed.',
  };
}

/** Blocked time that went to the stacks of work. */
function unexplained({ pools, blockedUnsplit }: PooledThread): number {
  return Math.max(0, blockedUnsplit - pools.sleep.share);
}

function includesWaiting({ pooled, totals }: CheckFacts): Finding | undefined {
  if (pooled.pools.mode !== 'wall' || totals === undefined) return undefined;
  return {
    level: 'note',
    id: 'shares-include-waiting',
    what: `The thread waited ${totals.gilWait === undefined ? '' : `for the GIL ${percent(totals.gilWait)} and `}for a CPU ${percent(totals.cpuWait)} of the time; the shares of functions include that waiting.`,
    why: 'Waiting does not spread over functions like CPU time: taking it out would be off by up to 11 points.',
  };
}

function noTotals({ totals }: CheckFacts): Finding | undefined {
  if (totals !== undefined) return undefined;
  return {
    level: 'note',
    id: 'totals-unavailable',
    what: 'There is no accounting of the kernel for this thread: shares are of its samples alone.',
    why: 'Whether the sampler was held off or skipped sleeping threads cannot be told, and either puts a paced loop off by tens of points; waiting for the GIL or a CPU is inside the buckets.',
    fix: 'profiler attach --pid PID',
  };
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
