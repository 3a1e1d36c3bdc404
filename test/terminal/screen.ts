/* oxlint-disable no-control-regex -- reading control sequences is what it is for */
import { displayWidth } from '../../src/report/index.js';

/** What a terminal shows after some bytes. */
export interface Screen {
  /** Lines from the top, without blanks at their ends. */
  readonly lines: readonly string[];
  /** Columns of the widest line that was written, also where it was written over later. */
  readonly widest: number;
  /** Control sequences other than a line's end and colours: what makes text jump. */
  readonly moves: readonly string[];
  /** Sequences that set colour or weight. */
  readonly colours: readonly string[];
}

const PIECES =
  /\u001b\[([?>]?[\d;]*)([A-Za-z])|\u001b[\]P][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[()].|\u001b[^[\]P()]|\r\n|[\u0000-\u001f\u007f]|[^\u0000-\u001f\u007f]+/g;

/**
 * A terminal that never scrolls, knowing what our programs use: text, line ends, carriage return, erasing a line, colours. Everything else
 * is only noted as a move. A line wider than `columns` shows in `widest`: it is not wrapped.
 */
export function screenOf(bytes: string, columns: number): Screen {
  const lines: string[] = [''];
  const moves: string[] = [];
  const colours: string[] = [];
  let row = 0;
  let column = 0;
  let widest = 0;
  const erased = (line: string, mode: string): string => {
    if (mode === '2') return '';
    return mode === '1' ? line.slice(column).padStart(line.length) : line.slice(0, column);
  };
  for (const [piece, parameters, final] of bytes.matchAll(PIECES)) {
    if (piece === '\r\n' || piece === '\n') {
      row += 1;
      column = 0;
      lines[row] ??= '';
    } else if (piece === '\r') {
      moves.push(piece);
      column = 0;
    } else if (final === 'm') {
      colours.push(piece);
    } else if (final === 'K') {
      moves.push(piece);
      lines[row] = erased(lines[row] ?? '', parameters ?? '');
    } else if (/^[\u0000-\u001f\u007f]/.test(piece)) {
      moves.push(piece);
    } else {
      const line = (lines[row] ?? '').padEnd(column);
      lines[row] = `${line.slice(0, column)}${piece}${line.slice(column + piece.length)}`;
      column += piece.length;
      widest = Math.max(widest, displayWidth(lines[row] ?? ''));
    }
  }
  if (lines.at(-1) === '') lines.pop();
  if (widest > columns)
    throw new Error(`a line of ${widest} columns on a terminal of ${columns}:\n${lines.join('\n')}`);
  return { lines: lines.map((line) => line.trimEnd()), widest, moves, colours };
}
