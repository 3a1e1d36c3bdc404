import { type Frame, type WeightUnit, frameText } from '../model/index.js';
import {
  type TextStyle,
  bucketText,
  cleanText,
  colors,
  frameLabel,
  plural,
  truncateMiddle,
  weightText,
  wholePercent,
  wrap,
} from '../report/index.js';
import type {
  Claim,
  ExampleRun,
  ExplainedFrame,
  Explanation,
  Rule,
  RulePack,
  Trial,
} from '../rules/index.js';

/** One stack with its explanation, and what it weighs where it comes from a profile. */
export interface ExplainedStack {
  readonly frames: readonly Frame[];
  readonly explanation: Explanation;
  readonly weight?: number;
  readonly unit?: WeightUnit;
}

export function listText(packs: readonly RulePack[], style: TextStyle): string {
  const { bold, dim } = colors(style.color);
  const lines = packs.flatMap((pack) => [
    bold(cleanText(pack.id)) + dim(`  of ${cleanText(pack.dated)}, ${plural(pack.rules.length, 'rule')}`),
    ...wrap(cleanText(pack.title), style.width, '  '),
    ...wrapChecked(pack, style),
    ...wrapTested(pack, style),
    ...pack.rules.flatMap((rule) => [
      `  ${cleanText(rule.id)}  ${bucketText(rule.bucket, rule.kind)}`,
      ...wrap(cleanText(rule.why), style.width, '    '),
      ...(rule.remedy === undefined
        ? []
        : wrap(
            `Advice above ${wholePercent(rule.remedy.above)}: ${cleanText(rule.remedy.text)}`,
            style.width,
            '    ',
          )),
    ]),
    '',
  ]);
  if (lines.length === 0) return 'No rule sorts into that bucket.\n';
  return `${lines.join('\n')}\nOn one frame an earlier rule wins over a later one; of a stack the frame nearest to the leaf decides.\n`;
}

/** The releases that the shown rules depend on. */
function wrapChecked({ checked, rules }: RulePack, { width }: TextStyle): string[] {
  if (checked === undefined) return [];
  const depends = rules.some(
    ({ bucket, kind }) => bucket === checked.bucket && kind !== undefined && checked.phases.includes(kind),
  );
  const text = `Phases checked against ${checked.program} ${checked.versions.join(', ')}.`;
  return depends ? wrap(text, width, '  ') : [];
}

/** What the names of a pack rest on. */
function wrapTested({ source, tested }: RulePack, { width }: TextStyle): string[] {
  const names = source === undefined ? '' : `Names of ${source}. `;
  const run =
    tested === undefined
      ? ''
      : tested === false
        ? 'Untested: no run of it was recorded.'
        : `Tested on a run of ${tested}.`;
  const text = `${names}${run}`.trim();
  return text === '' ? [] : wrap(cleanText(text), width, '  ');
}

export function listJson(packs: readonly RulePack[]): object {
  return { packs, findings: [] };
}

export function explanationText(
  stacks: readonly ExplainedStack[],
  rules: number,
  all: boolean,
  style: TextStyle,
): string {
  if (stacks.length === 0) return 'No stack to explain.\n';
  const rest = all ? '' : '; --all shows also those for other functions, files, libraries and lines';
  const tried = `\n${plural(rules, 'rule')} tried on each frame${rest}.\n`;
  return stacks.map((one) => stackText(one, all, style)).join('\n') + tried;
}

function stackText(
  { frames, explanation, weight, unit }: ExplainedStack,
  all: boolean,
  style: TextStyle,
): string {
  const { bold } = colors(style.color);
  const { claim } = explanation;
  const amount = weight === undefined ? '' : `${weightText(weight, unit ?? 'samples')}  `;
  const lines = [`${amount}${bold(claimText(claim))}`];
  if (claim.rule !== undefined) {
    lines.push(...wrap(`${cleanText(claim.rule.id)}: ${cleanText(claim.rule.why)}`, style.width, '  '));
  }
  if (claim.sourceUnknown === true) {
    lines.push(
      ...wrap(
        'The text of the line is unknown: this is the likeliest bucket, not a certain one.',
        style.width,
        '  ',
      ),
    );
  }
  for (const frame of explanation.frames) lines.push(...frameLines(frame, claim, all, style));
  const above = explanation.frames.at(-1)?.index ?? 0;
  if (above > 0)
    lines.push(
      `  ${plural(above, 'frame')} nearer to the root not looked at: the nearest claimed frame decides`,
    );
  if (frames.length === 0) lines.push('  a sample without a stack');
  return `${lines.join('\n')}\n`;
}

function claimText({ bucket, kind, label }: Claim): string {
  return `${bucketText(bucket, kind)}${label === undefined ? '' : ` ${cleanText(label)}`}`;
}

/** Failures that say that the rule is about another frame altogether. */
const ELSEWHERE: ReadonlySet<string> = new Set(['name', 'file', 'module', 'kind']);

function isNear({ rule, failed }: Trial): boolean {
  if (failed === undefined) return true;
  const { name, file, module } = rule.match;
  const identifies = name !== undefined || file !== undefined || module !== undefined;
  return !ELSEWHERE.has(failed) && (identifies || (failed !== 'source' && failed !== 'notSource'));
}

function frameLines(
  { index, frame, trials }: ExplainedFrame,
  claim: Claim,
  all: boolean,
  style: TextStyle,
): string[] {
  const source = frame.sourceText === undefined ? '' : `  #${cleanText(frame.sourceText)}`;
  const shown = all ? trials : trials.filter(isNear);
  const lines = [truncateMiddle(`  ${frameLabel(frame)}${source}`, style.width)];
  for (const trial of shown) {
    const id = cleanText(trial.rule.id);
    const decided = index === claim.frame && trial.rule === claim.rule;
    lines.push(
      `    ${trial.failed === undefined ? `${decided ? 'claims' : 'fits  '}  ${id}` : `not     ${id}: ${failureText(trial, frame)}`}`,
    );
  }
  return lines;
}

function failureText({ rule, failed }: Trial, frame: Frame): string {
  switch (failed) {
    case 'source':
      return frame.sourceText === undefined
        ? 'the text of the line is unknown'
        : `the line does not contain ${texts(rule.match.source)}`;
    case 'notSource':
      return `the line contains one of ${texts(rule.match.notSource)}`;
    case 'sourceKnown':
      return rule.match.sourceKnown === true
        ? 'the text of the line is unknown'
        : 'the text of the line is known';
    case 'leaf':
      return rule.leaf === false ? 'no Python frame stands below it' : 'Python frames stand below it';
    case 'caller':
      return 'the frame directly outwards does not fit';
    case 'fromLine':
      return 'the Python line that led here does not fit';
    case 'under':
      return 'no frame nearer to the root fits its “under”';
    case 'notUnder':
      return 'a frame nearer to the root fits its “notUnder”';
    case undefined:
      return '';
    default:
      return `its ${failed} does not fit`;
  }
}

function texts(value: Rule['match']['source']): string {
  const list = value === undefined ? [] : typeof value === 'string' ? [value] : value;
  return list.map(cleanText).join(' or ');
}

export function explanationJson(stacks: readonly ExplainedStack[]): object {
  return {
    stacks: stacks.map(({ frames, explanation, weight }) => ({
      stack: frames.map(frameText),
      weight,
      ...claimJson(explanation.claim),
      frames: explanation.frames.map(({ index, frame, trials }) => ({
        index,
        frame: frameText(frame),
        source: frame.sourceText,
        rules: trials.map(({ rule, failed }) => ({ id: rule.id, failed })),
      })),
    })),
    findings: [],
  };
}

function claimJson({ rule, bucket, kind, label, blocks, sourceUnknown, frame }: Claim): object {
  return {
    bucket,
    kind,
    label,
    blocks,
    sourceUnknown,
    rule: rule?.id,
    why: rule?.why,
    frame: frame < 0 ? undefined : frame,
  };
}

export function testText(runs: readonly ExampleRun[]): string {
  const lines = runs.flatMap(({ pack, examples, failed }) => [
    `${cleanText(pack.id)}: ${plural(pack.rules.length, 'rule')}, ${plural(examples, 'example')}, ${failed.length} failed`,
    ...failed.flatMap(({ rule, example, stack, claim, unreadable }) => [
      `  ${cleanText(rule.id)}: this ${example} ${outcome(example, claim, unreadable)}`,
      `    ${cleanText(stack)}`,
    ]),
  ]);
  return `${lines.join('\n')}\n`;
}

function outcome(example: 'hit' | 'miss', claim: Claim | undefined, unreadable: string | undefined): string {
  if (unreadable !== undefined) return `cannot be read: ${cleanText(unreadable)}`;
  if (example === 'miss') return 'is claimed by the rule';
  return claim?.rule === undefined ? 'is claimed by no rule' : `is claimed by ${cleanText(claim.rule.id)}`;
}

export function testJson(runs: readonly ExampleRun[]): object {
  return {
    packs: runs.map(({ pack, examples, failed }) => ({
      id: pack.id,
      rules: pack.rules.length,
      examples,
      failed: failed.map(({ rule, example, stack, claim, unreadable }) => ({
        rule: rule.id,
        example,
        stack,
        claimedBy: claim?.rule?.id,
        unreadable,
      })),
    })),
    findings: [],
  };
}
