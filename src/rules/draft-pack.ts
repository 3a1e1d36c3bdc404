import { Document, isMap, isScalar, isSeq } from 'yaml';
import { type Frame, BUCKETS, frameText } from '../model/index.js';
import { classifyStack } from './classify.js';
import { compilePath } from './glob.js';
import { comparableName } from './frame-name.js';
import { runExamples } from './pack-examples.js';
import { compileRules } from './rule-set.js';
import type { Claim, FramePattern, Rule, RulePack } from './rule.js';

/** One stack of a recording, root first, with where it went. */
export interface DraftStack {
  readonly frames: readonly Frame[];
  readonly weight: number;
  readonly claim: Claim;
}

export interface DraftRequest {
  readonly id: string;
  readonly dated: string;
  readonly title: string;
  /** Most rules to draft. */
  readonly most: number;
}

export interface Draft {
  /** The pack as YAML, with what is left to do in comments. Names of the target are scalars, which the library escapes. */
  readonly text: string;
  readonly rules: number;
  /** Weight of all stacks, of those that nothing claims, and of those among them that the drafted rules hold. */
  readonly all: number;
  readonly unclassified: number;
  readonly held: number;
  /** Functions without a rule: beyond the wanted number, or not to be told from what is classified already. */
  readonly left: number;
}

/** Packages that everybody calls: what their functions do is said by who called them. */
const SHARED = [
  'numpy/',
  'scipy/',
  'torch/',
  'jax/',
  'jaxlib/',
  'warp/',
  'pandas/',
  'asyncio/',
  'concurrent/',
  'collections/',
  'json/',
  'logging/',
  'unittest/',
  '{contextlib,copy,copyreg,dataclasses,enum,functools,inspect,linecache,random,re,selectors,threading,typing,weakref}.py',
].map(compilePath);
const HITS = 3;
/** Frames of a hit, from the leaf: a stack of a thousand is no example that anybody reads. */
const LONGEST_HIT = 40;
const LONGEST_NAME = 300;
const WHY = 'To fill in: what this function does, and why it belongs in that bucket.';

interface Candidate {
  readonly frame: Frame;
  readonly match: FramePattern;
  /** Whether no code stands below it in any of its stacks. */
  readonly isLeaf: boolean;
  /** Text of the lines that it stands on; undefined where one of them is unknown. */
  readonly lines: readonly string[] | undefined;
  readonly stacks: readonly DraftStack[];
  readonly weight: number;
}

/** Drafts a pack out of the stacks that nothing claims: one rule for each function, hottest first. `packs` are those that come after it. */
export function draftPack(
  packs: readonly RulePack[],
  request: DraftRequest,
  stacks: readonly DraftStack[],
): Draft {
  const open = stacks.filter(({ claim }) => claim.bucket === 'unclassified');
  const candidates = candidatesOf(open);
  const hottest = candidates.slice(0, request.most);
  const drafted = withoutThieves(packs, stacks, named(hottest, request.id));
  const pack: RulePack = { id: request.id, dated: request.dated, title: request.title, rules: drafted };
  const rules = withKeptHits(packs, pack);
  const ruleSet = compileRules([{ ...pack, rules }, ...packs]);
  const ids = new Set(rules.map(({ id }) => id));
  const weights = new Map<string, number>();
  for (const { frames, weight } of open) {
    const id = classifyStack(ruleSet, frames).rule?.id;
    if (id !== undefined && ids.has(id)) weights.set(id, (weights.get(id) ?? 0) + weight);
  }
  const all = sumOf(stacks);
  return {
    text: yamlText({ ...pack, rules }, (id) => (weights.get(id) ?? 0) / all),
    rules: rules.length,
    all,
    unclassified: sumOf(open),
    held: [...weights.values()].reduce((sum, weight) => sum + weight, 0),
    left: candidates.length - rules.length,
  };
}

function sumOf(stacks: readonly DraftStack[]): number {
  return stacks.reduce((sum, { weight }) => sum + weight, 0);
}

/** Functions that a rule could name, heaviest first. */
function candidatesOf(open: readonly DraftStack[]): readonly Candidate[] {
  const groups = new Map<string, { frame: Frame; match: FramePattern; entries: [DraftStack, number][] }>();
  for (const stack of open) {
    const at = ownFrame(stack.frames);
    const frame = stack.frames[at];
    const match = frame === undefined ? undefined : patternFor(frame);
    if (frame === undefined || match === undefined) continue;
    const key = JSON.stringify(match);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { frame, match, entries: [[stack, at]] });
    else group.entries.push([stack, at]);
  }
  return [...groups]
    .map(([key, { frame, match, entries }]) => {
      const lines = new Set(entries.map(([{ frames }, at]) => frames[at]?.sourceText));
      const known = [...lines].filter((line) => line !== undefined && line !== '');
      const candidate: Candidate = {
        frame,
        match,
        isLeaf: entries.every(([{ frames }, at]) => !frames.slice(at + 1).some(isCode)),
        lines: known.length === lines.size ? (known as readonly string[]).toSorted() : undefined,
        stacks: entries.map(([stack]) => stack).toSorted((a, b) => b.weight - a.weight),
        weight: sumOf(entries.map(([stack]) => stack)),
      };
      return { key, candidate };
    })
    .sort((a, b) => b.candidate.weight - a.candidate.weight || (a.key < b.key ? -1 : 1))
    .map(({ candidate }) => candidate);
}

function isCode({ kind }: Frame): boolean {
  return kind === 'python' || kind === 'js';
}

/** Index of the nearest frame from the leaf that is not everybody's; else of the nearest that can be named; -1 for none. */
function ownFrame(frames: readonly Frame[]): number {
  const own = frames.findLastIndex((frame) => isNamed(frame) && !isShared(frame));
  return own === -1 ? frames.findLastIndex(isNamed) : own;
}

function isNamed(frame: Frame): boolean {
  return patternFor(frame) !== undefined;
}

function isShared({ file, kind }: Frame): boolean {
  if (kind !== 'python' || file === undefined) return kind === 'native' || kind === 'kernel';
  const parts = file.split('/');
  return file.startsWith('<') || SHARED.some((matches) => matches(parts));
}

/** What names the function of a frame; undefined for labels, bare addresses and names that are no names. */
function patternFor(frame: Frame): FramePattern | undefined {
  if (frame.kind === 'marker' || frame.corrupt === true) return undefined;
  const name = comparableName(frame);
  if (/^(?:0x[\da-f]+|\[.*\])$/i.test(name) || name.length > LONGEST_NAME) return undefined;
  const { file, module } = frame;
  if ((file ?? module ?? '').length > LONGEST_NAME) return undefined;
  if (file !== undefined) return { name, file: literalPath(file) };
  if (module !== undefined) return { name, module: literalPath(module.slice(module.lastIndexOf('/') + 1)) };
  return { name, ...(frame.kind === 'unknown' ? {} : { kind: frame.kind }) };
}

/** A path as a pattern of itself: what would mean more than itself becomes `*`. */
function literalPath(path: string): string {
  return path.replaceAll(/[{}]/g, '*').replace(/^\^/, '*').replace(/\/$/, '');
}

/** Rules of the candidates, with ids of their own. */
function named(
  candidates: readonly Candidate[],
  packId: string,
): readonly (Rule & { lines?: readonly string[] })[] {
  const taken = new Set<string>();
  return candidates.map(({ frame, match, isLeaf, lines, stacks }) => {
    const slug = comparableName(frame)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(-40)
      .replace(/^-/, '');
    const stem = `${packId}/${slug === '' ? 'function' : slug}`;
    let id = stem;
    for (let n = 2; taken.has(id); n += 1) id = `${stem}-${n}`;
    taken.add(id);
    return {
      id,
      bucket: 'plugin',
      match,
      ...(isLeaf && isCode(frame) ? { leaf: true } : {}),
      why: WHY,
      hits: stacks.slice(0, HITS).map(({ frames }) => hitText(frames)),
      misses: [],
      ...(lines === undefined ? {} : { lines }),
    };
  });
}

function hitText(frames: readonly Frame[]): string {
  return frames.slice(-LONGEST_HIT).map(frameWithLine).join(';');
}

/** The text of a line is left out where it would end the frame. */
function frameWithLine(frame: Frame): string {
  const { sourceText = '' } = frame;
  return /[;\r\n]/.test(sourceText) || sourceText === ''
    ? frameText(frame)
    : `${frameText(frame)} #${sourceText}`;
}

/**
 * A user's rule wins over all others on its frame, so a rule for `main` would take the line of `main` that steps. Such a rule is held to
 * the lines that nothing claims; where that does not help, it goes.
 */
function withoutThieves(
  packs: readonly RulePack[],
  stacks: readonly DraftStack[],
  drafted: readonly (Rule & { lines?: readonly string[] })[],
): readonly Rule[] {
  const claimed = stacks.filter(({ claim }) => claim.bucket !== 'unclassified');
  const thieves = (rules: readonly Rule[]): ReadonlySet<string> => {
    const ruleSet = compileRules([{ id: '', dated: '', title: '', rules }, ...packs]);
    const own = new Set(rules.map(({ id }) => id));
    return new Set(
      claimed.flatMap(({ frames }) => {
        const id = classifyStack(ruleSet, frames).rule?.id;
        return id !== undefined && own.has(id) ? [id] : [];
      }),
    );
  };
  const first = thieves(drafted);
  const held = drafted.flatMap(({ lines, ...rule }): readonly Rule[] => {
    if (!first.has(rule.id)) return [rule];
    return lines === undefined ? [] : [{ ...rule, match: { ...rule.match, source: lines } }];
  });
  const second = thieves(held);
  return held.filter(({ id }) => !second.has(id));
}

/** Hits that the rule claims when the whole set decides; a stack whose text cannot be read again is none. */
function withKeptHits(packs: readonly RulePack[], pack: RulePack): readonly Rule[] {
  const failed = new Map<string, Set<string>>();
  for (const { rule, stack } of runExamples(compileRules([pack, ...packs]), pack).failed)
    failed.set(rule.id, (failed.get(rule.id) ?? new Set()).add(stack));
  return pack.rules.map((rule) => ({
    ...rule,
    hits: rule.hits.filter((hit) => failed.get(rule.id)?.has(hit) !== true),
  }));
}

/** Names of the target go in as values alone: what a comment holds is not escaped. */
function yamlText({ id, dated, title, rules }: RulePack, shareOf: (id: string) => number): string {
  const document = new Document({ id, dated, title, rules });
  document.commentBefore = [
    ' A draft: one rule for each function that no rule claims, hottest first.',
    ' Choose a bucket for each, say why, and delete those that should stay unclassified.',
    ` Buckets: ${BUCKETS.filter((bucket) => bucket !== 'unclassified').join(', ')}.`,
  ].join('\n');
  const list = document.get('rules', true);
  if (isSeq(list)) {
    for (const [i, item] of list.items.entries()) {
      if (!isMap(item)) continue;
      item.commentBefore = ` ${(100 * shareOf(rules[i]?.id ?? '')).toFixed(1)} % of all samples`;
      const bucket = item.get('bucket', true);
      if (isScalar(bucket)) bucket.comment = ' a placeholder';
      item.delete('misses');
    }
  }
  return document.toString({ lineWidth: 0 });
}
