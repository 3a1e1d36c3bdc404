import type { Frame } from '../model/index.js';
import { bar } from './bar.js';
import type { Hot, HotBy, HotRow } from './answer.js';
import { colors } from './colors.js';
import { alarmLines, noteLines, wrap } from './findings-text.js';
import { headerLines, lostLines } from './header-text.js';
import { bucketText, frameLabel, marked, threadLabel } from './names.js';
import { apartText, count, interval, percent, plural, weightText } from './share-text.js';
import { type Column, type Table, type TextStyle, table } from './table.js';
import { CALLED_BY, cleanText, truncateCallers, truncateMiddle } from './terminal-text.js';

const GROUPED_BY: Readonly<Record<HotBy, string>> = {
  stack: 'By whole stack',
  leaf: 'By leaf: the line being executed',
  function: 'By function; the lines below each are those executed in it (--by line makes them rows)',
  line: 'By line',
  file: 'By file',
  module: 'By module: library of a native frame, package folder of a Python one',
  caller: 'By caller: the nearest frame outwards of what the bucket claims',
};

function amount(value: number | undefined, hot: Hot): string {
  if (value === undefined) return '';
  return hot.total.unit === 'samples' ? String(value) : `${(value / 1e9).toFixed(3)} s`;
}

/** What the share of a row is of: without samples that wait, which are a column of their own. */
function counted(weight: number | undefined, waiting: number | undefined, hot: Hot): string {
  return weight === undefined ? '' : amount(weight - (waiting ?? 0), hot);
}

function bucketCell(row: HotRow, style: TextStyle): string {
  if (row.bucket === undefined) return '';
  const label = row.label === undefined ? '' : ` ${cleanText(row.label)}`;
  const text = `${bucketText(row.bucket, row.kind)}${label}`;
  return style.width < ROOMY ? truncateMiddle(text, NARROW_BUCKET) : text;
}

const shareCell = (row: HotRow): string => (row.share === undefined ? '' : percent(row.share));
const intervalCell = (row: HotRow, style: TextStyle): string =>
  row.low === undefined || row.high === undefined || style.width < ROOMY ? '' : interval(row.low, row.high);

/** What names the thread of a row. A column of one name says nothing that the sentence above does not. */
function threadCells(hot: Hot): (row: HotRow) => string {
  const tids = new Set(hot.rows.map((one) => one.thread));
  if (hot.total.threads < 2 || tids.size < 2) return () => '';
  return (row) => truncateMiddle(threadLabel(row.thread ?? {}), 24);
}

/** A stack on one line: the leaf in full, then its callers by name and line; its table cuts the outermost ones off. */
function stackText(stack: readonly Frame[]): string {
  const leaf = stack.at(-1);
  if (leaf === undefined) return '(no usable stack)';
  const callers = stack.slice(0, -1).toReversed().map(callerText);
  return [frameLabel(leaf), ...callers].join(CALLED_BY);
}

function callerText(frame: Frame): string {
  const { name, line } = frame;
  const text = marked(frame, cleanText(name));
  return line === undefined ? text : `${text}:${line}`;
}

function placeText(row: HotRow): string {
  const name = marked(row, cleanText(row.name ?? ''));
  const where = row.file ?? row.module;
  if (where === undefined || where === row.name || row.name === `[${where}]`) {
    return row.line === undefined ? name : `${name}:${row.line}`;
  }
  return `${name} (${cleanText(where)}${row.line === undefined ? '' : `:${row.line}`})`;
}

/** Below this many columns the interval gives way to the names; JSON always has it. */
const ROOMY = 90;
/** Columns of a bucket then: what stands behind it says more. */
const NARROW_BUCKET = 18;

/** The share that a full bar stands for: the largest, since of many rows each is small. */
function longest(hot: Hot): number {
  return hot.rows.reduce((most, { share }) => Math.max(most, share ?? 0), 0);
}

/** Columns of names that a bar leaves. */
const NAMES = 26;
/** The same where there is a column of buckets besides. */
const CALLERS = 20;

/** Share, bar and interval; `rows` are those of the table, some of which are only a continuation. */
function shareColumns(hot: Hot, rows: readonly (HotRow | undefined)[], style: TextStyle): Column[] {
  const most = longest(hot);
  return [
    { head: 'share', align: 'right' },
    ...(most > 0
      ? [{ head: '', bar: (at: number, room: number) => bar((rows[at]?.share ?? 0) / most, room, style) }]
      : []),
    { head: '95 %', align: 'right', optional: true },
  ];
}

function stackTable(hot: Hot, style: TextStyle): Table {
  const shares = shareColumns(hot, hot.rows, style);
  const columns: Column[] = [
    { head: hot.total.unit === 'samples' ? 'samples' : 'time', align: 'right' },
    { head: 'waiting', align: 'right', optional: true },
    ...shares,
    { head: 'thread', shrinkTo: 8, optional: true },
    { head: 'bucket', shrinkTo: 10 },
    { head: 'stack', shrinkTo: 20, besideBar: NAMES, cut: truncateCallers },
  ];
  const threadOf = threadCells(hot);
  const rows = hot.rows.map((row) => [
    counted(row.weight, row.waiting, hot),
    amount(row.waiting, hot),
    shareCell(row),
    ...noBar(shares),
    intervalCell(row, style),
    threadOf(row),
    bucketCell(row, style),
    stackText(row.stack ?? []),
  ]);
  return table(columns, rows, style);
}

/** The cell that a bar is drawn into, where there is one. */
function noBar(shares: readonly Column[]): string[] {
  return shares.flatMap(({ bar: drawn }) => (drawn === undefined ? [] : ['']));
}

/** Columns from which on more are no advice. */
const WIDE = 200;

/** Where to see the stacks that the table, whose lines `rows` are, cut; nothing where all of them are whole. */
function cutLines(hot: Hot, rows: readonly string[], style: TextStyle): string[] {
  const whole = (row: HotRow, at: number): boolean =>
    rows[at]?.endsWith(stackText(row.stack ?? []).trimEnd()) === true;
  if (hot.by !== 'stack' || hot.rows.every(whole)) return [];
  const wider = style.width < WIDE ? ', or a wider terminal (COLUMNS=200)' : '';
  return wrap(`Whole stacks: --tsv or --folded${wider}.`, style.width, '  ');
}

function linesBelow(row: HotRow, hot: Hot): string {
  const lines = row.lines ?? [];
  if (lines.length < 2) return '';
  const shown = lines.slice(0, 6).map((one) => `:${one.line} ${counted(one.self, one.waiting, hot)}`);
  return `  ${shown.join('  ')}${lines.length > 6 ? `  and ${lines.length - 6} more` : ''}`;
}

function placeTable(hot: Hot, style: TextStyle): Table {
  const caller = hot.by === 'caller';
  const threadOf = threadCells(hot);
  const owners: (HotRow | undefined)[] = hot.rows.flatMap((row) =>
    linesBelow(row, hot) === '' ? [row] : [row, undefined],
  );
  const shares = shareColumns(hot, owners, style);
  const columns: Column[] = [
    { head: 'self', align: 'right' },
    { head: 'waiting', align: 'right', optional: true },
    ...shares,
    { head: 'total', align: 'right' },
    { head: '', align: 'right' },
    { head: 'thread', shrinkTo: 8, optional: true },
    ...(caller ? [{ head: 'bucket', shrinkTo: 10 }] : []),
    { head: hot.by, shrinkTo: 16, besideBar: caller ? CALLERS : NAMES },
  ];
  const rows = hot.rows.flatMap((row) => {
    const below = linesBelow(row, hot);
    const cells = [
      counted(row.self, row.waiting, hot),
      amount(row.waiting, hot),
      shareCell(row),
      ...noBar(shares),
      intervalCell(row, style),
      counted(row.total, row.totalWaiting, hot),
      row.totalShare === undefined ? '' : percent(row.totalShare),
      threadOf(row),
      ...(caller ? [bucketCell(row, style)] : []),
      placeText(row),
    ];
    return below === '' ? [cells] : [cells, [...cells.slice(1).map(() => ''), below]];
  });
  return table(columns, rows, style);
}

function denominator(hot: Hot): string {
  const bare = hot.total.unit === 'samples' ? 'samples' : 'recorded time';
  const what = hot.denominator === 'wall' ? 'wall time' : bare;
  const only = hot.total.threads === 1 ? hot.rows.find((row) => row.thread !== undefined)?.thread : undefined;
  const whose =
    only === undefined ? `of each thread's own ${what}` : `of the ${what} of ${threadLabel(only)}`;
  const order = hot.physicsKnown && hot.total.threads > 1 ? ' The physics thread comes first.' : '';
  return `${GROUPED_BY[hot.by]}. Shares are ${whose}${apartText(hot)}.${order}`;
}

/** `120 samples`, `120 samples and 40 waiting`. */
export function moreWeightText({ more, total }: Pick<Hot, 'more' | 'total'>): string {
  const { weight, waiting = 0 } = more;
  const text = weightText(weight - waiting, total.unit);
  return waiting === 0 ? text : `${text} and ${count(waiting)} waiting`;
}

/** The screen of `hot`. Ends with a newline. */
export function hotText(hot: Hot, style: TextStyle): string {
  const paint = colors(style.color);
  const selected = hot.selection.length === 0 ? [] : [`  Only ${hot.selection.map(cleanText).join(', ')}.`];
  const { lines: tabled, bars } = hot.by === 'stack' ? stackTable(hot, style) : placeTable(hot, style);
  const [head, ...rows] = tabled;
  const scale = bars ? ` The longest bar is ${percent(longest(hot))}.` : '';
  const { more } = hot;
  const lines = [
    ...headerLines(hot, hot.total, style.width),
    ...selected,
    ...alarmLines(hot.findings, style),
    ...wrap(`${denominator(hot)}${scale}`, style.width, '  '),
    '',
    ...(head === undefined ? [] : [paint.bold(head)]),
    ...(hot.rows.length === 0
      ? [
          '  No sample is in that selection (waiting for the GIL or a CPU is known from the kernel, not from stacks).',
        ]
      : rows),
    ...(more.rows === 0
      ? []
      : [
          `  ${plural(more.rows, 'more row')}, ${moreWeightText(hot)} not shown (--top ${hot.rows.length + more.rows})`,
        ]),
    ...cutLines(hot, rows, style),
    ...lostLines(hot.lost),
    ...noteLines(hot.findings, style),
  ];
  return `${lines.join('\n')}\n`;
}
