import type { Finding } from '../model/index.js';
import { shellLine } from '../model/index.js';
import type { Recording } from '../recording/index.js';
import { type SourcedTable, count, plural } from '../report/index.js';
import { readTables } from '../simulator/index.js';

/** Tables that a program printed about itself while it was recorded, or before. */
export function printedTables({ printed = [] }: Pick<Recording, 'printed'>): readonly SourcedTable[] {
  return printed.flatMap(({ source, fromByte, toByte, text }) =>
    readTables(text).map((table) => ({
      ...table,
      source: `${source}, bytes ${count(fromByte)}–${count(toByte)}`,
      // Its lines are those of the piece.
      lines: { from: 1, to: 1 },
    })),
  );
}

/** Tells of the tables of a recording, where there are any. */
export function printedFinding(recording: Recording, folder: string): Finding | undefined {
  const tables = printedTables(recording);
  if (tables.length === 0) return undefined;
  return {
    level: 'note',
    id: 'program-printed-tables',
    what: `The program printed ${plural(tables.length, 'table')} of its own: ${tables.map(({ title }) => title).join(', ')}.`,
    why: 'Its own clock says what no sampler sees, such as the name of each hook; waiting is in it.',
    fix: shellLine(['profiler', 'tables', folder]),
  };
}
