import type { Finding } from '../model/index.js';
import { shellLine } from '../model/index.js';
import type { BucketAnswer } from './answer.js';
import { inReadingOrder, labelsOf, reliabilityText, remedyTexts } from './breakdown-text.js';
import { byLevel } from './findings-text.js';
import { headerLines, lostLines } from './header-text.js';
import { headline } from './headline.js';
import { bucketText, frameLabel, threadLabel } from './names.js';
import type { Report } from './report.js';
import { interval, percent, times, wholePercent } from './share-text.js';
import { placeText, tableGrid } from './tables-text.js';
import { cleanText, truncateMiddle } from './terminal-text.js';
import { seenWeight } from './seen-weight.js';

/** Stacks of the summary: a reader of a pull request sees what is hottest, not everything. */
const MOST_STACKS = 5;
const LEAF_COLUMNS = 100;
/** Rows of each table that the program printed. */
const MOST_ROWS = 5;

/**
 * Text that stays text in Markdown, also in a table, whatever it holds: no markup, no link, no mention of a person, an issue
 * or a commit, no picture by its name.
 */
export function plainMarkdown(text: string): string {
  return cleanText(text)
    .replace(/[\\`*_[\]<>|~&$]/g, (character) => `\\${character}`)
    .replace(
      /@(?=[\p{L}\p{N}])|#(?=\d)|\bGH(?=-\d)|:(?=[a-z_][\w+-]*:)|\b[\da-f](?=[\da-f]{6,39}\b)/giu,
      '$&\u2060',
    )
    .replace(/\b(https?|ftp|www)(?=[:.])/gi, '$1\u2060');
}

/** Code on one line, whatever it holds: in a table a `|` ends the cell even inside code. */
export function codeMarkdown(text: string, inTable = false): string {
  const clean = cleanText(text);
  const cell = inTable ? clean.replaceAll('|', '\\|') : clean;
  const longest = Math.max(0, ...[...cell.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = cell.startsWith('`') || cell.endsWith('`') || cell === '' ? ' ' : '';
  return `${fence}${space}${cell}${space}${fence}`;
}

const MARK = { blocker: 'Error', warning: 'Warning', note: 'Note' } as const;

function findingLine({ level, what, why, fix }: Finding): string {
  const line = fix === undefined ? '' : ` ${codeMarkdown(fix)}`;
  return `- **${MARK[level]}:** ${plainMarkdown(`${what} ${why}`)}${line}`;
}

interface Columns {
  readonly hasIntervals: boolean;
  readonly hasCeilings: boolean;
}

function bucketLine(bucket: BucketAnswer, { hasIntervals, hasCeilings }: Columns): string {
  const labels = labelsOf(bucket);
  const cells = [
    plainMarkdown(`${bucketText(bucket.bucket)}${labels === '' ? '' : ` (${labels})`}`),
    percent(bucket.share),
    bucket.exact ? 'exact' : hasIntervals ? interval(bucket.low, bucket.high) : '',
    bucket.ofWork === undefined ? '' : wholePercent(bucket.ofWork),
    ...(hasCeilings ? [bucket.ceiling === undefined ? '' : times(bucket.ceiling)] : []),
  ];
  return `| ${cells.join(' | ')} |`;
}

function tableLines({ breakdown }: Report): string[] {
  const thread = breakdown.threads.find(({ buckets }) => buckets.length > 0);
  if (thread === undefined) return [];
  const what = thread.estimate.mode === 'samples' ? 'share' : 'wall';
  // What a loop would gain is a question about the thread that steps.
  const columns = { hasIntervals: breakdown.unit === 'samples', hasCeilings: thread.role === 'physics' };
  return [
    `| ${plainMarkdown(threadLabel(thread.thread))} | ${what} | 95 % | of work |${columns.hasCeilings ? ' unpaced, if free |' : ''}`,
    `|---|---:|---:|---:|${columns.hasCeilings ? '---:|' : ''}`,
    ...inReadingOrder(thread.buckets).map((bucket) => bucketLine(bucket, columns)),
    '',
  ];
}

/** Of the thread that the table is about: shares of another one are of another time. */
function stackLines({ hot, breakdown }: Report): string[] {
  const thread = breakdown.threads.find(({ buckets }) => buckets.length > 0)?.thread;
  const rows = hot.rows
    .filter(
      (row) =>
        row.thread === undefined || (row.thread.tid === thread?.tid && row.thread.name === thread?.name),
    )
    .slice(0, MOST_STACKS);
  if (rows.length === 0) return [];
  const lines = rows.map((row) => {
    const leaf = row.stack?.at(-1);
    const text = leaf === undefined ? '(no usable stack)' : truncateMiddle(frameLabel(leaf), LEAF_COLUMNS);
    const label = row.label === undefined ? '' : ` ${row.label}`;
    const bucket = `${bucketText(row.bucket ?? 'unclassified', row.kind)}${label}`;
    return `| ${row.share === undefined ? '' : percent(row.share)} | ${plainMarkdown(bucket)} | ${codeMarkdown(text, true)} |`;
  });
  return ['| hottest | bucket | line |', '|---:|---|---|', ...lines, ''];
}

/** What the program says of itself: the dearest rows of each table. */
function ownTableLines({ tables = [], breakdown }: Report): string[] {
  return tables.flatMap((found) => {
    const { heads, rows, whole, left } = tableGrid(found, { top: MOST_ROWS });
    if (rows.length === 0) return [];
    const said = [
      `**${plainMarkdown(found.title)}** (${plainMarkdown(placeText(found, breakdown.source.path))})`,
      whole,
    ].filter((text) => text !== undefined);
    const cells = ({ depth, cells: own }: (typeof rows)[number]): string =>
      own.map((cell, at) => plainMarkdown(at === 0 ? `${'› '.repeat(depth)}${cell}` : cell)).join(' | ');
    return [
      said.join(': '),
      '',
      `| ${heads.join(' | ')} |`,
      `|${heads.map((_, at) => (at === 0 ? '---|' : '---:|')).join('')}`,
      ...rows.map((row) => `| ${cells(row)} |`),
      '',
      ...(left === undefined ? [] : [`${left}.`, '']),
    ];
  });
}

/** A summary for a pull request: the answer, its table, what makes it worth less, and how it was made. Ends with a newline. */
export function reportMarkdown(report: Report): string {
  const { breakdown, recorded } = report;
  const weight = seenWeight(breakdown.threads);
  const seen = { weight, unit: breakdown.unit, threads: breakdown.threads.length };
  const [first = '', ...more] = headline(breakdown);
  const alarms = byLevel(breakdown.findings).filter(({ level }) => level !== 'note');
  const notes = breakdown.findings.filter(({ level }) => level === 'note');
  const remedies = breakdown.threads.slice(0, 1).flatMap(remedyTexts);
  const lost = lostLines(breakdown.lost);
  const lines = [
    `**${plainMarkdown(first)}**`,
    '',
    ...more.flatMap((paragraph) => [plainMarkdown(paragraph), '']),
    ...(alarms.length === 0 ? [] : [...alarms.map(findingLine), '']),
    ...tableLines(report),
    ...stackLines(report),
    ...ownTableLines(report),
    ...(remedies.length === 0 ? [] : [...remedies.map((text) => `- Try: ${plainMarkdown(text)}`), '']),
    plainMarkdown(reliabilityText(breakdown)),
    '',
    ...(lost.length === 0 ? [] : [...lost.map((line) => `- ${plainMarkdown(line.trim())}`), '']),
    '<details><summary>How it was recorded</summary>',
    '',
    ...headerLines(breakdown, seen, Number.POSITIVE_INFINITY).map(
      (line) => `- ${plainMarkdown(line.trim())}`,
    ),
    ...(recorded === undefined
      ? []
      : [
          `- ${plainMarkdown(`${recorded.createdAt}, sim-profiler ${recorded.toolVersion}, ${recorded.sampler}, ${recorded.machine.cpus} CPUs, Linux ${recorded.machine.kernel}`)}`,
          ...recorded.commands.map((command) => `- ${codeMarkdown(shellLine(command))}`),
        ]),
    ...notes.map(findingLine),
    '',
    '</details>',
  ];
  return `${lines.join('\n')}\n`;
}
