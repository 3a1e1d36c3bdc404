import { BUCKETS, RESTING, type Bucket, type WeightUnit } from '../model/index.js';
import type { BucketShare, ObserverEffect } from '../stats/index.js';
import { bar } from './bar.js';
import type { Breakdown, BucketAnswer, ThreadAnswer } from './answer.js';
import { colors } from './colors.js';
import { alarmLines, noteLines, wrap } from './findings-text.js';
import { headerLines, lostLines } from './header-text.js';
import { headline, waitRemedies, waitsMatter } from './headline.js';
import { bucketText, frameLabel, threadLabel } from './names.js';
import { phaseLines } from './phases-text.js';
import { count, interval, percent, plural, signed, times, weightText, wholePercent } from './share-text.js';
import { type Column, type Table, type TextStyle, table, tableLines } from './table.js';
import { cleanText } from './terminal-text.js';
import { seenWeight } from './seen-weight.js';

/** A bucket below this share of its thread is not worth a remedy, a sub-row or a hot frame. */
const WORTH_SPLITTING = 0.01;

/** One row of the table; which columns are shown is decided by the room there is. */
interface Cells {
  readonly name: string;
  readonly label: string;
  readonly row: BucketShare;
}

export function labelsOf(bucket: BucketAnswer): string {
  const labels = new Set(bucket.parts.flatMap((part) => (part.label === undefined ? [] : [part.label])));
  return [...labels].map(cleanText).join(', ');
}

/** A bucket's row, and one below it for each of its parts when there are several. */
function bucketRows(bucket: BucketAnswer): Cells[] {
  const parts = bucket.parts.filter((part) => part.samples > 0 || part.share > 0);
  const only = parts.length === 1 ? parts[0] : undefined;
  const whole = { name: bucketText(bucket.bucket, only?.kind), label: labelsOf(bucket), row: bucket };
  if (parts.length < 2) return [whole];
  const split = parts.filter((part) => part.share >= WORTH_SPLITTING).map(partCells);
  return [whole, ...split];
}

/** A part by its sub-kind; one that has only a label is called by that. */
function partCells(part: BucketShare): Cells {
  const label = cleanText(part.label ?? '');
  if (part.kind !== undefined) return { name: `  /${cleanText(part.kind)}`, label, row: part };
  return { name: `  ${label === '' ? '(rest)' : label}`, label: '', row: part };
}

/** What works, hottest first; then what nothing claimed; then waiting, pacer and idle in their fixed order. */
export function inReadingOrder(buckets: readonly BucketAnswer[]): BucketAnswer[] {
  return [...buckets].sort((a, b) => readingRank(a.bucket) - readingRank(b.bucket) || b.share - a.share);
}

function readingRank(bucket: Bucket): number {
  if (bucket === 'unclassified') return 1;
  return RESTING.has(bucket) ? 2 + BUCKETS.indexOf(bucket) : 0;
}

const ROOMY = 90;
/** Columns of names that a bar leaves. */
const NAMES = 30;
const NARROW = 56;
const NARROWEST = 46;
/** The longest name of a bucket that works, so that the labels behind them stand in one column. */
const NAME_WIDTH = 'publishing'.length;

/** What the shares are of. */
function shareHead({ estimate }: ThreadAnswer, unit: WeightUnit): string {
  if (estimate.mode !== 'samples') return 'wall';
  return unit === 'samples' ? 'samples' : 'time';
}

function bucketTable(thread: ThreadAnswer, unit: WeightUnit, style: TextStyle): Table {
  const roomy = style.width >= NARROW;
  // What a loop would gain is a question about the thread that steps.
  const ceiling = thread.role === 'physics' && style.width >= NARROWEST;
  const rows = inReadingOrder(thread.buckets).flatMap(bucketRows);
  const columns: Column[] = [
    { head: threadLabel(thread.thread), shrinkTo: 12, besideBar: NAMES },
    { head: shareHead(thread, unit), align: 'right' },
    { head: '', bar: (at, room) => bar(rows[at]?.row.share ?? 0, room, style) },
    { head: '95 %', align: 'right', optional: true },
    ...(roomy ? [{ head: 'of work', align: 'right' } as const] : []),
    ...(ceiling
      ? [{ head: style.width >= ROOMY ? 'unpaced, if free' : 'if free', align: 'right' } as const]
      : []),
  ];
  const cells = rows.map(({ name, label, row }) => [
    label === '' ? name : `${name.padEnd(NAME_WIDTH)} ${label}`,
    percent(row.share),
    '',
    row.exact ? 'exact' : unit === 'samples' ? interval(row.low, row.high) : '',
    ...(roomy ? [row.ofWork === undefined ? '' : wholePercent(row.ofWork)] : []),
    ...(ceiling ? [row.ceiling === undefined ? '' : times(row.ceiling)] : []),
  ]);
  return table(columns, cells, style);
}

function unclassifiedLines(thread: ThreadAnswer, unit: WeightUnit, style: TextStyle): string[] {
  const unclassified = thread.buckets.find((bucket) => bucket.bucket === 'unclassified');
  if (unclassified === undefined || unclassified.share < WORTH_SPLITTING) return [];
  const lost = thread.estimate.lost;
  const rows = thread.unclassified.map((place) => [
    percent(place.share),
    unit === 'samples' ? count(place.samples) : weightText(place.samples, unit),
    frameLabel(place.frame),
  ]);
  return [
    ...(rows.length === 0 ? [] : ['  Unclassified, hottest first (nothing in the rules claims these):']),
    ...tableLines(
      [
        { head: '', align: 'right' },
        { head: '', align: 'right' },
        { head: '', shrinkTo: 20 },
      ],
      rows,
      style,
    ).map((line) => `  ${line}`),
    ...(lost > 0 ? [`  ${plural(lost, 'sample')} of this thread came without a usable stack.`] : []),
  ];
}

/** What would make the largest parts of a thread's time cheaper, a sentence each. Raw. */
export function remedyTexts(thread: ThreadAnswer): string[] {
  const waits = thread.role === 'physics' ? waitRemedies(thread) : [];
  const ofBuckets = thread.buckets.flatMap((bucket) =>
    bucket.remedies.map((remedy) => `${bucketText(bucket.bucket)}: ${remedy.text} (${remedy.source})`),
  );
  return [...waits, ...ofBuckets];
}

function remedyLines(thread: ThreadAnswer, style: TextStyle): string[] {
  return remedyTexts(thread).flatMap((text) => wrap(cleanText(text), style.width, '  Try: ', '       '));
}

export function denominatorText(thread: ThreadAnswer, unit: WeightUnit): string {
  const { mode, samples, lost } = thread.estimate;
  // Without kernel times the samples without a stack are part of the whole.
  const weight = mode === 'samples' ? samples + lost : samples;
  const of = `${threadLabel(thread.thread)} (${weightText(weight, unit)})`;
  if (mode === 'samples')
    return `Shares are of the ${unit === 'samples' ? 'samples' : 'recorded time'} of ${of}; there are no kernel times to hold them against.`;
  if (mode === 'wall') {
    const gil = thread.estimate.totals?.gilWait === undefined ? '' : 'for the GIL and ';
    return `Shares are of the wall time of ${of} and include waiting ${gil}for a CPU.`;
  }
  return `Shares are of the wall time of ${of}.`;
}

/** The breakdown of one thread: its table, how much of physics has a phase, what is unclassified, and remedies. */
export function threadLines(thread: ThreadAnswer, unit: WeightUnit, style: TextStyle): string[] {
  const paint = colors(style.color);
  const { lines, bars } = bucketTable(thread, unit, style);
  const [head, ...rows] = lines;
  const scale = bars ? ' A full bar is 100 %.' : '';
  return [
    ...(head === undefined ? [] : [paint.bold(head)]),
    ...rows,
    ...wrap(`${denominatorText(thread, unit)}${scale}`, style.width, '  '),
    ...phaseLines(thread, unit, style),
    ...unclassifiedLines(thread, unit, style),
    ...remedyLines(thread, style),
  ];
}

/** An interval of the change wider than this tells nothing. */
const TOO_NOISY = 0.2;

/** How much the recording slowed the loop; of a loop whose rate was not seen itself, the interval alone. */
function effectText(effect: ObserverEffect, physics: ThreadAnswer | undefined): string {
  const range = `${signed(effect.low)} to ${signed(effect.high)} %`;
  if (effect.measure === 'cpu') return `its CPU use changed by ${range} while it was recorded`;
  if (physics !== undefined && waitsMatter(physics)) {
    return `how often it gave up its CPU changed by ${range} while it was recorded, which on a machine this busy is not its loop rate`;
  }
  const isNoisy = effect.high - effect.low > TOO_NOISY;
  if (effect.low <= 0 && effect.high >= 0) {
    return isNoisy
      ? `whether recording slowed the loop cannot be told from its noise (${range})`
      : `no change of its loop rate beyond chance while it was recorded (${range})`;
  }
  // A step that comes late need not sleep: the demo loses 0.7 % of its steps where it sleeps 5 % less often.
  const less = effect.change < 0;
  const much = isNoisy ? '' : `${Math.abs(effect.change * 100).toFixed(1)} % `;
  const doubt = isNoisy ? ', by how much is uncertain' : '';
  const bound = less ? '; its rate fell by no more than that' : '';
  return `the loop slept ${much}${less ? 'less' : 'more'} often while it was recorded${doubt} (${range})${bound}`;
}

/** What the answer rests on, in one line: totals, agreement, slowdown, errors. */
export function reliabilityText(answer: Breakdown): string {
  const physics = answer.threads[0];
  const parts = [physics?.totals === undefined ? 'samples only, no kernel totals' : 'totals from the kernel'];
  const agreement = physics?.estimate.agreement;
  if (agreement !== undefined) {
    const distance = `${agreement.points.toFixed(1)} points`;
    parts.push(
      agreement.agrees ? `samples agree with them (${distance})` : `samples contradict them by ${distance}`,
    );
  }
  if (answer.effect !== undefined) parts.push(effectText(answer.effect, physics));
  if (answer.window.errors !== undefined) parts.push(plural(answer.window.errors, 'read error'));
  const alarms = answer.findings.filter((finding) => finding.level !== 'note').length;
  if (alarms > 0) parts.push(`${plural(alarms, 'warning')} above`);
  return `Reliability: ${parts.join('; ')}.`;
}

/** Threads shown where none is known to be the one that steps. */
const MOST_UNKNOWN = 5;

/** Samples of a thread on a CPU: by the kernel's account where it is known, else those that rest in nothing. */
function samplesOnCpu({ estimate, totals, buckets }: ThreadAnswer): number {
  const working = buckets.filter(({ bucket }) => !RESTING.has(bucket));
  return estimate.samples * (totals?.onCpu ?? working.reduce((sum, { share }) => sum + share, 0));
}

/** Without a physics thread, the busiest ones: among them is the one that the reader looks for. */
function busiest(threads: readonly ThreadAnswer[]): ThreadAnswer[] {
  return [...threads].sort((a, b) => samplesOnCpu(b) - samplesOnCpu(a)).slice(0, MOST_UNKNOWN);
}

function hiddenLines(answer: Breakdown, shown: number): string[] {
  const hidden = answer.threads.length - shown;
  if (hidden <= 0) return [];
  return answer.physicsKnown
    ? [`  ${plural(hidden, 'other thread')} not shown here: profiler threads`]
    : [`  ${count(hidden)} more: profiler threads`];
}

const NEXT = ['profiler hot', 'profiler view', 'profiler report'];
const BY_STEP = 'profiler buckets --by-step';

/** What to type next, each whole on one line. */
function nextLines({ tellsSteps }: Breakdown, width: number): string[] {
  const lines = ['  Next:'];
  for (const [at, typed] of (tellsSteps === true ? [BY_STEP, ...NEXT] : NEXT).entries()) {
    const piece = at === 0 ? ` ${typed}` : ` · ${typed}`;
    const line = lines.at(-1) ?? '';
    if (line.length + piece.length <= width) lines[lines.length - 1] = line + piece;
    else lines.push(`        ${typed}`);
  }
  return lines;
}

/** The screen of `attach` (the physics thread alone) and `buckets` (every thread with `allThreads`); without a known physics thread
 * the busiest ones. Ends with a newline. */
export function breakdownText(
  answer: Breakdown,
  style: TextStyle,
  options: { readonly allThreads: boolean } = { allThreads: false },
): string {
  const sampled = answer.threads.filter((thread) => thread.buckets.length > 0);
  const known = options.allThreads ? sampled : sampled.slice(0, 1);
  const shown = answer.physicsKnown ? known : busiest(sampled);
  const weight = seenWeight(answer.threads);
  const lines = [
    ...headerLines(answer, { weight, unit: answer.unit, threads: answer.threads.length }, style.width),
    '',
    ...alarmLines(answer.findings, style),
    ...headline(answer).flatMap((sentences) => wrap(sentences, style.width, '  ')),
    ...shown.flatMap((thread) => ['', ...threadLines(thread, answer.unit, style)]),
    '',
    ...lostLines(answer.lost),
    ...wrap(reliabilityText(answer), style.width, '  '),
    ...noteLines(answer.findings, style),
    ...hiddenLines(answer, shown.length),
  ];
  if (answer.run !== undefined) {
    lines.push(`  Recording: ${cleanText(answer.run.folder)}`, ...nextLines(answer, style.width));
  }
  return `${lines.join('\n')}\n`;
}
