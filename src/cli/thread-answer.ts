import { NO_STATES, type Profile, type StateWeights, type Thread, addStates } from '../model/index.js';
import {
  type BucketAnswer,
  type HotPlace,
  type Overlap,
  type Pooled,
  type ThreadAnswer,
  compareText,
  frameLabel,
  grouped,
  leavesOf,
} from '../report/index.js';
import {
  type Claim,
  type Remedy,
  type Rule,
  type RulePack,
  leafState,
  phaseResolution,
} from '../rules/index.js';
import {
  type BucketShare,
  type EstimateInput,
  type LeafCounts,
  type Pools,
  type SampleCount,
  type StateCount,
  type ThreadEstimate,
  estimateByStates,
  estimateThread,
  leafKind,
  poolShare,
} from '../stats/index.js';

const NONE: LeafCounts = { work: 0, sleep: 0, wait: 0, gil: 0 };
/** Places shown of what is unclassified. */
const MOST_PLACES = 5;

/** Which part of a thread's time the samples of a stack split. */
export function leafOf(claim: Claim): keyof LeafCounts {
  return leafKind(claim.bucket, leafState(claim));
}

/** One thread with everything that is needed to answer for it. */
export interface ThreadFacts {
  readonly profile: Profile;
  readonly thread: Thread;
  /** Index into the profile's threads; -1 for one that only the kernel saw. */
  readonly index: number;
  readonly role: string;
  /** Its samples, pooled by stack. */
  readonly pooled: readonly Pooled[];
  readonly claimOf: (stack: number) => Claim;
  /** The packs that made the claims. */
  readonly packs: readonly RulePack[];
  readonly estimate: Omit<EstimateInput, 'counts'> & {
    /** Samples per second that were asked for. */
    readonly rateHz?: number;
  };
}

/** Estimate, buckets and their parts, phases, remedies and hottest unclaimed places of one thread. */
export function threadAnswer(facts: ThreadFacts): ThreadAnswer {
  const { parts, whole } = estimates(facts);
  const remedies = remediesOf(facts, whole.pools);
  const phases = phaseResolution(facts.packs, facts.profile, facts.pooled, facts.claimOf);
  const withoutStack = facts.pooled.reduce((sum, { stack, weight }) => sum + (stack < 0 ? weight : 0), 0);
  const byBucket = grouped(whole.rows, (row) => row.bucket);
  const buckets = [...byBucket].map(([bucket, rows]): BucketAnswer => ({
    ...joined(rows),
    parts: parts.rows.filter((row) => row.bucket === bucket),
    remedies: remedies.filter((one) => one.bucket === bucket).map((one) => one.remedy),
  }));
  return {
    thread: facts.thread,
    index: facts.index,
    role: facts.role,
    ...(whole.totals === undefined ? {} : { totals: whole.totals }),
    estimate: whole,
    ...(withoutStack > 0 ? { withoutStack } : {}),
    // Of a thread that nobody sampled only its totals are known.
    buckets: facts.pooled.length === 0 ? [] : buckets.sort((a, b) => b.share - a.share),
    ...(phases.length === 0 ? {} : { phases }),
    unclassified: unclaimedPlaces(facts, whole),
  };
}

/** The estimate by parts of buckets and by whole ones: by states where the samples tell them, else by what their leaves are known to do. */
function estimates(facts: ThreadFacts): { readonly parts: ThreadEstimate; readonly whole: ThreadEstimate } {
  const { estimate, pooled } = facts;
  if (pooled.length > 0 && pooled.every(({ states }) => states !== undefined)) {
    const counts = stateCountsOf(facts);
    const lost = pooled.find(({ stack }) => stack < 0)?.states ?? NO_STATES;
    const whole = [...grouped(counts, ({ bucket }) => bucket)].map(([bucket, group]) => ({
      bucket,
      states: addStates(group.map(({ states }) => states)),
    }));
    return {
      parts: estimateByStates({ ...estimate, lost, counts }),
      whole: estimateByStates({ ...estimate, lost, counts: whole }),
    };
  }
  const counts = countsOf(facts);
  return {
    parts: estimateThread({ ...estimate, counts }),
    whole: estimateThread({ ...estimate, counts: counts.map(withoutKind) }),
  };
}

function stateCountsOf({ pooled, claimOf }: ThreadFacts): StateCount[] {
  const groups = grouped(
    pooled.filter(({ stack }) => stack >= 0),
    ({ stack }) => {
      const { bucket, kind, label } = claimOf(stack);
      return JSON.stringify([bucket, kind, label]);
    },
  );
  return [...groups.values()].flatMap((entries) => {
    const [first] = entries;
    if (first === undefined) return [];
    const { bucket, kind, label } = claimOf(first.stack);
    return {
      bucket,
      ...(kind === undefined ? {} : { kind }),
      ...(label === undefined ? {} : { label }),
      states: addStates(entries.map(({ states }): StateWeights => states ?? NO_STATES)),
    };
  });
}

/** Counts by what was claimed: a large profile has millions of stacks and few claims. */
function countsOf({ pooled, claimOf }: ThreadFacts): SampleCount[] {
  const counts = new Map<string, { -readonly [Field in keyof SampleCount]: SampleCount[Field] }>();
  const known = new Map<Claim, { samples: number }>();
  for (const { stack, weight } of pooled) {
    if (stack < 0) continue;
    const claim = claimOf(stack);
    let count = known.get(claim);
    if (count === undefined) {
      const { bucket, kind, label } = claim;
      const leaf = leafState(claim);
      const key = `${bucket} ${leaf} ${kind?.length} ${kind} ${label === undefined ? '-' : `+${label}`}`;
      const made = counts.get(key) ?? {
        bucket,
        ...(kind === undefined ? {} : { kind }),
        ...(label === undefined ? {} : { label }),
        leaf,
        samples: 0,
      };
      counts.set(key, made);
      known.set(claim, made);
      count = made;
    }
    count.samples += weight;
  }
  return [...counts.values()];
}

function withoutKind({ bucket, leaf, samples }: SampleCount): SampleCount {
  return { bucket, leaf, samples };
}

/** Rows of one bucket as one: the unclassified may be there as lost and as not sampled besides. */
function joined(rows: readonly BucketShare[]): BucketShare {
  const [first, ...more] = rows;
  if (first === undefined) throw new RangeError('no rows to join');
  if (more.length === 0) return first;
  const sum = (of: (row: BucketShare) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const share = sum((row) => row.share);
  const below = Math.hypot(...rows.map((row) => row.share - row.low));
  const above = Math.hypot(...rows.map((row) => row.high - row.share));
  const ofWork = sum((row) => row.ofWork ?? 0);
  return {
    bucket: first.bucket,
    share,
    low: Math.max(0, share - below),
    high: Math.min(1, share + above),
    exact: rows.every((row) => row.exact),
    samples: sum((row) => row.samples),
    rawShare: sum((row) => row.rawShare),
    ...(ofWork > 0 ? { ofWork } : {}),
  };
}

interface BucketRemedy {
  readonly bucket: string;
  readonly remedy: Remedy;
}

type Counts = { -readonly [Kind in keyof LeafCounts]: number };

function addTo(to: Counts, { work, sleep, wait, gil }: LeafCounts): void {
  to.work += work;
  to.sleep += sleep;
  to.wait += wait;
  to.gil += gil;
}

/** Advice of the rules that claimed enough of this thread, largest share first. */
function remediesOf({ pooled, claimOf }: ThreadFacts, pools: Pools): BucketRemedy[] {
  const byRule = new Map<Rule, Counts>();
  for (const entry of pooled) {
    const claim = claimOf(entry.stack);
    if (claim.rule?.remedy === undefined) continue;
    const counts = byRule.get(claim.rule) ?? { ...NONE };
    addTo(
      counts,
      leavesOf(entry, () => leafOf(claim)),
    );
    byRule.set(claim.rule, counts);
  }
  const told = new Set<string>();
  return [...byRule]
    .map(([rule, counts]) => ({ rule, share: poolShare(pools, counts).share }))
    .sort((a, b) => b.share - a.share || compareText(a.rule.id, b.rule.id))
    .flatMap(({ rule, share }) => {
      const remedy = rule.remedy;
      if (remedy === undefined || share < remedy.above || told.has(remedy.text)) return [];
      told.add(remedy.text);
      return [{ bucket: rule.bucket, remedy }];
    });
}

/** Leaves of the stacks that nothing claimed. */
function unclaimedPlaces({ profile, pooled, claimOf }: ThreadFacts, estimate: ThreadEstimate): HotPlace[] {
  const byLeaf = new Map<number, { samples: number; readonly counts: Counts }>();
  for (const entry of pooled) {
    const leaf = profile.stacks.frame[entry.stack];
    if (leaf === undefined || claimOf(entry.stack).bucket !== 'unclassified') continue;
    const sum = byLeaf.get(leaf) ?? { samples: 0, counts: { ...NONE } };
    sum.samples += entry.weight;
    addTo(
      sum.counts,
      leavesOf(entry, () => 'work'),
    );
    byLeaf.set(leaf, sum);
  }
  return (
    [...byLeaf]
      .flatMap(([index, sum]) => {
        const frame = profile.frames[index];
        if (frame === undefined) return [];
        const { share } = poolShare(estimate.pools, sum.counts);
        return [{ frame, samples: sum.samples, share, text: frameLabel(frame) }];
      })
      // Samples in a wait weigh nothing in the share that is printed.
      .sort((a, b) => b.share - a.share || b.samples - a.samples || compareText(a.text, b.text))
      .slice(0, MOST_PLACES)
      .map(({ frame, samples, share }) => ({ frame, samples, share }))
  );
}

/** How long two threads can have been on a CPU at once, from their totals alone. */
export function overlapOf(physics: ThreadAnswer, other: ThreadAnswer): Overlap | undefined {
  const mine = physics.totals?.onCpu;
  const theirs = other.totals?.onCpu;
  if (mine === undefined || theirs === undefined) return undefined;
  return { atLeast: Math.max(0, mine + theirs - 1), atMost: Math.min(mine, theirs) };
}
