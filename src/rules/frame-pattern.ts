import type { Frame, FrameKind } from '../model/index.js';
import { comparableName } from './frame-name.js';
import { compileContains, compileGlob, compilePath, type Matcher } from './glob.js';
import type { FramePattern, FramePatterns } from './rule.js';

export type PatternField = keyof FramePattern;

/** What patterns look at, taken out of a frame once. */
export interface FrameFacts {
  readonly frame: Frame;
  readonly name: string;
  /** Last part of a dotted name: `step` of `Engine.step`. */
  readonly method: string;
  readonly file: readonly string[] | undefined;
  readonly module: readonly string[] | undefined;
}

/** Returns the first field that does not fit, or undefined when the frame matches. */
export type CompiledPattern = (facts: FrameFacts) => PatternField | undefined;

export function frameFacts(frame: Frame): FrameFacts {
  const name = comparableName(frame);
  const dot = name.lastIndexOf('.');
  return {
    frame,
    name,
    method: dot > 0 && dot < name.length - 1 ? name.slice(dot + 1) : name,
    file: frame.file?.split('/'),
    module: frame.module?.split('/'),
  };
}

type Test = (facts: FrameFacts) => boolean;

/**
 * Compiles a pattern. What identifies a frame comes before the text of its line, so that a failure tells how near it was.
 * Throws RangeError for a pattern of too many alternatives.
 */
export function compilePattern(pattern: FramePattern): CompiledPattern {
  const fields: PatternField[] = [];
  const tests: Test[] = [];
  const add = (field: PatternField, test: Test): void => {
    fields.push(field);
    tests.push(test);
  };
  if (pattern.kind !== undefined) add('kind', kindTest(asList<FrameKind>(pattern.kind)));
  if (pattern.module !== undefined) add('module', pathTest(asList(pattern.module), 'module'));
  if (pattern.file !== undefined) add('file', pathTest(asList(pattern.file), 'file'));
  if (pattern.name !== undefined) add('name', nameTest(asList(pattern.name)));
  if (pattern.sourceKnown !== undefined) {
    const known = pattern.sourceKnown;
    add('sourceKnown', ({ frame }) => (frame.sourceText !== undefined) === known);
  }
  if (pattern.source !== undefined) add('source', sourceTest(asList(pattern.source)));
  if (pattern.notSource !== undefined) add('notSource', not(sourceTest(asList(pattern.notSource))));
  return (facts) => {
    for (let i = 0; i < tests.length; i++) if (tests[i]?.(facts) === false) return fields[i];
    return undefined;
  };
}

/**
 * Whether a frame could fit at all, from what it has: most rules want a library or a file or a text. Returns bits of
 * `haves`; a frame that lacks one of them need not be tried.
 */
export function needs({ module, file, source, sourceKnown }: FramePattern): number {
  return (
    (module === undefined ? 0 : HAS_MODULE) |
    (file === undefined ? 0 : HAS_FILE) |
    (source === undefined && sourceKnown !== true ? 0 : HAS_TEXT)
  );
}

const HAS_MODULE = 1;
const HAS_FILE = 2;
const HAS_TEXT = 4;
/** Different sets of what a frame has. */
export const HAVES = 8;

export function haves({ module, file, sourceText }: Frame): number {
  return (
    (module === undefined ? 0 : HAS_MODULE) |
    (file === undefined ? 0 : HAS_FILE) |
    (sourceText === undefined ? 0 : HAS_TEXT)
  );
}

/** True when a frame fits any one of the patterns. */
export function compileAny(patterns: FramePatterns): Test {
  const compiled = patternList(patterns).map(compilePattern);
  return (facts) => compiled.some((pattern) => pattern(facts) === undefined);
}

export function patternList(patterns: FramePatterns): readonly FramePattern[] {
  return isList(patterns) ? patterns : [patterns];
}

function isList(patterns: FramePatterns): patterns is readonly FramePattern[] {
  return Array.isArray(patterns);
}

function asList<T extends string>(value: T | readonly T[]): readonly T[] {
  return typeof value === 'string' ? [value] : value;
}

function not(test: Test): Test {
  return (facts) => !test(facts);
}

function kindTest(kinds: readonly FrameKind[]): Test {
  return ({ frame }) => kinds.includes(frame.kind);
}

function pathTest(patterns: readonly string[], field: 'file' | 'module'): Test {
  const matchers = patterns.map(compilePath);
  return (facts) => {
    const parts = facts[field];
    return parts !== undefined && matchers.some((matches) => matches(parts));
  };
}

/** An unknown text contains nothing. */
function sourceTest(patterns: readonly string[]): Test {
  const matchers = patterns.map(compileContains);
  return ({ frame }) => {
    const text = frame.sourceText;
    return text !== undefined && matchers.some((matches) => matches(text));
  };
}

/**
 * `step` fits `step` and `Engine.step`. `Engine.step` fits `Engine.step`, `Outer.Engine.step` and the bare `step` of
 * Pythons that print no class, but never `Other.step`. Literal names sit in sets: the packs name hundreds.
 */
function nameTest(patterns: readonly string[]): Test {
  const methods = new Set<string>();
  const bare = new Set<string>();
  const full: string[] = [];
  const methodGlobs: Matcher[] = [];
  const bareGlobs: Matcher[] = [];
  const fullGlobs: Matcher[] = [];
  for (const pattern of patterns) {
    const dot = pattern.lastIndexOf('.');
    const isGlob = pattern.includes('*');
    if (dot <= 0) {
      if (isGlob) methodGlobs.push(compileGlob(pattern));
      else methods.add(pattern);
      continue;
    }
    const last = pattern.slice(dot + 1);
    if (isGlob) {
      fullGlobs.push(compileGlob(pattern));
      bareGlobs.push(compileGlob(last));
    } else {
      full.push(pattern);
      bare.add(last);
    }
  }
  return ({ name, method }) => {
    if (methods.has(name) || methods.has(method)) return true;
    if (methodGlobs.some((matches) => matches(name) || matches(method))) return true;
    if (name === method) return bare.has(name) || bareGlobs.some((matches) => matches(name));
    return (
      full.some((p) => name === p || name.endsWith(`.${p}`)) || fullGlobs.some((matches) => matches(name))
    );
  };
}
