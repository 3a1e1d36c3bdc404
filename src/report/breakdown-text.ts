import type { BucketShare } from '../stats/index.js';
import type { Breakdown, BucketAnswer, ThreadAnswer } from './answer.js';
import { colors } from './colors.js';
import { alarmLines, noteLines, wrap } from './findings-text.js';
import { headerLines, lostLines } from './header-text.js';
import { headline } from './headline.js';
import { bucketText, frameText, threadText } from './names.js';
import { count, interval, percent, plural, times, wholePercent } from './share-text.js';
import { type Column, type TextStyle, tableLines } from './table.js';
import { cleanText } from './terminal-text.js';

/** A bucket below this share of its thread is not worth a remedy, a sub-row or a hot frame. */
const WORTH_SPLITTING = 0.01;

function rowCells(row: BucketShare, first: string, label: string): string[] {
  return [
    first,
    label,
    percent(row.share),
    row.exact ? 'exact' : interval(row.low, row.high),
    row.ofWork === undefined ? '' : wholePercent(row.ofWork),
    row.ceiling === undefined ? '' : times(row.ceiling),
  ];
}

function labelsOf(bucket: BucketAnswer): string {
  const labels = new Set(bucket.parts.flatMap((part) => (part.label === undefined ? [] : [part.label])));
  return [...labels].map(cleanText).join(', ');
}

/** A bucket's row, and one below it for each of its parts when there are several. */
function bucketRows(bucket: BucketAnswer): string[][] {
  const parts = bucket.parts.filter((part) => part.samples > 0);
  const only = parts.length === 1 ? parts[0] : undefined;
  const rows = [rowCells(bucket, bucketText(bucket.bucket, only?.kind), labelsOf(bucket))];
  if (parts.length < 2) return rows;
  for (const part of parts) {
    if (part.share < WORTH_SPLITTING) continue;
    rows.push(rowCells(part, `  /${cleanText(part.kind ?? '(rest)')}`, cleanText(part.label ?? '')));
  }
  return rows;
}

function columnsOf(thread: ThreadAnswer): Column[] {
  return [
    { head: threadText(thread.thread), shrinkTo: 12 },
    { head: '', shrinkTo: 6 },
    { head: thread.estimate.mode === 'samples' ? 'samples' : 'wall', align: 'right' },
    { head: '95 %', align: 'right' },
    { head: 'of work', align: 'right' },
    { head: 'unpaced, if free', align: 'right' },
  ];
}

function unclassifiedLines(thread: ThreadAnswer, style: TextStyle): string[] {
  const unclassified = thread.buckets.find((bucket) => bucket.bucket === 'unclassified');
  if (unclassified === undefined || unclassified.share < WORTH_SPLITTING) return [];
  const lost = thread.estimate.lost;
  const rows = thread.unclassified.map((place) => [
    percent(place.share),
    count(place.samples),
    frameText(place.frame),
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

function remedyLines(thread: ThreadAnswer, style: TextStyle): string[] {
  return thread.buckets.flatMap((bucket) =>
    bucket.remedies.flatMap((remedy) =>
      wrap(
        cleanText(`${bucketText(bucket.bucket)}: ${remedy.text} (${remedy.source})`),
        style.width,
        '  Try: ',
        '       ',
      ),
    ),
  );
}

function denominatorLine(thread: ThreadAnswer): string {
  const { mode, samples } = thread.estimate;
  const of = `${threadText(thread.thread)} (${plural(samples, 'sample')})`;
  if (mode === 'samples')
    return `  Shares are of the samples of ${of}; a bare file has no kernel times to hold them against.`;
  if (mode === 'wall') {
    return `  Shares are of the wall time of ${of} and include waiting for the GIL and for a CPU.`;
  }
  return `  Shares are of the wall time of ${of}.`;
}

/** The breakdown of one thread: its table, what is unclassified, and remedies. */
export function threadLines(thread: ThreadAnswer, style: TextStyle): string[] {
  const paint = colors(style.color);
  const [head, ...rows] = tableLines(columnsOf(thread), thread.buckets.flatMap(bucketRows), style);
  return [
    ...(head === undefined ? [] : [paint.bold(head)]),
    ...rows,
    denominatorLine(thread),
    ...unclassifiedLines(thread, style),
    ...remedyLines(thread, style),
  ];
}

/** What the answer rests on, in one line: totals, agreement, slowdown, errors. */
function reliabilityLine(answer: Breakdown): string {
  const physics = answer.threads[0];
  const parts: string[] = [];
  if (physics?.totals === undefined) parts.push('samples only, no kernel totals');
  else parts.push('totals from the kernel');
  const worst = answer.findings.filter((finding) => finding.level !== 'note').length;
  if (physics?.totals !== undefined && worst === 0) parts.push('samples agree with them');
  if (answer.slowdown !== undefined) {
    const { ratio, low, high } = answer.slowdown;
    const change = (1 - ratio) * 100;
    const half = ((high - low) / 2) * 100;
    parts.push(
      Math.abs(change) <= half
        ? `no slowdown of the target above its own variation (±${half.toFixed(1)} %)`
        : `target ${change > 0 ? 'slowed' : 'sped up'} by ${Math.abs(change).toFixed(1)} % (±${half.toFixed(1)})`,
    );
  }
  if (answer.window.errors !== undefined) parts.push(plural(answer.window.errors, 'error'));
  if (worst > 0) parts.push(`${plural(worst, 'warning')} above`);
  return `Reliability: ${parts.join('; ')}.`;
}

/** The screen of `attach` (the physics thread alone) and `buckets` (every thread with `allThreads`). Ends with a newline. */
export function breakdownText(
  answer: Breakdown,
  style: TextStyle,
  options: { readonly allThreads: boolean },
): string {
  const shown = options.allThreads || !answer.physicsKnown ? answer.threads : answer.threads.slice(0, 1);
  const samples = answer.threads.reduce((sum, thread) => sum + thread.estimate.samples, 0);
  const lines = [
    ...headerLines(answer, { samples, threads: answer.threads.length }),
    '',
    ...alarmLines(answer.findings, style),
    ...wrap(headline(answer).join(' '), style.width, '  '),
    ...shown.flatMap((thread) => ['', ...threadLines(thread, style)]),
    '',
    ...lostLines(answer.lost),
    ...wrap(reliabilityLine(answer), style.width, '  '),
    ...noteLines(answer.findings, style),
  ];
  const hidden = answer.threads.length - shown.length;
  if (hidden > 0) lines.push(`  ${plural(hidden, 'other thread')}: profiler threads`);
  if (answer.run !== undefined) {
    lines.push(`  Recording: ${cleanText(answer.run.folder)}   next: profiler hot · profiler threads`);
  }
  return `${lines.join('\n')}\n`;
}
