import { readTables } from './read-tables.js';

/** A piece of a log with tables in it, and where it stands; `toByte` is the first byte behind it. */
export interface TablePiece {
  readonly fromByte: number;
  readonly toByte: number;
  readonly text: string;
}

/** Lines around a table that may be needed to read it again: what announces it, and what sums it up. */
const LINES_BEFORE = 8;
const LINES_AFTER = 2;
/** A piece that is longer is no table. */
const LONGEST = 1 << 19;

/**
 * What to keep of a log so that its tables can be read again: each with a few lines around it, and nothing else of it. `startByte` is the place
 * of the first of `bytes` in the log.
 */
export function tablePieces(bytes: Uint8Array, startByte = 0): readonly TablePiece[] {
  const decoder = new TextDecoder('utf-8');
  const tables = readTables(decoder.decode(bytes));
  if (tables.length === 0) return [];
  const starts = lineStarts(bytes);
  const ranges: { from: number; to: number }[] = [];
  for (const { lines } of tables) {
    const from = Math.max(0, lines.from - 1 - LINES_BEFORE);
    const to = Math.min(starts.length, lines.to + LINES_AFTER);
    const last = ranges.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else ranges.push({ from, to });
  }
  return ranges.flatMap(({ from, to }) => {
    const [first, end] = [starts[from] ?? 0, starts[to] ?? bytes.length];
    const text = decoder.decode(bytes.subarray(first, end));
    return text.length > LONGEST ? [] : [{ fromByte: startByte + first, toByte: startByte + end, text }];
  });
}

/** The place of the first byte of each line. */
function lineStarts(bytes: Uint8Array): readonly number[] {
  const starts = [0];
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) starts.push(at + 1);
  return starts;
}

const NEWLINE = 0x0a;
