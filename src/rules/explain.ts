import type { Frame } from '../model/index.js';
import { UNCLAIMED, chainOf, classifyStack } from './classify.js';
import { type PatternField, frameFacts } from './frame-pattern.js';
import type { RuleSet } from './rule-set.js';
import type { Claim, Rule } from './rule.js';
import { type ContextField, failedContext, walkStacks } from './stack-walk.js';

/** One rule held against one frame. */
export interface Trial {
  readonly rule: Rule;
  /** The first condition that did not hold; absent: all held. */
  readonly failed?: PatternField | ContextField;
}

export interface ExplainedFrame {
  /** From the root. */
  readonly index: number;
  readonly frame: Frame;
  /** Every rule, in order of precedence. */
  readonly trials: readonly Trial[];
}

/** Why a stack went where it went. */
export interface Explanation {
  readonly claim: Claim;
  /** From the leaf outwards, up to the frame that decided; all of them when none did. */
  readonly frames: readonly ExplainedFrame[];
}

/** Tries every rule on every frame of a stack (root first), from the leaf to the frame that decides. */
export function explainStack(ruleSet: RuleSet, frames: readonly Frame[]): Explanation {
  const claim = frames.length === 0 ? UNCLAIMED : classifyStack(ruleSet, frames);
  const walk = walkStacks(ruleSet, frames, chainOf(frames));
  const explained: ExplainedFrame[] = [];
  let innermost = true;
  for (let index = frames.length - 1; index >= Math.max(claim.frame, 0); index--) {
    const frame = frames[index];
    if (frame === undefined) break;
    const facts = frameFacts(frame);
    const isInnermost = innermost;
    const trials = ruleSet.rules.map((compiled): Trial => {
      const failed =
        compiled.match(facts) ??
        (compiled.rule.yields === true && !isInnermost
          ? 'leaf'
          : failedContext(walk, compiled, index, isInnermost));
      return failed === undefined ? { rule: compiled.rule } : { rule: compiled.rule, failed };
    });
    explained.push({ index, frame, trials });
    if (walk.matches[index]?.isCode === true) innermost = false;
  }
  return { claim, frames: explained };
}
