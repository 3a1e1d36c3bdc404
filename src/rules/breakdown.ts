import { BUCKETS, type Profile } from '../model/index.js';
import { UNCLAIMED } from './classify.js';
import type { Claim, Rule } from './rule.js';
import type { LeafState, SampleCount } from './sample-count.js';

/** Samples of one rule, in one thread. */
export interface RuleCount {
  readonly rule: Rule;
  readonly samples: number;
}

/**
 * Samples of one thread by bucket, sub-kind, label and state of the leaf; they add up to all its samples. A sample
 * without a stack is `unclassified`, kind `lost`. Ordered by bucket, then kind, label and leaf.
 * `claims` is what `classifyProfile` gave for this profile.
 */
export function countSamples(
  profile: Profile,
  claims: readonly Claim[],
  threadIndex: number,
): readonly SampleCount[] {
  const counts = new Map<string, SampleCount>();
  for (const [row, samples] of weightsOf(profile, threadIndex)) {
    const claim = row < 0 ? undefined : (claims[row] ?? UNCLAIMED);
    const part: Omit<SampleCount, 'samples'> =
      claim === undefined
        ? { bucket: 'unclassified', kind: 'lost', leaf: 'work' }
        : {
            bucket: claim.bucket,
            ...(claim.kind === undefined ? {} : { kind: claim.kind }),
            ...(claim.label === undefined ? {} : { label: claim.label }),
            leaf: leafState(claim),
          };
    const key = sortKey(part);
    counts.set(key, { ...part, samples: samples + (counts.get(key)?.samples ?? 0) });
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
}

/** A pacer on a line of unknown text sleeps far more often than it spins. */
export function leafState(claim: Claim): LeafState {
  return claim.blocks ?? (claim.bucket === 'pacer' && claim.sourceUnknown === true ? 'sleep' : 'work');
}

/** Samples of one thread by the rule that claimed them, most first: whose advice to print. */
export function countRules(
  profile: Profile,
  claims: readonly Claim[],
  threadIndex: number,
): readonly RuleCount[] {
  const counts = new Map<Rule, number>();
  for (const [row, samples] of weightsOf(profile, threadIndex)) {
    const rule = claims[row]?.rule;
    if (rule !== undefined) counts.set(rule, (counts.get(rule) ?? 0) + samples);
  }
  return [...counts]
    .map(([rule, samples]) => ({ rule, samples }))
    .sort((a, b) => b.samples - a.samples || (a.rule.id < b.rule.id ? -1 : 1));
}

/** Weight of each stack row (or -1) in one thread. */
export function weightsOf(profile: Profile, threadIndex: number): ReadonlyMap<number, number> {
  const { samples } = profile;
  const weights = new Map<number, number>();
  for (let i = 0; i < samples.length; i++) {
    if (samples.thread[i] !== threadIndex) continue;
    const row = samples.stack[i] ?? -1;
    weights.set(row, (weights.get(row) ?? 0) + (samples.weight[i] ?? 0));
  }
  return weights;
}

function sortKey({ bucket, kind, label, leaf }: Omit<SampleCount, 'samples'>): string {
  const order = String(BUCKETS.indexOf(bucket)).padStart(2, '0');
  return [order, kind ?? '', label ?? '', leaf].join('\u0000');
}
