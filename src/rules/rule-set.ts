import type { Frame } from '../model/index.js';
import {
  type CompiledPattern,
  type FrameFacts,
  compileAny,
  compilePattern,
  frameFacts,
} from './frame-pattern.js';
import type { FramePatterns, Rule, RulePack } from './rule.js';

/** A rule ready to run. The numbers are bits of `FrameMatch.bits`. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly match: CompiledPattern;
  readonly caller: number | undefined;
  readonly fromLine: number | undefined;
  readonly under: number | undefined;
  readonly notUnder: number | undefined;
}

/** What one distinct frame means to all rules: worked out once, kept with the rule set. */
export interface FrameMatch {
  /** Rules whose frame this is, best first. */
  readonly claiming: readonly CompiledRule[];
  /** The same for rules that yield. */
  readonly yielding: readonly CompiledRule[];
  /** Which context patterns the frame fits. */
  readonly bits: Uint32Array;
  /** A frame of an interpreted language: it has lines of source, and C calls below it leave no frame. */
  readonly isCode: boolean;
}

/** Compiled packs. Earlier packs win over later ones on the same frame, earlier rules over later ones. */
export interface RuleSet {
  readonly packs: readonly RulePack[];
  readonly rules: readonly CompiledRule[];
  /** Patterns of `caller`, `fromLine`, `under` and `notUnder`, each once. */
  readonly contexts: readonly ((facts: FrameFacts) => boolean)[];
  /** 32-bit words that hold one bit for each of `contexts`. */
  readonly words: number;
  /** Answers so far; frames are interned, so their identity is enough. */
  readonly seen: WeakMap<Frame, FrameMatch>;
}

/** Compiles packs, in order of precedence: users' packs come first. Throws RangeError for a pattern of too many alternatives. */
export function compileRules(packs: readonly RulePack[]): RuleSet {
  const contexts: ((facts: FrameFacts) => boolean)[] = [];
  const known = new Map<string, number>();
  const bitOf = (pattern: FramePatterns | undefined): number | undefined => {
    if (pattern === undefined) return undefined;
    const key = JSON.stringify(pattern);
    const old = known.get(key);
    if (old !== undefined) return old;
    known.set(key, contexts.length);
    return contexts.push(compileAny(pattern)) - 1;
  };
  const rules = packs.flatMap((pack) =>
    pack.rules.map((rule) => ({
      rule,
      match: compilePattern(rule.match),
      caller: bitOf(rule.caller),
      fromLine: bitOf(rule.fromLine),
      under: bitOf(rule.under),
      notUnder: bitOf(rule.notUnder),
    })),
  );
  return { packs, rules, contexts, words: Math.ceil(contexts.length / 32), seen: new WeakMap() };
}

/** What a frame means to the rules; worked out at the first call for that frame. */
export function matchFrame(ruleSet: RuleSet, frame: Frame): FrameMatch {
  const old = ruleSet.seen.get(frame);
  if (old !== undefined) return old;
  const facts = frameFacts(frame);
  const fitting = ruleSet.rules.filter(({ match }) => match(facts) === undefined);
  const bits = new Uint32Array(ruleSet.words);
  for (const [i, context] of ruleSet.contexts.entries()) {
    if (context(facts)) bits[i >>> 5] = (bits[i >>> 5] ?? 0) | (1 << (i & 31));
  }
  const match: FrameMatch = {
    claiming: fitting.filter(({ rule }) => rule.yields !== true),
    yielding: fitting.filter(({ rule }) => rule.yields === true),
    bits,
    isCode: frame.kind === 'python' || frame.kind === 'js',
  };
  ruleSet.seen.set(frame, match);
  return match;
}
