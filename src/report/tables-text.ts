import type { CostRow, CostTable } from '../simulator/index.js';
import { dearest, type LeftOut } from './dearest-rows.js';
import { durationText } from './duration-text.js';
import { alarmLines, noteLines, wrap } from './findings-text.js';
import { count, percent, plural } from './share-text.js';
import { type Column, type TextStyle, tableLines } from './table.js';
import { cleanText } from './terminal-text.js';

/** A table, with what the user called the file that it stands in. */
export interface SourcedTable extends CostTable {
  readonly source?: string;
}

/** What was found in what the user named. */
export interface Tables {
  /** As the user named it, all of it. */
  readonly source: string;
  /** Those without a source of their own are of that one. */
  readonly tables: readonly SourcedTable[];
  /** Seconds of a simulation step, where it was given: else what a table itself says. */
  readonly timestepS?: number;
  /** Rows of each table on the screen, at most. */
  readonly top?: number;
}

interface Field {
  readonly column: Column;
  readonly text: (row: CostRow, facts: { readonly budgetUs: number | undefined }) => string;
}

const time = (us: number | undefined): string => (us === undefined ? '' : durationText(us));
const right = (head: string): Column => ({ head, align: 'right', optional: true });

const FIELDS: readonly Field[] = [
  {
    column: { head: 'row', shrinkTo: 16 },
    text: ({ name, path }) => `${'  '.repeat(path.length)}${cleanText(name)}`,
  },
  { column: { head: 'of', shrinkTo: 9, optional: true }, text: ({ of }) => cleanText(of ?? '') },
  { column: right('per step'), text: ({ perStepUs }) => time(perStepUs) },
  { column: right('share'), text: ({ share }) => (share === undefined ? '' : percent(share)) },
  {
    column: right('budget'),
    text: ({ perStepUs }, { budgetUs }) =>
      perStepUs === undefined || budgetUs === undefined ? '' : percent(perStepUs / budgetUs),
  },
  { column: right('self'), text: ({ selfUs }) => time(selfUs) },
  { column: right('total'), text: ({ totalUs }) => time(totalUs) },
  { column: right('calls'), text: ({ calls }) => (calls === undefined ? '' : count(calls)) },
  { column: right('mean'), text: ({ meanUs, perStepUs }) => (meanUs === perStepUs ? '' : time(meanUs)) },
  { column: right('P50'), text: ({ p50Us }) => time(p50Us) },
  { column: right('P99'), text: ({ p99Us }) => time(p99Us) },
  { column: right('max'), text: ({ maxUs }) => time(maxUs) },
];

/** The screen of `tables`. Ends with a newline. */
export function tablesText(found: Tables, style: TextStyle): string {
  return `${found.tables.map((table) => tableText(table, found, style).join('\n')).join('\n\n')}\n`;
}

function tableText(found: SourcedTable, all: Tables, style: TextStyle): string[] {
  const { findings } = found;
  const parts = tableParts(found, all);
  return [
    ...wrap(`${cleanText(found.title)} · ${placeText(found, all.source)}`, style.width, '  '),
    ...alarmLines(findings, style),
    ...(parts.whole === undefined ? [] : wrap(parts.whole, style.width, '  ')),
    ...tableLines(
      FIELDS.map(({ column }) => column),
      parts.rows.map((row) => FIELDS.map(({ text }) => text(row, parts))),
      style,
    ),
    ...(parts.left === undefined
      ? []
      : wrap(`${parts.left} (--top ${found.rows.length} shows all).`, style.width, '  ')),
    ...meaningTexts(parts.rows).flatMap((text) => wrap(text, style.width, '  ', '    ')),
    ...noteLines(findings, style),
  ];
}

/** What there is to say of a table, in sentences, and the rows that are shown. */
interface TableParts {
  readonly rows: readonly CostRow[];
  readonly budgetUs: number | undefined;
  readonly whole?: string;
  /** What the rows leave out. */
  readonly left?: string;
}

function tableParts(found: SourcedTable, { timestepS, top }: Pick<Tables, 'timestepS' | 'top'>): TableParts {
  const stepS = timestepS ?? found.timestepS;
  const budgetUs = stepS === undefined ? undefined : stepS * 1e6;
  const { rows, left } = dearest(found, top);
  const [whole, leftOut] = [wholeText(found, budgetUs), leftText(left, found)];
  return {
    rows,
    budgetUs,
    ...(whole === undefined ? {} : { whole }),
    ...(leftOut === undefined ? {} : { left: leftOut }),
  };
}

/** A table for a page: the columns that it fills, the first of them the names, and sentences before and after. */
export interface TableGrid extends Omit<TableParts, 'rows' | 'budgetUs'> {
  readonly heads: readonly string[];
  /** As many cells as heads; how deep a row stands in its tree. Cleaned. */
  readonly rows: readonly { readonly depth: number; readonly cells: readonly string[] }[];
}

export function tableGrid(found: SourcedTable, shown: Pick<Tables, 'timestepS' | 'top'>): TableGrid {
  const { rows, ...parts } = tableParts(found, shown);
  const filled = FIELDS.filter(({ text }) => rows.some((row) => text(row, parts) !== ''));
  return {
    ...(parts.whole === undefined ? {} : { whole: parts.whole }),
    ...(parts.left === undefined ? {} : { left: parts.left }),
    heads: filled.map(({ column }) => column.head),
    rows: rows.map((row) => ({
      depth: row.path.length,
      cells: filled.map(({ text }) => text(row, parts).trimStart()),
    })),
  };
}

/** `sim.log, lines 3–12`; what fills one line or has none, such as a database, is its file alone. */
export function placeText({ source, lines }: SourcedTable, of: string): string {
  const file = source ?? of;
  const where = file === '-' ? 'standard input' : cleanText(file);
  return lines.to > lines.from ? `${where}, lines ${lines.from}–${lines.to}` : where;
}

/** Without its full stop. */
function leftText({ rows, us }: LeftOut, { wholeUs }: CostTable): string | undefined {
  if (rows === 0) return undefined;
  const all = wholeUs === undefined ? '' : ` of ${durationText(wholeUs)}`;
  const sum = us === undefined ? '' : `, ${durationText(us)}${all} together`;
  return `… ${plural(rows, 'more row')}${sum}`;
}

function wholeText(
  { kind, wholeUs, restUs, steps, stepsPerS, realTimeFactor }: CostTable,
  budgetUs: number | undefined,
): string | undefined {
  const isOfSteps = kind === 'roqsim-hooks';
  const said = [
    steps === undefined ? [] : [plural(steps, 'step')],
    stepsPerS === undefined ? [] : [`${count(Math.round(stepsPerS))} steps/s`],
    realTimeFactor === undefined ? [] : [`real-time factor ${realTimeFactor.toFixed(2)}`],
    wholeUs === undefined ? [] : [`${durationText(wholeUs)} in all${isOfSteps ? ' for each step' : ''}`],
    // What a simulated second takes of them, at so many steps a second.
    wholeUs === undefined || budgetUs === undefined || !isOfSteps
      ? []
      : [
          `${percent(wholeUs / budgetUs)} of the step's budget of ${durationText(budgetUs)}`,
          `${durationText((wholeUs * 1e6) / budgetUs)} for each simulated second`,
        ],
    restUs === undefined ? [] : [`${durationText(Math.max(0, restUs))} in no row`],
  ].flat();
  return said.length === 0 ? undefined : `${said.join(', ')}.`;
}

/** What rows stand for and what makes them cheaper: each row once, and each text once. */
function meaningTexts(rows: readonly CostRow[]): string[] {
  const said = new Map<string, string>();
  for (const { name, of, meaning, lever } of rows) {
    if (meaning === undefined) continue;
    said.set(cleanText(of ?? name), lever === undefined ? meaning : `${meaning} (${lever})`);
  }
  const named = new Map<string, string[]>();
  for (const [name, text] of said) named.set(text, [...(named.get(text) ?? []), name]);
  return [...named].map(([text, names]) => `${namesText(names)}: ${text}.`);
}

/** Names that stand for all of the same. */
const MOST_NAMES = 4;

function namesText(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  const shown = names.slice(0, more > 0 ? MOST_NAMES - 1 : MOST_NAMES).join(', ');
  return more > 0 ? `${shown} and ${count(more + 1)} more` : shown;
}
