import { bareLine } from './log-lines.js';
import { NSYS_STATS } from './nsys-stats.js';
import { ROQSIM } from './roqsim.js';
import type { CostTable, TableReader } from './table.js';

const READERS: readonly TableReader[] = [ROQSIM, NSYS_STATS];

/**
 * Every table that a text holds, in the order in which they stand there: a log with whatever else is in it, or one JSON document. None
 * where nothing is known.
 */
export function readTables(text: string): readonly CostTable[] {
  const document = parsed(text);
  if (document !== undefined) return READERS.flatMap(({ json }) => json?.(document) ?? []);
  const lines = text.split('\n').map(bareLine);
  return READERS.flatMap((reader) => reader.text?.(lines) ?? []).toSorted(
    (a, b) => a.lines.from - b.lines.from,
  );
}

/** A document begins with a bracket; a log that does is none. */
function parsed(text: string): unknown {
  if (!/^\uFEFF?\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
