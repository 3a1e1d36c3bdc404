import type { Frame, Profile, StackTable } from '../model/index.js';
import { withSleepers } from './asleep.js';
import { patternList } from './frame-pattern.js';
import { labelFor } from './label.js';
import type { RuleSet } from './rule-set.js';
import type { Claim, Rule } from './rule.js';
import { type StackWalk, firstHolding, walkStacks } from './stack-walk.js';

/** What nothing claimed. */
export const UNCLAIMED: Claim = { bucket: 'unclassified', frame: -1 };

/** Claims of every row of the stack table, by row. Linear in its length and in that of the samples. */
export function classifyProfile(ruleSet: RuleSet, profile: Profile): readonly Claim[] {
  return withSleepers(profile, classifyStacks(ruleSet, profile.frames, profile.stacks));
}

/** Claim of one stack, root first. */
export function classifyStack(ruleSet: RuleSet, frames: readonly Frame[]): Claim {
  return classifyStacks(ruleSet, frames, chainOf(frames)).at(-1) ?? UNCLAIMED;
}

/** One stack as a stack table: row i is frame i. */
export function chainOf(frames: readonly Frame[]): StackTable {
  return {
    length: frames.length,
    parent: Int32Array.from(frames, (_, i) => i - 1),
    frame: Int32Array.from(frames, (_, i) => i),
  };
}

/**
 * The nearest claimed frame from the leaf decides. Each row gets the answer of the walk that starts at it, out of its
 * parent's answer: once for the case that it ends the code frames (`inner`), once for code standing below (`outer`).
 */
function classifyStacks(ruleSet: RuleSet, frames: readonly Frame[], stacks: StackTable): readonly Claim[] {
  const walk = walkStacks(ruleSet, frames, stacks);
  const inner: Claim[] = [];
  const outer: Claim[] = [];
  for (let row = 0; row < stacks.length; row++) {
    const parent = stacks.parent[row] ?? -1;
    const match = walk.matches[stacks.frame[row] ?? -1];
    const outerParent = outer[parent] ?? UNCLAIMED;
    if (match === undefined || (match.claiming.length === 0 && match.yielding.length === 0)) {
      outer.push(outerParent);
      inner.push(match?.isCode === true ? outerParent : (inner[parent] ?? UNCLAIMED));
      continue;
    }
    const below = firstHolding(walk, match.claiming, row, false);
    const ending = firstHolding(walk, match.claiming, row, true);
    const outerClaim = below === undefined ? outerParent : claimOf(walk, below, row);
    const innerParent = match.isCode ? outerParent : (inner[parent] ?? UNCLAIMED);
    const innerClaim =
      ending === undefined ? innerParent : ending === below ? outerClaim : claimOf(walk, ending, row);
    const blocking = firstHolding(walk, match.yielding, row, true);
    outer.push(outerClaim);
    inner.push(blocking === undefined ? innerClaim : blockedClaim(walk, blocking, row, innerClaim));
  }
  return inner;
}

function claimOf(walk: StackWalk, rule: Rule, row: number): Claim {
  const label = rule.label === undefined ? undefined : labelFor(rule.label, walk, row);
  return {
    bucket: rule.bucket,
    ...(rule.kind === undefined ? {} : { kind: rule.kind }),
    ...(label === undefined ? {} : { label }),
    ...(rule.blocks === undefined ? {} : { blocks: rule.blocks }),
    ...(decidesWithoutText(rule) ? { sourceUnknown: true } : {}),
    rule,
    frame: walk.depth[row] ?? -1,
  };
}

function decidesWithoutText(rule: Rule): boolean {
  return (
    rule.match.sourceKnown === false ||
    (rule.fromLine !== undefined && patternList(rule.fromLine).every((p) => p.sourceKnown === false))
  );
}

/**
 * A stack that blocks below a frame that something else claims stays in that bucket: only waiting for the GIL or a CPU
 * moves. `python` is no such bucket, it is what is left over.
 */
function blockedClaim(walk: StackWalk, blocking: Rule, row: number, outwards: Claim): Claim {
  const { rule } = outwards;
  if (rule === undefined || outwards.bucket === 'python') return claimOf(walk, blocking, row);
  if (outwards.blocks !== undefined) return outwards;
  const { sourceUnknown: _, ...known } = outwards;
  const kind = rule.whenBlocked?.kind ?? outwards.kind ?? 'blocked';
  const claim = { ...known, bucket: rule.whenBlocked?.bucket ?? outwards.bucket, kind };
  return blocking.blocks === undefined ? claim : { ...claim, blocks: blocking.blocks };
}
