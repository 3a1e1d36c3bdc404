import { STATE_TEXT, type Finding, type Lost } from '../model/index.js';
import type { SourceRef, Window } from './answer.js';
import { type Change, sizeOf } from './changes.js';
import { alarmLines, noteLines, wrap } from './findings-text.js';
import { lostLines, secondText, windowText } from './header-text.js';
import { objectText } from './json.js';
import { bucketText, threadLabel, threadName } from './names.js';
import type { OverTime } from './over-time.js';
import { count, percent, plural } from './share-text.js';
import { sparkline } from './sparkline.js';
import { type Column, type TextStyle, tableLines } from './table.js';
import { cleanText } from './terminal-text.js';
import type { OverTimeRow } from './time-bins.js';

/** The answer of `buckets --over-time`. */
export interface OverTimeAnswer {
  readonly source: SourceRef;
  readonly window: Window;
  readonly overTime: OverTime;
  readonly lost: Lost;
  readonly findings: readonly Finding[];
}

/** Columns that name, share and range need beside a line of marks. */
const BESIDE_MARKS = 46;
const FEWEST_BINS = 8;

/** How many bins a line has room for. */
export function binsThatFit(width: number): number {
  return Math.max(FEWEST_BINS, width - BESIDE_MARKS);
}

/** Changes told in sentences; the rest by number. */
const MOST_CHANGES = 6;

/** A row for each bucket: where it is high and low shows at a glance, which a row of numbers for each second would not. */
export function overTimeText(
  { source, window, overTime, lost, findings }: OverTimeAnswer,
  style: TextStyle,
): string {
  const { thread, bins, binS, buckets, states } = overTime;
  const path = source.path === '-' ? 'standard input' : cleanText(source.path);
  const head = [path, source.format, windowText(window)].filter((part) => part !== undefined).join(' · ');
  const looks = bins.reduce((sum, bin) => sum + bin.looks, 0);
  const each = looks / Math.max(1, bins.filter((bin) => bin.looks > 0).length);
  const explained = `A mark is ${secondText(binS)} s, ${count(Math.round(each))} samples on average. Each row is drawn from nothing to its own highest share, which stands behind it; shares are of the samples of the moment.`;
  return [
    ...alarmLines(findings, style),
    ...wrap(head, style.width, '  '),
    '',
    ...tableLines(
      columnsFor(threadLabel(thread)),
      buckets.map((row) => cells(bucketText(row.id), row, style)),
      style,
    ),
    ...axisLine(overTime, style),
    ...(states === undefined
      ? []
      : [
          '',
          ...tableLines(
            columnsFor('by the kernel'),
            states.map((row) => cells(STATE_TEXT[row.id], row, style)),
            style,
          ),
        ]),
    '',
    ...wrap(explained, style.width, '  '),
    ...changeTexts(overTime).flatMap((text) => wrap(text, style.width, '  ', '    ')),
    ...lostLines(lost),
    ...noteLines(findings, style),
    '',
  ].join('\n');
}

/** The same widths for buckets and states, so that moments stand below each other. */
const NAME_WIDTH = 'waiting for the GIL'.length;

function columnsFor(name: string): Column[] {
  return [
    { head: name.padEnd(NAME_WIDTH), shrinkTo: NAME_WIDTH },
    { head: 'share'.padStart('100.0 %'.length), align: 'right' },
    { head: 'over time' },
    { head: 'low–high', align: 'right' },
  ];
}

function cells<Id>(name: string, row: OverTimeRow<Id>, style: TextStyle): string[] {
  return [name, percent(row.share), sparkline(row.shares, style), rangeText(row)];
}

/** `12–34 %`, of the bins that have samples. */
export function rangeText<Id>({ shares }: OverTimeRow<Id>): string {
  const known = shares.filter((share) => share !== undefined);
  const low = Math.round(Math.min(...known) * 100);
  const high = Math.round(Math.max(...known) * 100);
  return low === high ? `${low} %` : `${low}–${high} %`;
}

/** Where the line begins and ends, below it. */
function axisLine({ bins }: OverTime, style: TextStyle): string[] {
  const start = 2 + NAME_WIDTH + 2 + '100.0 %'.length + 2;
  if (start + bins.length > style.width) return [];
  const from = axisText(bins[0]?.fromS ?? 0);
  const to = `${axisText(bins.at(-1)?.toS ?? 0)} s`;
  const room = bins.length - from.length - to.length;
  return [`${' '.repeat(start)}${from}${room > 0 ? `${' '.repeat(room)}${to}` : ` to ${to}`}`];
}

/** Ends of an axis: to the hundredth of a second. */
export function axisText(seconds: number): string {
  return String(Number(seconds.toFixed(2)));
}

/** A sentence for each change; one that says there is none. */
export function changeTexts({ changes, bins }: Pick<OverTime, 'changes' | 'bins'>): string[] {
  if (bins.length < 3) return ['Too few moments to say what changed.'];
  if (changes.length === 0) return ['No share changes by more than the counting of samples explains.'];
  const shown = changes.slice(0, MOST_CHANGES).map(changeText);
  const more = changes.slice(MOST_CHANGES);
  if (more.length === 0) return shown;
  return [
    ...shown,
    `${plural(more.length, 'smaller change')}, of ${points(sizeOf(more[0] as Change))} at most.`,
  ];
}

function points(size: number): string {
  return `${Math.round(size * 100)} points`;
}

function changeText(change: Change): string {
  const name = bucketText(change.bucket);
  if (change.kind === 'burst') {
    const { fromS, toS, share, elsewhere } = change;
    return `${name}: ${percent(share)} from ${secondText(fromS)} to ${secondText(toS)} s, ${percent(elsewhere)} elsewhere.`;
  }
  if (change.kind === 'drift')
    return `${name} ${change.last > change.first ? 'rises' : 'falls'} over the window: from ${percent(change.first)} to ${percent(change.last)} (first and last third).`;
  return `${name} goes up and down, between ${percent(change.low)} and ${percent(change.high)}.`;
}

/** Six decimals, as everywhere in the JSON. */
function rounded(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value * 1e6) / 1e6;
}

function rowJson<Id>({ id, share: whole, shares }: OverTimeRow<Id>): object {
  return { id, share: rounded(whole), shares: shares.map(rounded) };
}

/** `kind: "over-time"`. A bin without samples has `null` in every row. */
export function overTimeJson({ source, window, overTime, lost, findings }: OverTimeAnswer): string {
  const { thread, role, bins, binS, buckets, states, changes } = overTime;
  return objectText('over-time', {
    source,
    window,
    thread: threadName(thread),
    tid: thread.tid,
    role,
    binS,
    bins: bins.map(({ fromS, toS, looks }) => ({ from: fromS, to: toS, samples: looks })),
    buckets: buckets.map(rowJson),
    states: states?.map(rowJson),
    changes: changes.map(changeJson),
    lost,
    findings,
  });
}

function changeJson(change: Change): object {
  if (change.kind === 'burst') {
    const { kind, bucket, fromS, toS, elsewhere } = change;
    return {
      kind,
      bucket,
      from: fromS,
      to: toS,
      share: rounded(change.share),
      elsewhere: rounded(elsewhere),
    };
  }
  if (change.kind === 'drift')
    return {
      kind: change.kind,
      bucket: change.bucket,
      first: rounded(change.first),
      last: rounded(change.last),
    };
  return { kind: change.kind, bucket: change.bucket, low: rounded(change.low), high: rounded(change.high) };
}
