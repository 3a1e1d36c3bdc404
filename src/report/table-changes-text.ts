import type { Finding } from '../model/index.js';
import type { RowChange, TableChange, TableChanges } from '../simulator/index.js';
import { durationText } from './duration-text.js';
import { alarmLines, noteLines, wrap } from './findings-text.js';
import { count, plural, signed } from './share-text.js';
import { type Column, type TextStyle, tableLines } from './table.js';
import { type SourcedTable, placeText } from './tables-text.js';
import { cleanText } from './terminal-text.js';

/** Tables of one run against those of an older one. */
export interface ComparedTables {
  /** As the user named them. */
  readonly source: string;
  readonly against: string;
  readonly compared: TableChanges<SourcedTable>;
  /** Rows of each table on the screen, at most. */
  readonly top?: number;
}

const COLUMNS: readonly Column[] = [
  { head: 'row', shrinkTo: 16 },
  { head: 'of', shrinkTo: 9, optional: true },
  { head: 'per' },
  { head: 'before', align: 'right' },
  { head: 'now', align: 'right' },
  { head: 'change', align: 'right' },
  { head: '', align: 'right', optional: true },
];

/** The screen of `tables --against`. Ends with a newline. */
export function tableChangesText(all: ComparedTables, style: TextStyle): string {
  const { changes, onlyBefore, onlyAfter } = all.compared;
  const lines = [
    ...changes.flatMap((change) => [...changeLines(change, all, style), '']),
    ...alone(onlyAfter, all.source, 'Only there now', style),
    ...alone(onlyBefore, all.against, 'No longer there', style),
    ...noteLines([NO_INTERVAL], style),
  ];
  return `${lines.join('\n')}\n`;
}

const NO_INTERVAL = {
  level: 'note',
  id: 'tables-without-interval',
  what: 'What simulators print has no interval: two runs of one program differ as well.',
  why: 'A change counts when it comes again in more runs of each.',
} as const;

function changeLines(
  change: TableChange<SourcedTable>,
  { source, against, top = Number.POSITIVE_INFINITY }: ComparedTables,
  style: TextStyle,
): string[] {
  const { before, after, rows, incomparable, findings } = change;
  const title = `${cleanText(after.title)} · ${placeText(after, source)}, against ${placeText(before, against)}`;
  const left = rows.slice(top);
  const labels = rowLabels(rows);
  return [
    ...wrap(title, style.width, '  '),
    ...wholeLines(change, style),
    ...alarmLines([...after.findings, ...before.findings.map(ofBefore)], style),
    ...tableLines(
      COLUMNS,
      rows.slice(0, top).map((row) => cells(row, labels)),
      style,
    ),
    ...(left.length === 0
      ? []
      : wrap(
          `… ${plural(left.length, 'more row')}, each changed by ${durationText(largest(left))} at most (--top ${rows.length} shows all).`,
          style.width,
          '  ',
        )),
    ...(incomparable.length === 0
      ? []
      : wrap(
          `Without a time to compare: ${incomparable.map(cleanText).join(', ')}.`,
          style.width,
          '  ',
          '    ',
        )),
    ...noteLines(findings, style),
  ];
}

function ofBefore(finding: Finding): Finding {
  return { ...finding, what: `Before: ${finding.what}` };
}

function plain({ name, of }: RowChange): string {
  return JSON.stringify([name, of]);
}

/** Names of rows, with what they are parts of where two would read alike. */
function rowLabels(rows: readonly RowChange[]): ReadonlyMap<RowChange, string> {
  const times = new Map<string, number>();
  for (const row of rows) times.set(plain(row), (times.get(plain(row)) ?? 0) + 1);
  return new Map(
    rows.map((row) => [row, times.get(plain(row)) === 1 ? row.name : [...row.path, row.name].join(' > ')]),
  );
}

function time(us: number | undefined): string {
  return us === undefined ? '' : durationText(us);
}

function cells(row: RowChange, labels: ReadonlyMap<RowChange, string>): readonly string[] {
  const { name, of, per, beforeUs, afterUs, changeUs } = row;
  return [
    cleanText(labels.get(row) ?? name),
    cleanText(of ?? ''),
    per,
    time(beforeUs),
    time(afterUs),
    changeText(changeUs),
    beforeUs === undefined ? 'new' : afterUs === undefined ? 'gone' : ratio(beforeUs, afterUs),
  ];
}

function changeText(us: number): string {
  return us === 0 ? '0' : `${us > 0 ? '+' : '-'}${durationText(Math.abs(us))}`;
}

/** Of nothing there is no part. */
function ratio(beforeUs: number, afterUs: number): string {
  return beforeUs > 0 ? `${signed(afterUs / beforeUs - 1)} %` : '';
}

function largest(rows: readonly RowChange[]): number {
  return rows.reduce((most, { changeUs }) => Math.max(most, Math.abs(changeUs)), 0);
}

function wholeLines(
  { before, after, whole, intrinsic }: TableChange<SourcedTable>,
  style: TextStyle,
): string[] {
  const said = [
    whole === undefined
      ? []
      : [
          `${durationText(whole.beforeUs)} → ${durationText(whole.afterUs)} in all${whole.per === 'step' ? ' for each step' : ''} (${ratio(whole.beforeUs, whole.afterUs)})`,
        ],
    before.steps === undefined || after.steps === undefined
      ? []
      : [`${count(before.steps)} → ${plural(after.steps, 'step')}`],
    before.stepsPerS === undefined || after.stepsPerS === undefined
      ? []
      : [`${count(Math.round(before.stepsPerS))} → ${count(Math.round(after.stepsPerS))} steps/s`],
    before.realTimeFactor === undefined || after.realTimeFactor === undefined
      ? []
      : [`real-time factor ${before.realTimeFactor.toFixed(2)} → ${after.realTimeFactor.toFixed(2)}`],
  ].flat();
  return [
    ...(said.length === 0 ? [] : wrap(`${said.join(', ')}.`, style.width, '  ')),
    ...(intrinsic === undefined
      ? []
      : wrap(
          `By the difference of the two runs, start-up left out: ${count(Math.round(intrinsic.stepsPerS))} steps/s${intrinsic.realTimeFactor === undefined ? '' : `, real-time factor ${intrinsic.realTimeFactor.toFixed(2)}`} (± ${(intrinsic.error * 100).toFixed(1)} % by rounding), if both did the same work in each step.`,
          style.width,
          '  ',
        )),
  ];
}

function alone(tables: readonly SourcedTable[], source: string, what: string, style: TextStyle): string[] {
  if (tables.length === 0) return [];
  const named = tables.map((table) => `${cleanText(table.title)} (${placeText(table, source)})`);
  return wrap(`${what}: ${named.join('; ')}.`, style.width, '  ', '    ');
}
