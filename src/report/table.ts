import CliTable from 'cli-table3';
import type { BarStyle } from './bar.js';
import { displayWidth, truncateMiddle } from './terminal-text.js';

export interface Column {
  readonly head: string;
  readonly align?: 'left' | 'right';
  /** The column that gives way when the table is too wide, and the least it keeps. Several share the loss, widest first. */
  readonly shrinkTo?: number;
  /** The least that a bar leaves to this column, where it has as much to say; default: `shrinkTo`. */
  readonly besideBar?: number;
  /** Left out when no row has anything in it. */
  readonly optional?: true;
  /** How a cell is cut to that many columns; default: in the middle. */
  readonly cut?: (text: string, columns: number) => string;
  /** Draws the cell of a row in that many columns instead of taking one that is given. The first column to go where there is no room. */
  readonly bar?: (row: number, columns: number) => string;
}

/** How text is laid out. `color` is decided by the caller: a terminal, and no NO_COLOR. Bars and trees are `ascii` where blocks cannot be shown. */
export interface TextStyle extends BarStyle {
  readonly width: number;
  readonly color: boolean;
}

export interface Table {
  readonly lines: readonly string[];
  /** Whether there was room for its bars, and something to draw. */
  readonly bars: boolean;
}

const GAP = 2;
/** Rows that are laid out at once. */
const PIECE = 200;
const INDENT = 2;
const NO_BORDERS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: ' '.repeat(INDENT),
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' '.repeat(GAP),
};

/** Columns a cell would like; of an enormous one only that it is wider than the table. */
function naturalWidth(cell: string, width: number): number {
  return cell.length > width * 8 ? width * 2 : displayWidth(cell);
}

/** Columns that a table with such columns takes. */
function taken(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one, 0) + GAP * (widths.length - 1) + INDENT;
}

/** Widths of the columns after shrinking what may shrink. */
function fit(columns: readonly Column[], natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  let excess = taken(widths) - width;
  while (excess > 0) {
    let widest = -1;
    for (let index = 0; index < columns.length; index += 1) {
      const least = columns[index]?.shrinkTo;
      const now = widths[index] ?? 0;
      if (least !== undefined && now > least && (widest < 0 || now > (widths[widest] ?? 0))) widest = index;
    }
    if (widest < 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}

/** Columns of a bar: a tenth of the line, within reason; a narrow one where that is too much. */
function barWidths(width: number): readonly number[] {
  const wanted = Math.min(WIDEST_BAR, Math.max(NARROWEST_BAR, Math.floor(width / 10)));
  return wanted === NARROWEST_BAR ? [wanted] : [wanted, NARROWEST_BAR];
}

const NARROWEST_BAR = 6;
const WIDEST_BAR = 20;

/** Widths of the columns with a bar that leaves the others what they need; undefined where none does. */
function fitWithBar(
  columns: readonly Column[],
  natural: readonly number[],
  width: number,
): number[] | undefined {
  for (const bar of barWidths(width)) {
    const wanted = columns.map((column, index) => (column.bar === undefined ? (natural[index] ?? 0) : bar));
    const widths = fit(columns, wanted, width);
    const least = columns.map(({ besideBar, shrinkTo }, index) =>
      Math.min(wanted[index] ?? 0, besideBar ?? shrinkTo ?? Number.POSITIVE_INFINITY),
    );
    if (taken(widths) <= width && widths.every((one, index) => one >= (least[index] ?? 0))) return widths;
  }
  return undefined;
}

/**
 * An aligned table without borders, two columns in from the left. Cells are cleaned text, possibly coloured; lines carry
 * no trailing blanks. Returns lines; no header line when every head is empty.
 */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  style: TextStyle,
): string[] {
  return [...table(columns, rows, style).lines];
}

function keep<Cell>(cells: readonly Cell[], kept: readonly boolean[]): Cell[] {
  return cells.filter((_, index) => kept[index]);
}

/** The same, saying whether its bars are shown. */
export function table(
  all: readonly Column[],
  allRows: readonly (readonly string[])[],
  style: TextStyle,
): Table {
  const filled = all.map(
    ({ optional }, index) => optional !== true || allRows.some((row) => (row[index] ?? '') !== ''),
  );
  const natural = all.map(({ head, bar }, index) =>
    bar !== undefined || filled[index] === false
      ? 0
      : allRows.reduce(
          (widest, row) => Math.max(widest, naturalWidth(row[index] ?? '', style.width)),
          naturalWidth(head, style.width),
        ),
  );
  const hasBar = all.some(({ bar }) => bar !== undefined) && allRows.length > 0;
  const beside = hasBar ? fitWithBar(keep(all, filled), keep(natural, filled), style.width) : undefined;
  const shown = all.map(
    ({ bar }, index) => filled[index] === true && (bar === undefined || beside !== undefined),
  );
  const columns = keep(all, shown);
  const widths = beside ?? fit(columns, keep(natural, shown), style.width);
  const cut = (row: readonly string[], at: number): string[] =>
    columns.map(({ bar, cut: own }, index) => {
      const room = widths[index] ?? 0;
      if (bar !== undefined) return (at < 0 ? '' : bar(at, room)).padEnd(room);
      return (own ?? truncateMiddle)(row[index] ?? '', room);
    });
  const heads = columns.map((column) => column.head);
  const rows = allRows.map((row, at) => cut(keep(row, shown), at));
  const cells = heads.some((head) => head !== '') ? [cut(heads, -1), ...rows] : rows;
  return { lines: laidOut(columns, widths, cells), bars: beside !== undefined };
}

function laidOut(
  columns: readonly Column[],
  widths: readonly number[],
  cells: readonly (readonly string[])[],
): string[] {
  const lines: string[] = [];
  // The library looks at all rows for each cell: pieces of a long table are laid out by themselves, all as wide.
  for (let from = 0; from < cells.length; from += PIECE) {
    const piece = new CliTable({
      chars: NO_BORDERS,
      style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
      colAligns: columns.map((column) => column.align ?? 'left'),
      ...(cells.length > PIECE ? { colWidths: [...widths] } : {}),
    });
    piece.push(...cells.slice(from, from + PIECE).map((row) => [...row]));
    for (const line of piece.toString().split('\n')) lines.push(line.trimEnd());
  }
  return lines;
}
