import {
  type Bucket,
  type Profile,
  type ProgramSpan,
  RESTING,
  type Thread,
  isStep,
  openStretches,
  stretchAt,
  waitOfState,
} from '../model/index.js';
import { type Claim, UNCLAIMED } from '../rules/index.js';
import { type Interval, rawInterval } from '../stats/index.js';

/** Time in which the same steps ran. */
export interface NamedStepRow {
  /** The innermost steps that ran, more than one where they ran beside each other; none: between steps. */
  readonly names: readonly string[];
  /** How long it was of the time that was sampled. */
  readonly seconds: number;
  readonly share: number;
  /** Samples in it. */
  readonly looks: number;
  /** Of a single step that ended in the window: how often, and how long it takes from beginning to end. */
  readonly runs?: StepRuns;
  /** The largest first; those that rest after those that work. Shares of the samples, with their 95 % interval by counting. */
  readonly buckets: readonly { readonly bucket: Bucket; readonly share: Interval }[];
}

export interface StepRuns {
  readonly count: number;
  readonly meanMs: number;
  readonly maxMs: number;
}

export interface ByNamedStep {
  readonly thread: Thread;
  readonly role: string;
  /** Steps that ended, of any name. */
  readonly steps: number;
  /** The longest first, what is between steps last. */
  readonly rows: readonly NamedStepRow[];
}

export interface NamedStepFacts {
  readonly profile: Profile;
  readonly thread: number;
  readonly role: string;
  readonly claims: readonly Claim[];
  /** Those of that thread. */
  readonly spans: readonly ProgramSpan[];
  /** Pieces of the window in which samples were taken, nanoseconds since it began. */
  readonly windows: readonly (readonly [number, number])[];
}

/**
 * The samples of one thread by the steps that ran when they were taken. A step that consists of others has what is between them. Undefined
 * where no step ran in the window.
 * @throws RangeError where the profile has no times.
 */
export function byNamedStep(facts: NamedStepFacts): ByNamedStep | undefined {
  const { profile, thread, role, claims, windows } = facts;
  const { samples } = profile;
  const { timeNs, state } = samples;
  if (timeNs === undefined) throw new RangeError('samples without times are in no step');
  const steps = facts.spans.filter(isStep);
  const stretches = openStretches(steps);
  const groups = new Map<string, Group>();
  const groupOf = (names: readonly string[]): Group => {
    const key = names.join('\0');
    const known = groups.get(key) ?? { names, ns: 0, looks: 0, weights: new Map<Bucket, number>() };
    groups.set(key, known);
    return known;
  };
  for (const { startNs, endNs, names } of stretches)
    for (const [from, to] of windows)
      if (endNs > from && startNs < to) groupOf(names).ns += Math.min(endNs, to) - Math.max(startNs, from);
  if (groups.size === 0) return undefined;
  const sampledNs = windows.reduce((sum, [from, to]) => sum + to - from, 0);
  const inSteps = [...groups.values()].reduce((sum, { ns }) => sum + ns, 0);
  if (sampledNs > inSteps) groupOf([]).ns = sampledNs - inSteps;
  for (let row = 0; row < samples.length; row += 1) {
    if (samples.thread[row] !== thread) continue;
    const group = groupOf(stretchAt(stretches, timeNs[row] as number)?.names ?? []);
    const claim = claims[samples.stack[row] as number] ?? UNCLAIMED;
    const bucket = waitOfState(state?.[row]) ?? claim.bucket;
    const weight = samples.weight[row] as number;
    group.looks += weight;
    group.weights.set(bucket, (group.weights.get(bucket) ?? 0) + weight);
  }
  const ended = steps.filter(({ isOpen }) => isOpen !== true);
  const runs = runsByName(ended);
  return {
    thread: profile.threads[thread] ?? {},
    role,
    steps: ended.length,
    rows: [...groups.values()]
      .map((group) => rowOf(group, runs, sampledNs))
      .toSorted((a, b) => Number(b.names.length > 0) - Number(a.names.length > 0) || b.seconds - a.seconds),
  };
}

interface Group {
  readonly names: readonly string[];
  ns: number;
  looks: number;
  readonly weights: Map<Bucket, number>;
}

function rowOf(
  { names, ns, looks, weights }: Group,
  runsOf: ReadonlyMap<string, StepRuns>,
  sampledNs: number,
): NamedStepRow {
  const runs = names.length === 1 ? runsOf.get(names[0] as string) : undefined;
  return {
    names,
    seconds: ns / 1e9,
    share: sampledNs > 0 ? ns / sampledNs : 0,
    looks,
    ...(runs === undefined ? {} : { runs }),
    buckets: [...weights]
      .map(([bucket, weight]) => ({ bucket, share: rawInterval(weight, looks) }))
      .toSorted(
        (a, b) =>
          Number(RESTING.has(a.bucket)) - Number(RESTING.has(b.bucket)) || b.share.share - a.share.share,
      ),
  };
}

function runsByName(steps: readonly ProgramSpan[]): ReadonlyMap<string, StepRuns> {
  const sums = new Map<string, { count: number; ms: number; maxMs: number }>();
  for (const { name, startNs, endNs } of steps) {
    const ms = (endNs - startNs) / 1e6;
    const sum = sums.get(name) ?? { count: 0, ms: 0, maxMs: 0 };
    sum.count += 1;
    sum.ms += ms;
    sum.maxMs = Math.max(sum.maxMs, ms);
    sums.set(name, sum);
  }
  return new Map(
    [...sums].map(([name, { count, ms, maxMs }]) => [name, { count, meanMs: ms / count, maxMs }]),
  );
}
