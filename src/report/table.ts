import CliTable from 'cli-table3';
import { displayWidth, truncateMiddle } from './terminal-text.js';

export interface Column {
  readonly head: string;
  readonly align?: 'left' | 'right';
  /** The column that gives way when the table is too wide, and the least it keeps. Several share the loss, widest first. */
  readonly shrinkTo?: number;
  /** Left out when no row has anything in it. */
  readonly optional?: true;
  /** How a cell is cut to that many columns; default: in the middle. */
  readonly cut?: (text: string, columns: number) => string;
}

/** How text is laid out. `color` is decided by the caller: a terminal, and no NO_COLOR. */
export interface TextStyle {
  readonly width: number;
  readonly color: boolean;
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

/** Widths of the columns after shrinking what may shrink. */
function fit(columns: readonly Column[], natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, one) => sum + one, 0) + GAP * (widths.length - 1) + INDENT - width;
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

/**
 * An aligned table without borders, two columns in from the left. Cells are cleaned text, possibly coloured; lines carry
 * no trailing blanks. Returns lines; no header line when every head is empty.
 */
export function tableLines(
  all: readonly Column[],
  allRows: readonly (readonly string[])[],
  style: TextStyle,
): string[] {
  const filled = all.map(
    (column, index) => column.optional !== true || allRows.some((row) => (row[index] ?? '') !== ''),
  );
  const columns = all.filter((_, index) => filled[index]);
  const rows = allRows.map((row) => row.filter((_, index) => filled[index]));
  const heads = columns.map((column) => column.head);
  const natural = columns.map((_, index) =>
    rows.reduce(
      (widest, row) => Math.max(widest, naturalWidth(row[index] ?? '', style.width)),
      naturalWidth(heads[index] ?? '', style.width),
    ),
  );
  const widths = fit(columns, natural, style.width);
  const cut = (row: readonly string[]): string[] =>
    columns.map((column, index) => (column.cut ?? truncateMiddle)(row[index] ?? '', widths[index] ?? 0));
  const cells = [...(heads.some((head) => head !== '') ? [heads] : []), ...rows].map(cut);
  const lines: string[] = [];
  // The library looks at all rows for each cell: pieces of a long table are laid out by themselves, all as wide.
  for (let from = 0; from < cells.length; from += PIECE) {
    const table = new CliTable({
      chars: NO_BORDERS,
      style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
      colAligns: columns.map((column) => column.align ?? 'left'),
      ...(cells.length > PIECE ? { colWidths: widths } : {}),
    });
    table.push(...cells.slice(from, from + PIECE));
    for (const line of table.toString().split('\n')) lines.push(line.trimEnd());
  }
  return lines;
}
