import type { Frame, StackTable } from '../model/index.js';
import { type CompiledRule, type FrameMatch, type RuleSet, matchFrame } from './rule-set.js';
import type { Rule } from './rule.js';

/** Context of every row of a stack table, worked out in one pass, parents first. */
export interface StackWalk {
  readonly frames: readonly Frame[];
  readonly stacks: StackTable;
  readonly matches: readonly FrameMatch[];
  /** Frames nearer to the root. */
  readonly depth: Int32Array;
  /** Row of the nearest code frame outwards, or -1. */
  readonly line: Int32Array;
  /** Context bits of all frames nearer to the root, `words` for each row. */
  readonly above: Uint32Array;
  readonly words: number;
}

export function walkStacks(ruleSet: RuleSet, frames: readonly Frame[], stacks: StackTable): StackWalk {
  const { words } = ruleSet;
  const matches = frames.map((frame) => matchFrame(ruleSet, frame));
  const depth = new Int32Array(stacks.length);
  const line = new Int32Array(stacks.length).fill(-1);
  const above = new Uint32Array(stacks.length * words);
  for (let row = 0; row < stacks.length; row++) {
    const parent = stacks.parent[row] ?? -1;
    if (parent < 0) continue;
    const match = matches[stacks.frame[parent] ?? -1];
    depth[row] = (depth[parent] ?? 0) + 1;
    line[row] = match?.isCode === true ? parent : (line[parent] ?? -1);
    for (let w = 0; w < words; w++) {
      above[row * words + w] = (above[parent * words + w] ?? 0) | (match?.bits[w] ?? 0);
    }
  }
  return { frames, stacks, matches, depth, line, above, words };
}

/** The conditions of a rule beyond its frame. */
export type ContextField = 'leaf' | 'caller' | 'fromLine' | 'under' | 'notUnder';

/** First condition of a rule that does not hold at a row, or undefined. `innermost`: no code frame stands below. */
export function failedContext(
  walk: StackWalk,
  compiled: CompiledRule,
  row: number,
  innermost: boolean,
): ContextField | undefined {
  const { rule, caller, fromLine, under, notUnder } = compiled;
  if (rule.leaf !== undefined && rule.leaf !== innermost) return 'leaf';
  if (caller !== undefined && !isCalledBy(walk, row, caller)) return 'caller';
  if (fromLine !== undefined && !rowHasBit(walk, walk.line[row] ?? -1, fromLine)) return 'fromLine';
  if (under !== undefined && !hasBit(walk.above, row * walk.words, under)) return 'under';
  if (notUnder !== undefined && hasBit(walk.above, row * walk.words, notUnder)) return 'notUnder';
  return undefined;
}

/** Whether the frame outwards fits, or one beyond markers: a label between two frames calls nobody. */
function isCalledBy(walk: StackWalk, row: number, bit: number): boolean {
  const { parent, frame } = walk.stacks;
  for (let at = parent[row] ?? -1; at >= 0; at = parent[at] ?? -1) {
    if (rowHasBit(walk, at, bit)) return true;
    if (walk.frames[frame[at] ?? -1]?.kind !== 'marker') return false;
  }
  return false;
}

function rowHasBit(walk: StackWalk, row: number, bit: number): boolean {
  const match = row < 0 ? undefined : walk.matches[walk.stacks.frame[row] ?? -1];
  return match !== undefined && hasBit(match.bits, 0, bit);
}

function hasBit(words: Uint32Array, start: number, bit: number): boolean {
  return (((words[start + (bit >>> 5)] ?? 0) >>> (bit & 31)) & 1) === 1;
}

/** First rule of a list that holds at a row. */
export function firstHolding(
  walk: StackWalk,
  rules: readonly CompiledRule[],
  row: number,
  innermost: boolean,
): Rule | undefined {
  return rules.find((compiled) => failedContext(walk, compiled, row, innermost) === undefined)?.rule;
}
