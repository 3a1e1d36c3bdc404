import {
  BUCKETS,
  type Bucket,
  firstWhere,
  type Profile,
  RESTING,
  type Thread,
  waitOfState,
} from '../model/index.js';
import { type Claim, UNCLAIMED } from '../rules/index.js';
import { type Interval, rawInterval } from '../stats/index.js';
import { mostBeyond } from './by-step-beyond.js';
import type { StepSet } from './step-set.js';

export type { StepSet };

/** One bucket in a set of steps: part of their time, with its 95 % interval by counting. */
export interface StepRow {
  readonly bucket: Bucket;
  readonly all: Interval;
  /** In the slow ones and in the others; absent where there are too few of them. */
  readonly slow?: Interval;
  readonly others?: Interval;
  /** Along the steps, in groups of equally many; undefined where a group has no samples. */
  readonly shares: readonly (number | undefined)[];
}

/** One of the slowest steps. */
export interface SlowStep {
  /** Nanoseconds since the window began. */
  readonly fromNs: number;
  readonly toNs: number;
  /** Samples of the thread in it. */
  readonly looks: number;
  /** What it has most of beyond what the others have; absent where too few samples say so. */
  readonly beyond?: { readonly bucket: Bucket; readonly moreUs: number };
}

export interface ByStep {
  readonly thread: Thread;
  readonly role: string;
  /** Those that were sampled from beginning to end. */
  readonly all: StepSet;
  readonly p50Us: number;
  readonly p95Us: number;
  readonly p99Us: number;
  readonly maxUs: number;
  /** Those that take longer than 95 of 100, and the rest; absent where there are too few steps, or samples in them. */
  readonly slow?: StepSet & { readonly fromUs: number };
  readonly others?: StepSet;
  /** Of the slow ones, the slowest first; none where those are not set apart. */
  readonly slowest: readonly SlowStep[];
  /** End of the last piece of the window, nanoseconds since it began. */
  readonly endNs: number;
  /** Steps in one group of `shares`. */
  readonly stepsPerGroup: number;
  /** Those that work, the largest first; then what nothing claimed, then what rests. */
  readonly rows: readonly StepRow[];
}

export interface ByStepFacts {
  readonly profile: Profile;
  readonly thread: number;
  readonly role: string;
  readonly claims: readonly Claim[];
  /** Beginnings of steps, in order: nanoseconds since the window began. */
  readonly startsNs: Float64Array;
  /** Pieces of the window in which samples were taken, nanoseconds since it began. */
  readonly windows: readonly (readonly [number, number])[];
  /** Most groups along the steps. */
  readonly mostGroups: number;
}

/** Fewer steps have no slow ones to speak of. */
const LEAST_STEPS = 200;
/** Fewer samples than this in the slow steps say nothing of them. */
const LEAST_LOOKS = 50;
const SLOW_PART = 0.05;
/** More single steps than this nobody looks at. */
const MOST_SLOWEST = 100;

/**
 * The samples of one thread by the step in which they were taken. A sample that waits for the GIL or a CPU is in that bucket. Undefined where no
 * step was sampled from beginning to end.
 * @throws RangeError where the profile has no times.
 */
export function byStep(facts: ByStepFacts): ByStep | undefined {
  const steps = wholeSteps(facts.startsNs, facts.windows);
  if (steps.length === 0) return undefined;
  const lengths = Float64Array.from(steps, ({ fromNs, toNs }) => (toNs - fromNs) / 1e3).sort();
  const usualUs = quantile(lengths, 1 - SLOW_PART);
  const stepsPerGroup = Math.max(1, Math.ceil(steps.length / facts.mostGroups));
  const groups = Math.ceil(steps.length / stepsPerGroup);
  const all = new Counted(groups);
  const slow = new Counted(1);
  const others = new Counted(1);
  for (const step of steps) {
    all.steps(step);
    (isSlow(step, usualUs) ? slow : others).steps(step);
  }
  const slowest = slowestOf(steps, usualUs);
  for (const { step, bucket } of samplesIn(facts, steps)) {
    const own = steps[step] as Step;
    all.add(bucket, Math.floor(step / stepsPerGroup));
    (isSlow(own, usualUs) ? slow : others).add(bucket, 0);
    slowest.get(own)?.add(bucket, 0);
  }
  const told = steps.length >= LEAST_STEPS && slow.looks >= LEAST_LOOKS && others.looks >= LEAST_LOOKS;
  return {
    thread: facts.profile.threads[facts.thread] ?? {},
    role: facts.role,
    all: all.set(),
    p50Us: quantile(lengths, 0.5),
    p95Us: usualUs,
    p99Us: quantile(lengths, 0.99),
    maxUs: lengths.at(-1) ?? 0,
    ...(told
      ? {
          slow: { ...slow.set(), fromUs: lengths.find((us) => us > usualUs) ?? usualUs },
          others: others.set(),
        }
      : {}),
    slowest: told ? [...slowest].map(([step, looks]) => slowStep(step, looks, all, others)) : [],
    endNs: facts.windows.at(-1)?.[1] ?? 0,
    stepsPerGroup,
    rows: all
      .buckets()
      .map((bucket) => ({
        bucket,
        all: all.share(bucket),
        ...(told ? { slow: slow.share(bucket), others: others.share(bucket) } : {}),
        shares: all.shares(bucket),
      }))
      .toSorted((a, b) => rank(a.bucket) - rank(b.bucket) || b.all.share - a.all.share),
  };
}

interface Step {
  readonly fromNs: number;
  readonly toNs: number;
}

/** Those that lie within one piece of the window. */
function wholeSteps(starts: Float64Array, windows: ByStepFacts['windows']): readonly Step[] {
  const steps: Step[] = [];
  let at = 0;
  for (let index = 0; index + 1 < starts.length; index += 1) {
    const fromNs = starts[index] as number;
    const toNs = starts[index + 1] as number;
    while (at < windows.length && (windows[at]?.[1] ?? 0) <= fromNs) at += 1;
    const window = windows[at];
    if (window !== undefined && fromNs >= window[0] && toNs <= window[1] && toNs > fromNs)
      steps.push({ fromNs, toNs });
  }
  return steps;
}

/** Longer than what 95 of 100 take: of steps that are all alike, none is. */
function isSlow({ fromNs, toNs }: Step, usualUs: number): boolean {
  return (toNs - fromNs) / 1e3 > usualUs;
}

/** The slowest of the slow ones in order, equally slow ones as they came; each with room for its samples. */
function slowestOf(steps: readonly Step[], usualUs: number): ReadonlyMap<Step, Counted> {
  const slow = steps.filter((step) => isSlow(step, usualUs));
  const lengthOf = ({ fromNs, toNs }: Step): number => toNs - fromNs;
  const found = slow.toSorted((a, b) => lengthOf(b) - lengthOf(a) || a.fromNs - b.fromNs);
  return new Map(
    found.slice(0, MOST_SLOWEST).map((step) => {
      const counted = new Counted(1);
      counted.steps(step);
      return [step, counted];
    }),
  );
}

function slowStep({ fromNs, toNs }: Step, own: Counted, all: Counted, others: Counted): SlowStep {
  const set = own.set();
  const beyond = mostBeyond(
    { ...set, rows: own.buckets().map((bucket) => ({ bucket, interval: own.share(bucket) })) },
    { meanUs: others.set().meanUs, shareOf: (bucket) => others.share(bucket) },
    all.set(),
  );
  return { fromNs, toNs, looks: set.looks, ...(beyond === undefined ? {} : { beyond }) };
}

/** Nearest rank: a length that one of the steps had. */
function quantile(sorted: Float64Array, part: number): number {
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0;
}

function* samplesIn(
  { profile, thread, claims }: ByStepFacts,
  steps: readonly Step[],
): Generator<{ readonly step: number; readonly bucket: Bucket }> {
  const { samples } = profile;
  const { timeNs, state } = samples;
  if (timeNs === undefined) throw new RangeError('samples without times are in no step');
  for (let row = 0; row < samples.length; row += 1) {
    if (samples.thread[row] !== thread) continue;
    const step = stepAt(steps, timeNs[row] as number);
    if (step === undefined) continue;
    const claim = claims[samples.stack[row] as number] ?? UNCLAIMED;
    const bucket = waitOfState(state?.[row]) ?? claim.bucket;
    for (let left = samples.weight[row] as number; left > 0; left -= 1) yield { step, bucket };
  }
}

/** By bisection: the last that begins at or before the moment, if it holds it. */
function stepAt(steps: readonly Step[], ns: number): number | undefined {
  const place = firstWhere(steps.length, (at) => (steps[at] as Step).fromNs > ns) - 1;
  const step = steps[place];
  return step !== undefined && ns < step.toNs ? place : undefined;
}

/** Samples by bucket and group, of some of the steps. */
class Counted {
  readonly #counts = new Map<Bucket, Float64Array>();
  readonly #groups: Float64Array;
  #steps = 0;
  #ns = 0;

  constructor(groups: number) {
    this.#groups = new Float64Array(groups);
  }

  get looks(): number {
    return this.#groups.reduce((sum, one) => sum + one, 0);
  }

  steps({ fromNs, toNs }: Step): void {
    this.#steps += 1;
    this.#ns += toNs - fromNs;
  }

  add(bucket: Bucket, group: number): void {
    const counts = this.#counts.get(bucket) ?? new Float64Array(this.#groups.length);
    this.#counts.set(bucket, counts);
    counts[group] = (counts[group] as number) + 1;
    this.#groups[group] = (this.#groups[group] as number) + 1;
  }

  buckets(): readonly Bucket[] {
    return BUCKETS.filter((bucket) => this.#counts.has(bucket));
  }

  share(bucket: Bucket): Interval {
    const own = this.#counts.get(bucket)?.reduce((sum, one) => sum + one, 0) ?? 0;
    return rawInterval(own, this.looks);
  }

  shares(bucket: Bucket): readonly (number | undefined)[] {
    const own = this.#counts.get(bucket);
    return Array.from(this.#groups, (total, group) => (total > 0 ? (own?.[group] ?? 0) / total : undefined));
  }

  set(): StepSet {
    return {
      steps: this.#steps,
      looks: this.looks,
      meanUs: this.#steps > 0 ? this.#ns / this.#steps / 1e3 : 0,
    };
  }
}

function rank(bucket: Bucket): number {
  if (bucket === 'unclassified') return 1;
  return RESTING.has(bucket) ? 2 + BUCKETS.indexOf(bucket) : 0;
}
