import * as v from 'valibot';
import { LineCounter, type Document, isNode, isMap, isScalar, parseDocument } from 'yaml';
import { BUCKETS, type Bucket, type FrameKind, ProfilerError } from '../model/index.js';
import { compileRules } from './rule-set.js';
import type { FramePattern, FramePatterns, Rule, RuleLabel, RulePack } from './rule.js';
import { aliasFault, yamlFault } from './yaml-faults.js';

const KINDS: readonly FrameKind[] = ['python', 'js', 'native', 'kernel', 'gpu', 'marker', 'unknown'];
/** Rules may sort into every bucket but the one for what no rule claims. */
const CLAIMABLE: readonly Bucket[] = BUCKETS.filter((bucket) => bucket !== 'unclassified');

const Text = v.pipe(v.string('must be text'), v.nonEmpty('must not be empty'));
const Texts = v.union(
  [Text, v.pipe(v.array(Text), v.nonEmpty('must not be empty'))],
  'must be text or a list of texts',
);
const Kind = v.picklist(KINDS, `must be one of ${KINDS.join(', ')}`);

const Pattern = v.pipe(
  v.strictObject({
    name: v.optional(Texts),
    file: v.optional(Texts),
    module: v.optional(Texts),
    kind: v.optional(v.union([Kind, v.array(Kind)], `must be one of ${KINDS.join(', ')}, or a list of them`)),
    source: v.optional(Texts),
    notSource: v.optional(Texts),
    sourceKnown: v.optional(v.boolean('must be true or false')),
  }),
  v.check(
    (pattern) => Object.keys(pattern).length > 0,
    'must name at least one of name, file, module, kind, source',
  ),
);
const Patterns = v.union(
  [Pattern, v.pipe(v.array(Pattern), v.nonEmpty('must not be empty'))],
  'must be a map of fields, or a list of such maps',
);

const Label = v.variant(
  'from',
  [
    v.strictObject({ from: v.literal('caller'), match: Pattern }),
    v.strictObject({ from: v.literal('message') }),
    v.strictObject({ from: v.literal('text'), text: Text }),
  ],
  'must say from: caller (with match), message or text (with text)',
);

const BucketName = v.picklist(CLAIMABLE, `must be one of ${CLAIMABLE.join(', ')}`);

const RuleSchema = v.strictObject({
  id: Text,
  bucket: BucketName,
  kind: v.optional(Text),
  match: Pattern,
  leaf: v.optional(v.boolean('must be true or false')),
  caller: v.optional(Patterns),
  fromLine: v.optional(Patterns),
  under: v.optional(Patterns),
  notUnder: v.optional(Patterns),
  blocks: v.optional(v.picklist(['sleep', 'wait'], 'must be sleep or wait')),
  yields: v.optional(v.literal(true, 'must be true, or left out')),
  whenBlocked: v.optional(v.strictObject({ bucket: v.optional(BucketName), kind: v.optional(Text) })),
  label: v.optional(Label),
  why: Text,
  remedy: v.optional(
    v.strictObject({
      text: Text,
      source: Text,
      above: v.pipe(
        v.number('must be a number'),
        v.minValue(0, 'must be from 0 to 1'),
        v.maxValue(1, 'must be from 0 to 1'),
      ),
    }),
  ),
  hits: v.optional(v.array(Text, 'must be a list of folded stacks'), []),
  misses: v.optional(v.array(Text, 'must be a list of folded stacks'), []),
});

/** A day of the calendar: `2026-02-30` has the form of one and is none. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

const PackSchema = v.strictObject({
  id: Text,
  dated: v.pipe(
    v.string('must be a date, in quotes: "2026-11-29"'),
    v.check(isDate, 'must be a date: 2026-11-29'),
  ),
  title: Text,
  rules: v.pipe(v.array(RuleSchema, 'must be a list of rules'), v.nonEmpty('must not be empty')),
});

type Path = readonly (string | number)[];

/**
 * Reads a user's pack. Throws ProfilerError `bad-rules` (exit 2), whose text names file, line and field of the first
 * faults, for anything that is not a complete pack.
 */
export function readUserPack(yamlText: string, fileName: string): RulePack {
  const lines = new LineCounter();
  const document = parseDocument(yamlText, { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  const syntax = document.errors[0];
  if (syntax !== undefined)
    throw badRules([`${fileName}:${lines.linePos(syntax.pos[0]).line}: ${yamlFault(syntax.code)}`]);
  if (!isMap(document.contents)) throw badRules([`${fileName}:1: the file must be a map of fields`]);
  const parsed = v.safeParse(PackSchema, plainValue(document, fileName));
  if (!parsed.success) {
    const faults = parsed.issues.map((issue) => {
      const { path, message } = deepestIssue(issue);
      return faultText(document, lines, fileName, path, message);
    });
    throw badRules(faults);
  }
  const pack: RulePack = { ...parsed.output, rules: parsed.output.rules.map(ruleOf) };
  const faults = pack.rules.flatMap((rule, i) => {
    const path = ['rules', i, 'id'];
    const first = pack.rules.findIndex((other) => other.id === rule.id);
    if (first !== i)
      return [
        faultText(document, lines, fileName, path, `${rule.id} is already the id of rule ${first + 1}`),
      ];
    return compileFault(rule).map((message) =>
      faultText(document, lines, fileName, ['rules', i, 'match'], message),
    );
  });
  if (faults.length > 0) throw badRules(faults);
  return pack;
}

function plainValue(document: Document.Parsed, fileName: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw badRules([`${fileName}:1: ${aliasFault(error)}`]);
  }
}

function compileFault(rule: Rule): readonly string[] {
  try {
    compileRules([{ id: '', dated: '', title: '', rules: [rule] }]);
    return [];
  } catch (error) {
    if (error instanceof RangeError)
      return [/call stack/.test(error.message) ? 'is nested too deeply' : error.message];
    throw error;
  }
}

/** A union reports that no choice fits; the choice that came furthest says why. */
function deepestIssue(issue: v.BaseIssue<unknown>): { readonly path: Path; readonly message: string } {
  const path: Path = (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)));
  const inner = (issue.issues ?? []).map(deepestIssue).sort((a, b) => b.path.length - a.path.length)[0];
  if (inner !== undefined && inner.path.length > 0)
    return { path: [...path, ...inner.path], message: inner.message };
  if (issue.type === 'strict_object' && issue.expected === 'never')
    return { path, message: 'is not a known field' };
  if (issue.received === 'undefined') return { path, message: 'is missing' };
  if (issue.type === 'strict_object') return { path, message: 'must be a map of fields' };
  return { path, message: issue.message };
}

function faultText(
  document: Document.Parsed,
  lines: LineCounter,
  fileName: string,
  path: Path,
  message: string,
): string {
  const field = path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .replace(/^\./, '');
  return `${fileName}:${lineOf(document, lines, path)}: ${field === '' ? 'the file' : field} ${message}`;
}

/** Line of a field's key where there is one, else of its nearest parent. */
function lineOf(document: Document.Parsed, lines: LineCounter, path: Path): number {
  for (let length = path.length; length > 0; length--) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const key = path[length - 1];
    const pair = isMap(parent)
      ? parent.items.find((item) => isScalar(item.key) && item.key.value === key)
      : undefined;
    const node = isMap(parent) ? pair?.key : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

/** Most faults that one error lists. */
const MOST_FAULTS = 5;

function badRules(faults: readonly string[]): ProfilerError {
  const more = faults.length - MOST_FAULTS;
  return new ProfilerError(
    {
      id: 'bad-rules',
      what: faults.slice(0, MOST_FAULTS).join('; ') + (more > 0 ? `; and ${more} more` : ''),
      why: 'A pack needs id, dated, title and rules, and each rule id, bucket, match and why; unknown fields are refused, since a misspelt condition would claim too much.',
      fix: 'profiler rules list --json',
    },
    2,
  );
}

type Parsed = v.InferOutput<typeof RuleSchema>;
type ParsedPattern = v.InferOutput<typeof Pattern>;

/** Takes out the fields that are undefined: exact optional fields are absent, never undefined. */
function ruleOf(parsed: Parsed): Rule {
  const {
    match,
    kind,
    leaf,
    caller,
    fromLine,
    under,
    notUnder,
    blocks,
    yields,
    whenBlocked,
    label,
    remedy,
    ...rest
  } = parsed;
  return {
    ...rest,
    match: patternOf(match),
    ...(kind === undefined ? {} : { kind }),
    ...(leaf === undefined ? {} : { leaf }),
    ...(caller === undefined ? {} : { caller: patternsOf(caller) }),
    ...(fromLine === undefined ? {} : { fromLine: patternsOf(fromLine) }),
    ...(under === undefined ? {} : { under: patternsOf(under) }),
    ...(notUnder === undefined ? {} : { notUnder: patternsOf(notUnder) }),
    ...(blocks === undefined ? {} : { blocks }),
    ...(yields === undefined ? {} : { yields }),
    ...(whenBlocked === undefined
      ? {}
      : {
          whenBlocked: {
            ...(whenBlocked.bucket === undefined ? {} : { bucket: whenBlocked.bucket }),
            ...(whenBlocked.kind === undefined ? {} : { kind: whenBlocked.kind }),
          },
        }),
    ...(label === undefined ? {} : { label: labelOf(label) }),
    ...(remedy === undefined ? {} : { remedy }),
  };
}

function labelOf(label: v.InferOutput<typeof Label>): RuleLabel {
  return label.from === 'caller' ? { from: 'caller', match: patternOf(label.match) } : label;
}

function patternsOf(patterns: ParsedPattern | ParsedPattern[]): FramePatterns {
  return Array.isArray(patterns) ? patterns.map(patternOf) : patternOf(patterns);
}

function patternOf({
  name,
  file,
  module,
  kind,
  source,
  notSource,
  sourceKnown,
}: ParsedPattern): FramePattern {
  return {
    ...(name === undefined ? {} : { name }),
    ...(file === undefined ? {} : { file }),
    ...(module === undefined ? {} : { module }),
    ...(kind === undefined ? {} : { kind }),
    ...(source === undefined ? {} : { source }),
    ...(notSource === undefined ? {} : { notSource }),
    ...(sourceKnown === undefined ? {} : { sourceKnown }),
  };
}
