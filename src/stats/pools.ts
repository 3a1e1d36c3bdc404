import { agreement } from './agreement.js';
import { bias } from './bias.js';
import type { Agreement, LeafCounts, Pools, SamplerPriority, Totals } from './thread-estimate.js';

/**
 * Above this much GIL wait, shares net of waiting would be wrong by up to 11 points: waits do not spread over functions
 * like CPU time. At 12 %, inside a pacer, net shares were still good (0.6 points).
 */
export const WALL_ABOVE_GIL = 0.15;

/**
 * The same for waiting for a CPU. Net shares were good at 14 to 16 % and wrong by 4.7 points at 30 %; between them nothing
 * was measured, and wall shares are true at any of them.
 */
export const WALL_ABOVE_CPU_WAIT = 0.2;

/** CPU time of one sleep call, charged to the sleeper and not to the code around it (F1). */
const SLEEP_CALL_S = 25e-6;
/** With more GIL wait than this, voluntary switches no longer count sleeps. */
const SLEEP_CALL_MAX_GIL = 0.05;

/** Fast paced loops show up to 5 points too little sleep; a gap beyond that means a sleeping line that no rule knows. */
const UNKNOWN_SLEEP = 0.05;

export interface PoolFacts {
  readonly counts: LeafCounts;
  readonly totals?: Totals;
  readonly lost: number;
  readonly expectedSamples?: number;
  readonly priority: SamplerPriority;
  readonly loopRateHz?: number;
  /** Each sample knows whether its thread ran, waited for a CPU or blocked: waits hide in no function. */
  readonly statesKnown?: true;
  /** As in `EstimateInput`. */
  readonly sleepSlack?: number;
  /** As in `EstimateInput`. */
  readonly samplerBias?: number;
}

/** Pools with what was learned while they were cut. */
export interface PooledThread {
  readonly pools: Pools;
  readonly agreement?: Agreement;
  /** GIL wait and CPU wait as rows of their own; absent outside net mode and where unknown. */
  readonly gilWait?: number;
  readonly cpuWait?: number;
  /** Wall share that no sample stands for. */
  readonly notSampled: number;
  /** Sleep that the kernel saw and no sample with a sleeping leaf stands for; its samples are in the work pool. */
  readonly unknownSleep: number;
  /** Blocked time of which nobody knows whether it was GIL wait; 0 where the state sampler ran. */
  readonly blockedUnsplit: number;
}

/** Decides what each sample stands for. Never divides by zero; all shares sum to 1 (0 when nothing is known). */
export function pool(facts: PoolFacts): PooledThread {
  const { counts, totals, lost } = facts;
  const samples = counts.work + counts.sleep + counts.wait + counts.gil;
  if (totals === undefined) return onePool('samples', facts, samples + lost);
  const waitsWith = placeWaits(counts, samples, lost, totals);
  const sleepSamples = counts.sleep + (waitsWith === 'sleep' ? counts.wait : 0);
  const agrees = agreement({
    sleepSamples,
    samples,
    lost,
    totals,
    ...(facts.sleepSlack === undefined ? {} : { sleepSlack: facts.sleepSlack }),
  });
  const found = agrees === undefined ? {} : { agreement: agrees };
  const waitsHide = (totals.gilWait ?? 0) > WALL_ABOVE_GIL || totals.cpuWait > WALL_ABOVE_CPU_WAIT;
  if (waitsHide && facts.statesKnown !== true) {
    return { ...onePool('wall', facts, samples + lost), ...found };
  }
  return { ...netPools(facts, totals, samples, sleepSamples, waitsWith, agrees), ...found };
}

/** Wall and samples mode: one pool holds everything. */
function onePool(mode: 'wall' | 'samples', facts: PoolFacts, seen: number): PooledThread {
  const share = seen > 0 ? 1 : 0;
  return {
    pools: {
      mode,
      work: { share, samples: seen },
      sleep: { share: 0, samples: 0 },
      gil: { share: 0, samples: 0 },
      waitsWith: 'work',
      lost: { share: seen > 0 ? facts.lost / seen : 0, samples: facts.lost },
      bias: bias({ ...facts, mode, sleep: facts.totals === undefined ? 0 : sleepOrBlocked(facts.totals) }),
      border: 0,
      moved: 0,
      stolen: 0,
    },
    notSampled: mode === 'wall' ? 1 - share : 0,
    unknownSleep: 0,
    blockedUnsplit: 0,
  };
}

function sleepOrBlocked(totals: Totals): number {
  return totals.sleep ?? totals.blocked;
}

/**
 * Locks, sockets and wait sets belong with the code around them, unless the kernel saw sleep that only they can be:
 * an executor that polls.
 */
function placeWaits(counts: LeafCounts, samples: number, lost: number, totals: Totals): 'work' | 'sleep' {
  if (counts.wait === 0 || totals.sleep === undefined) return 'work';
  const without = agreement({ sleepSamples: counts.sleep, samples, lost, totals });
  const withWaits = agreement({ sleepSamples: counts.sleep + counts.wait, samples, lost, totals });
  if (without === undefined || withWaits === undefined || without.agrees) return 'work';
  return withWaits.points < without.points ? 'sleep' : 'work';
}

/** F1 with other blocked time in the work pool. */
function netPools(
  facts: PoolFacts,
  totals: Totals,
  samples: number,
  sleepSamples: number,
  waitsWith: 'work' | 'sleep',
  agrees: Agreement | undefined,
): PooledThread {
  const { counts, lost } = facts;
  const workSamples = samples - sleepSamples - counts.gil;
  const blocked = splitBlocked(totals, samples, sleepSamples, counts.gil, agrees);
  const unknown = unknownSleep(facts, blocked.sleep, samples, sleepSamples, workSamples, agrees);
  const call =
    sleepSamples > 0 && blocked.gil < SLEEP_CALL_MAX_GIL
      ? Math.min(totals.onCpu / 2, SLEEP_CALL_S * totals.voluntaryPerS)
      : 0;
  const lostAtWork =
    unknown > 0 ? lost : lost - lostAsleep(blocked.sleep, samples, sleepSamples, lost, agrees);
  const workSeen = workSamples + lostAtWork;
  const workShare = totals.onCpu - call + blocked.other + unknown;
  const sleepShare = blocked.sleep + call - unknown;
  const gil = counts.gil > 0 || totals.gilWait !== undefined ? { gilWait: blocked.gil } : {};
  return {
    pools: {
      mode: 'net',
      work: { share: workSeen > 0 ? workShare : 0, samples: workSeen },
      sleep: { share: sleepSamples > 0 ? sleepShare : 0, samples: sleepSamples },
      gil: { share: counts.gil > 0 ? blocked.gil : 0, samples: counts.gil },
      waitsWith,
      lost: { share: workSeen > 0 ? (workShare * lostAtWork) / workSeen : 0, samples: lost },
      bias: bias({ ...facts, mode: 'net', sleep: blocked.sleep }),
      border: blocked.border,
      moved: 0,
      stolen: totals.stolenAtMost ?? 0,
    },
    ...gil,
    cpuWait: totals.cpuWait,
    notSampled: (workSeen > 0 ? 0 : workShare) + (sleepSamples > 0 ? 0 : sleepShare),
    unknownSleep: agrees !== undefined && unknown > agrees.tolerance + UNKNOWN_SLEEP ? unknown : 0,
    blockedUnsplit: totals.sleep === undefined ? blocked.sleep + blocked.other : 0,
  };
}

interface Blocked {
  readonly gil: number;
  readonly sleep: number;
  readonly other: number;
  readonly border: number;
}

/**
 * What blocked time was. Where only its sum is known, the share of sleeping samples decides, as far as blocked time
 * goes; a gap within counting noise is sleep as well.
 */
function splitBlocked(
  totals: Totals,
  samples: number,
  sleepSamples: number,
  gilSamples: number,
  agrees: Agreement | undefined,
): Blocked {
  if (totals.sleep !== undefined) {
    return { gil: totals.gilWait ?? 0, sleep: totals.sleep, other: totals.otherBlocked ?? 0, border: 0 };
  }
  const gil = samples > 0 ? Math.min(gilSamples / samples, totals.blocked) : 0;
  const rest = totals.blocked - gil;
  if (sleepSamples === 0 || agrees === undefined) return { gil, sleep: 0, other: rest, border: 0 };
  const gap = rest - agrees.sampled;
  if (gap <= agrees.tolerance) return { gil, sleep: rest, other: 0, border: 0 };
  return { gil, sleep: agrees.sampled, other: gap, border: agrees.tolerance };
}

/**
 * Sleep whose samples stand among the work leaves: the sampler looked all the time, and the rules do not know the line
 * that sleeps. Where samples are missing for that time instead (a sampler that skips sleeping threads), 0.
 */
function unknownSleep(
  facts: PoolFacts,
  sleep: number,
  samples: number,
  sleepSamples: number,
  workSamples: number,
  agrees: Agreement | undefined,
): number {
  if (agrees === undefined || workSamples === 0) return 0;
  const stolen = facts.totals?.stolenAtMost ?? 0;
  const gap = Math.max(0, sleep - stolen - sleepSamples / samples);
  if (sleepSamples > 0 && gap <= agrees.tolerance + UNKNOWN_SLEEP) return 0;
  const expected = facts.expectedSamples;
  if (expected !== undefined && samples + facts.lost < expected * (1 - gap / 2)) return 0;
  return gap;
}

/**
 * Lost samples that must have been asleep, because too few others were. Reading a sleeping thread hardly fails by
 * itself, so all the rest were at work; but a sampler may lose a whole tick because of another thread.
 */
function lostAsleep(
  sleep: number,
  samples: number,
  sleepSamples: number,
  lost: number,
  agrees: Agreement | undefined,
): number {
  if (agrees === undefined) return 0;
  const missing = (sleep - agrees.tolerance) * (samples + lost) - sleepSamples;
  return Math.min(lost, Math.max(0, missing));
}
