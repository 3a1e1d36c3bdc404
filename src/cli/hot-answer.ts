import {
  NO_STATES,
  type Profile,
  type StateWeights,
  addStates,
  heaviest,
  totalWeight,
} from '../model/index.js';
import {
  type Hot,
  type HotBy,
  type Pooled,
  type Worth,
  grouped,
  hotRows,
  poolSamples,
  stackFrames,
  waitingOf,
} from '../report/index.js';
import { type Claim, type RuleSet, UNCLAIMED, classifyProfile, classifyStack } from '../rules/index.js';
import { estimateByStates, estimateThread, poolShare } from '../stats/index.js';
import { type AnswerOptions, answer, isKnown, physicsThread } from './answer.js';
import { atOneRate, distinct, requireSamples, softwareRendering } from './answer-findings.js';
import type { BucketChoice } from './flags.js';
import type { Loaded } from './source.js';
import { leafOf } from './thread-answer.js';
import { chooseThreads } from './thread-choice.js';
import { tooDeepStacks } from './too-deep-stacks.js';
import { bareWindow, recordingWindow } from './window.js';

export interface HotOptions extends AnswerOptions {
  readonly by: HotBy;
  /** Most rows; absent: all. */
  readonly top?: number;
  readonly bucket?: BucketChoice;
}

/** What was selected of a source, with the claim of each stack at hand. */
export interface Selected {
  readonly pooled: readonly Pooled[];
  readonly claimOf: (stack: number) => Claim;
  /** Claims of every stack, where they were needed. */
  readonly claims?: readonly Claim[];
  readonly threads: ReadonlySet<number> | undefined;
}

type Wanted = Pick<HotOptions, 'ruleSet' | 'bucket' | 'thread' | 'claims'>;

/**
 * The samples of the chosen threads and bucket, pooled by stack. Everything is classified only where everything is
 * needed: one stack costs its own length, a large file costs seconds.
 */
export function select(loaded: Loaded, wanted: Wanted, everything = wanted.bucket !== undefined): Selected {
  const { profile } = loaded;
  const threads = wanted.thread === undefined ? undefined : chooseThreads(profile, wanted.thread);
  const claims = wanted.claims ?? (everything ? classifyProfile(wanted.ruleSet, profile) : undefined);
  const claimOf =
    claims === undefined
      ? oneByOne(profile, wanted.ruleSet)
      : (stack: number): Claim => claims[stack] ?? UNCLAIMED;
  const pooled = poolSamples(
    profile,
    { ...(threads === undefined ? {} : { threads }), ...wanted.bucket },
    claimOf,
  );
  return { pooled, claimOf, ...(claims === undefined ? {} : { claims }), threads };
}

function oneByOne(profile: Profile, ruleSet: RuleSet): (stack: number) => Claim {
  const known = new Map<number, Claim>();
  return (stack) => {
    const before = known.get(stack);
    if (before !== undefined) return before;
    const claim = stack < 0 ? UNCLAIMED : classifyStack(ruleSet, stackFrames(profile, stack));
    known.set(stack, claim);
    return claim;
  };
}

/** What every answer about hot code rests on. */
export interface HotFacts {
  readonly selected: Selected;
  /** Index of the physics thread, -1: unknown. */
  readonly physics: number;
  readonly worth: Worth;
  /** All of the answer but its rows. */
  readonly head: Omit<Hot, 'by' | 'rows' | 'more'>;
}

/** Selects, classifies what has to be, and says what samples are worth. Throws `ProfilerError` where there is nothing to answer from. */
export function hotFacts(loaded: Loaded, options: HotOptions): HotFacts {
  const { profile, recording } = loaded;
  requireSamples(loaded);
  const selected = select(loaded, options, needsAllClaims(loaded, options));
  const { pooled, claimOf, threads } = selected;
  const found = physicsThread(loaded, selected.claims ?? tellingClaims(loaded, options, selected), threads);
  const physics = isKnown(found) ? (found.index ?? -1) : -1;
  const weight = pooled.reduce((sum, entry) => sum + entry.weight, 0);
  return {
    selected,
    physics,
    worth:
      recording === undefined
        ? bareWorth(profile)
        : wallWorth(
            loaded,
            {
              ruleSet: options.ruleSet,
              ...(selected.claims === undefined ? {} : { claims: selected.claims }),
            },
            claimOf,
          ),
    head: {
      source: loaded.source,
      window:
        recording === undefined
          ? bareWindow(loaded, options)
          : recordingWindow(recording, profile, undefined),
      total: {
        weight,
        unit: profile.unit,
        ...(profile.unit === 'samples' ? { samples: weight } : {}),
        ...(pooled.some(({ states }) => states !== undefined)
          ? { waiting: pooled.reduce((sum, entry) => sum + waitingOf(entry), 0) }
          : {}),
        stacks: pooled.length,
        threads: new Set(pooled.map((entry) => entry.thread)).size,
      },
      lost: profile.lost,
      selection: selectionWords(options, weight, totalWeight(profile)),
      denominator: recording === undefined ? 'samples' : 'wall',
      physicsKnown: physics >= 0,
      findings: atOneRate(
        distinct([
          ...loaded.findings,
          ...(recording?.findings ?? []),
          ...tooDeepStacks(profile),
          ...softwareRendering(profile),
        ]),
      ),
    },
  };
}

/** Answer of `hot`. */
export function hotAnswer(loaded: Loaded, options: HotOptions): Hot {
  const { selected, physics, worth, head } = hotFacts(loaded, options);
  const { rows, more } = hotRows(
    {
      profile: loaded.profile,
      by: options.by,
      ...(options.top === undefined ? {} : { top: options.top }),
      physics,
      claimOf: selected.claimOf,
      worth,
    },
    selected.pooled,
  );
  return { ...head, by: options.by, rows, more };
}

/** Stack tables up to this size are classified whole in a fraction of a second. */
const SMALL_TABLE = 50_000;
/** Stacks that tell which thread steps, of a table too large to classify whole. */
const TELLING = 512;
/** How many of them are looked at before asking whether that was enough. */
const AT_A_TIME = 32;

/** A bare file is answered from its hottest stacks alone where that is enough: classifying the rest takes as long as reading. */
function needsAllClaims({ recording }: Loaded, { bucket, by }: HotOptions): boolean {
  return recording !== undefined || bucket !== undefined || by === 'caller';
}

/**
 * Claims of as many of the heaviest stacks as it takes to know which thread steps. Of a small table it is the thread that the claims of
 * all stacks would tell.
 */
function tellingClaims(
  { profile }: Loaded,
  { ruleSet }: HotOptions,
  { pooled, claimOf, threads }: Selected,
): readonly Claim[] {
  // A thread that was named needs no claims.
  if (threads?.size === 1) return [];
  const all = threads === undefined ? pooled : poolSamples(profile, {}, claimOf);
  const stepping = new Float64Array(profile.threads.length);
  const left = new Float64Array(profile.threads.length);
  for (const { thread, weight } of all) left[thread] = (left[thread] ?? 0) + weight;
  const claims: Claim[] = [];
  const heavy = [...heaviest(all, TELLING)].sort((a, b) => b.weight - a.weight).slice(0, TELLING);
  for (const [index, { stack, thread, weight }] of heavy.entries()) {
    const claim = claimOf(stack);
    if (stack >= 0) claims[stack] = claim;
    left[thread] = (left[thread] ?? 0) - weight;
    if (claim.bucket === 'physics') stepping[thread] = (stepping[thread] ?? 0) + weight;
    if ((index + 1) % AT_A_TIME === 0 && isDecided(stepping, left)) return claims;
  }
  if (all.length <= heavy.length || isDecided(stepping, left)) return claims;
  return profile.stacks.length <= SMALL_TABLE ? classifyProfile(ruleSet, profile) : claims;
}

/** Whether one thread steps more than any other would if all that is left of it were steps. */
function isDecided(stepping: Float64Array, left: Float64Array): boolean {
  const most = stepping.reduce((best, weight, thread) => (weight > (stepping[best] ?? 0) ? thread : best), 0);
  const sure = stepping[most] ?? 0;
  return (
    sure > 0 && stepping.every((weight, thread) => thread === most || weight + (left[thread] ?? 0) < sure)
  );
}

function selectionWords(options: HotOptions, weight: number, all: number): string[] {
  const { bucket, thread } = options;
  const words = [
    ...(thread === undefined ? [] : [`thread ${thread}`]),
    ...(bucket === undefined
      ? []
      : [`bucket ${bucket.bucket}${bucket.kind === undefined ? '' : `/${bucket.kind}`}`]),
  ];
  return words.length === 0 ? [] : [...words, `${weight} of ${all} in all`];
}

function bareWorth(profile: Profile): Worth {
  return profile.samples.state === undefined ? sampleWorth(profile) : statesWorth(profile);
}

/** A bare file whose samples know their state: as in the breakdown, waits apart. Other threads of it as in any bare file. */
function statesWorth(profile: Profile): Worth {
  const others = sampleWorth(profile);
  const entries = grouped(
    poolSamples(profile, {}, () => UNCLAIMED),
    ({ thread }) => thread,
  );
  const pools = new Map(
    [...entries].flatMap(([thread, own]) => {
      if (own.some(({ states }) => states === undefined)) return [];
      const statesOf = (lost: boolean): StateWeights =>
        addStates(own.map(({ stack, states }) => (stack < 0 === lost ? (states ?? NO_STATES) : NO_STATES)));
      const counts = [{ bucket: 'unclassified', states: statesOf(false) } as const];
      return [
        [thread, estimateByStates({ counts, lost: statesOf(true), priority: 'unknown' }).pools] as const,
      ];
    }),
  );
  return {
    ranks: true,
    leafOf: others.leafOf,
    shareOf: (thread, counts) => {
      const own = pools.get(thread);
      return own === undefined ? others.shareOf(thread, counts) : poolShare(own, counts);
    },
  };
}

/** A bare file: each sample is one part of its own thread's samples, whatever it shows. */
function sampleWorth(profile: Profile): Worth {
  const { samples } = profile;
  const seen = new Map<number, { work: number; lost: number }>();
  for (let row = 0; row < samples.length; row += 1) {
    const thread = samples.thread[row] ?? 0;
    const sum = seen.get(thread) ?? { work: 0, lost: 0 };
    sum[(samples.stack[row] ?? -1) < 0 ? 'lost' : 'work'] += samples.weight[row] ?? 0;
    seen.set(thread, sum);
  }
  const pools = new Map(
    [...seen].map(([thread, sum]) => {
      const counts = [{ bucket: 'unclassified', leaf: 'work', samples: sum.work } as const];
      return [thread, estimateThread({ counts, lostTicks: sum.lost, priority: 'unknown' }).pools] as const;
    }),
  );
  return {
    leafOf: () => 'work',
    shareOf: (thread, counts) => {
      const own = pools.get(thread);
      if (own === undefined) return { share: 0 };
      const found = poolShare(own, counts);
      // The number of samples behind a measured time is not known, so neither is its interval.
      return profile.unit === 'samples' ? found : { share: found.share };
    },
  };
}

/** A recording: the same worth of each sample as in the breakdown, so that rows add up to buckets. */
function wallWorth(loaded: Loaded, options: AnswerOptions, claimOf: (stack: number) => Claim): Worth {
  const breakdown = answer(loaded, options);
  const pools = new Map(breakdown.threads.map((thread) => [thread.index, thread.estimate.pools]));
  return {
    ranks: true,
    leafOf: (stack) => leafOf(claimOf(stack)),
    shareOf: (thread, counts) => {
      const own = pools.get(thread);
      return own === undefined ? { share: 0, low: 0, high: 0 } : poolShare(own, counts);
    },
  };
}
