import type { Frame } from '../model/index.js';
import {
  type CompiledPattern,
  type FrameFacts,
  HAVES,
  compileAny,
  compilePattern,
  frameFacts,
  haves,
  needs,
  patternList,
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

/** A pattern of `caller`, `fromLine`, `under` or `notUnder`; equal ones share a bit. */
export interface Context {
  readonly bit: number;
  readonly fits: (facts: FrameFacts) => boolean;
  readonly needs: readonly number[];
}

/** Compiled packs. Earlier packs win over later ones on the same frame, earlier rules over later ones. */
export interface RuleSet {
  readonly packs: readonly RulePack[];
  readonly rules: readonly CompiledRule[];
  /** By what a frame has (`haves`): the rules and contexts that it could fit at all. */
  readonly tries: readonly {
    readonly rules: readonly CompiledRule[];
    readonly contexts: readonly Context[];
  }[];
  /** 32-bit words that hold one bit for each context. */
  readonly words: number;
  /** Answers so far; frames are interned, so their identity is enough. */
  readonly seen: WeakMap<Frame, FrameMatch>;
}

/** Compiles packs, in order of precedence: users' packs come first. Throws RangeError for a pattern of too many alternatives. */
export function compileRules(packs: readonly RulePack[]): RuleSet {
  const contexts: Context[] = [];
  const known = new Map<string, number>();
  const bitOf = (pattern: FramePatterns | undefined): number | undefined => {
    if (pattern === undefined) return undefined;
    const key = JSON.stringify(pattern);
    const old = known.get(key);
    if (old !== undefined) return old;
    known.set(key, contexts.length);
    const bit = contexts.length;
    contexts.push({ bit, fits: compileAny(pattern), needs: patternList(pattern).map(needs) });
    return bit;
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
  const tries = Array.from({ length: HAVES }, (_, has) => ({
    rules: rules.filter(({ rule }) => (needs(rule.match) & ~has) === 0),
    contexts: contexts.filter((context) => context.needs.some((need) => (need & ~has) === 0)),
  }));
  return { packs, rules, tries, words: Math.ceil(contexts.length / 32), seen: new WeakMap() };
}

/** What a frame means to the rules; worked out at the first call for that frame. */
export function matchFrame(ruleSet: RuleSet, frame: Frame): FrameMatch {
  const old = ruleSet.seen.get(frame);
  if (old !== undefined) return old;
  const facts = frameFacts(frame);
  const tries = ruleSet.tries[haves(frame)];
  const fitting = tries?.rules.filter(({ match }) => match(facts) === undefined) ?? [];
  const bits = new Uint32Array(ruleSet.words);
  for (const { bit, fits } of tries?.contexts ?? []) {
    if (fits(facts)) bits[bit >>> 5] = (bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
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
