import type { Finding, Lost } from '../model/index.js';
import type { SourceRef, Window } from './answer.js';
import type { ByNamedStep, NamedStepRow } from './by-named-step.js';
import { alarmLines, noteLines, wrap } from './findings-text.js';
import { lostLines, windowText } from './header-text.js';
import { objectText, share } from './json.js';
import { bucketText, threadLabel, threadName } from './names.js';
import { count, percent, plural } from './share-text.js';
import { type TextStyle, tableLines } from './table.js';
import { cleanText, displayWidth, truncateMiddle } from './terminal-text.js';

/** The answer of `buckets --by-step` of a program that names its steps. */
export interface ByNamedStepAnswer {
  readonly source: SourceRef;
  readonly window: Window;
  readonly byStep: ByNamedStep;
  readonly lost: Lost;
  readonly findings: readonly Finding[];
}

/** Rows that a person reads; the JSON has all. */
export const MOST_ROWS = 25;
/** Buckets of a row: what is below half a percent is nothing that one would change. */
const MOST_BUCKETS = 4;
const LEAST_SHARE = 0.005;
const BETWEEN = '(between steps)';

/** A row for each step: how often, how long, and where its time goes. */
export function byNamedStepText(
  { source, window, byStep, lost, findings }: ByNamedStepAnswer,
  style: TextStyle,
): string {
  const { thread, steps, rows } = byStep;
  const path = source.path === '-' ? 'standard input' : cleanText(source.path);
  const head = [path, source.format, windowText(window)].filter((part) => part !== undefined).join(' · ');
  const together = rows.some(({ names }) => names.length > 1);
  return [
    ...alarmLines(findings, style),
    ...wrap(head, style.width, '  '),
    ...wrap(
      `${plural(steps, 'step')} ended, as the program tells (sim-profiler/telemetry).`,
      style.width,
      '  ',
    ),
    '',
    ...tableLines(
      [
        { head: threadLabel(thread), shrinkTo: 12 },
        { head: 'runs', align: 'right' },
        { head: 'mean', align: 'right' },
        { head: 'longest', align: 'right' },
        { head: 'window', align: 'right' },
        { head: 'where its time goes', shrinkTo: 20, cut: wholeParts },
      ],
      rows.slice(0, MOST_ROWS).map(cellsOf),
      style,
    ),
    ...(rows.length > MOST_ROWS ? ['', `  ${count(rows.length - MOST_ROWS)} more: --json has all.`] : []),
    '',
    ...wrap(
      `Time is of the innermost step: one that consists of others has what is between them.${together ? ' Steps with + between them ran beside each other, and nobody knows of which one a sample was.' : ''}`,
      style.width,
      '  ',
    ),
    ...lostLines(lost),
    ...noteLines(findings, style),
    '',
  ].join('\n');
}

function cellsOf(row: NamedStepRow): readonly string[] {
  const { runs, share: part } = row;
  return [
    cleanText(stepNames(row)),
    runs === undefined ? '' : count(runs.count),
    runs === undefined ? '' : milliseconds(runs.meanMs),
    runs === undefined ? '' : milliseconds(runs.maxMs),
    percent(part),
    bucketsText(row),
  ];
}

/** `drive(2.0) + look()`. Raw: names are the program's. */
export function stepNames({ names }: NamedStepRow): string {
  return names.length === 0 ? BETWEEN : names.join(' + ');
}

/** `publishing 12.1 %, waiting for a CPU 3.0 %, 2 more`. */
export function bucketsText({ buckets }: NamedStepRow): string {
  const worth = buckets.filter(({ share: one }) => one.share >= LEAST_SHARE);
  // What a step does most is never among those left out, also where it is rest, which stands last.
  const largest = new Set(worth.toSorted((a, b) => b.share.share - a.share.share).slice(0, MOST_BUCKETS));
  const rest = worth.length - largest.size;
  const parts = worth
    .filter((bucket) => largest.has(bucket))
    .map(({ bucket, share: one }) => `${bucketText(bucket)} ${percent(one.share)}`);
  return [...parts, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}

/** The largest of them that fit, in their order. */
function wholeParts(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  const parts = text.split(', ');
  while (parts.length > 1 && displayWidth(`${parts.join(', ')}, …`) > columns)
    parts.splice(smallestPart(parts), 1);
  const kept = parts.join(', ');
  return displayWidth(kept) > columns ? truncateMiddle(kept, columns) : `${kept}, …`;
}

/** `2 more` has no share, and goes first. */
function smallestPart(parts: readonly string[]): number {
  const shares = parts.map((part) => Number(/ ([\d.]+) %$/.exec(part)?.[1] ?? 0));
  return shares.indexOf(Math.min(...shares));
}

export function milliseconds(ms: number): string {
  return `${ms >= 100 ? count(Math.round(ms)) : ms >= 10 ? ms.toFixed(1) : ms.toFixed(2)} ms`;
}

/** `kind: "by-named-step"`. */
export function byNamedStepJson({ source, window, byStep, lost, findings }: ByNamedStepAnswer): string {
  const { thread, role, steps, rows } = byStep;
  return objectText('by-named-step', {
    source,
    window,
    thread: threadName(thread),
    tid: thread.tid,
    role,
    steps,
    rows: rows.map(({ names, seconds, share: part, looks, runs, buckets }) => ({
      steps: names,
      seconds: share(seconds),
      share: share(part),
      samples: looks,
      runs:
        runs === undefined
          ? undefined
          : { count: runs.count, meanMs: share(runs.meanMs), maxMs: share(runs.maxMs) },
      buckets: buckets.map(({ bucket, share: one }) => ({
        id: bucket,
        share: share(one.share),
        low: share(one.low),
        high: share(one.high),
      })),
    })),
    lost,
    findings,
  });
}
