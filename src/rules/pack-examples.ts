import { classifyStack } from './classify.js';
import { parseFoldedFrames } from './folded-frames.js';
import type { RuleSet } from './rule-set.js';
import type { Claim, Rule, RulePack } from './rule.js';

/** An example of a rule that does not go where the rule says. */
export interface FailedExample {
  readonly rule: Rule;
  readonly example: 'hit' | 'miss';
  readonly stack: string;
  /** Where the whole set of packs puts it; absent when the stack could not be read. */
  readonly claim?: Claim;
  /** Why the stack could not be read. */
  readonly unreadable?: string;
}

export interface ExampleRun {
  readonly pack: RulePack;
  readonly examples: number;
  readonly failed: readonly FailedExample[];
}

/** Runs the hits and misses of a pack through the whole rule set, which must hold that pack. */
export function runExamples(ruleSet: RuleSet, pack: RulePack): ExampleRun {
  const failed: FailedExample[] = [];
  let examples = 0;
  for (const rule of pack.rules) {
    for (const example of ['hit', 'miss'] as const) {
      for (const stack of example === 'hit' ? rule.hits : rule.misses) {
        examples += 1;
        const failure = tryExample(ruleSet, rule, example, stack);
        if (failure !== undefined) failed.push(failure);
      }
    }
  }
  return { pack, examples, failed };
}

function tryExample(
  ruleSet: RuleSet,
  rule: Rule,
  example: FailedExample['example'],
  stack: string,
): FailedExample | undefined {
  try {
    const claim = classifyStack(ruleSet, parseFoldedFrames(stack));
    const isClaimed = claim.rule?.id === rule.id;
    return isClaimed === (example === 'hit') ? undefined : { rule, example, stack, claim };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { rule, example, stack, unreadable: error.message };
  }
}
