import { CHROME_TRACE } from './chrome-trace.js';
import { cutTrace } from './cut-trace.js';
import { bareLine } from './log-lines.js';
import { ROQSIM } from './roqsim.js';
import type { CostTable, TableReader } from './table.js';

const READERS: readonly TableReader[] = [ROQSIM, CHROME_TRACE];

/**
 * Every table that a text holds, in the order in which they stand there: a log with whatever else is in it, or one JSON document, of a
 * Chrome trace also what was written of it before a crash. None where nothing is known.
 */
export function readTables(text: string): readonly CostTable[] {
  const document = parsed(text);
  if (document !== undefined) return ofDocument(document, text);
  const cut = cutTrace(text);
  if (cut !== undefined) {
    const [first, ...others] = ofDocument(cut.document, text);
    if (first !== undefined)
      return [{ ...first, findings: [...(cut.finding ? [cut.finding] : []), ...first.findings] }, ...others];
  }
  const lines = text.split('\n').map(bareLine);
  return READERS.flatMap((reader) => reader.text?.(lines) ?? []).toSorted(
    (a, b) => a.lines.from - b.lines.from,
  );
}

/** A reader of a document does not see its text: each of its tables is of all lines. */
function ofDocument(document: unknown, text: string): readonly CostTable[] {
  const lines = { from: 1, to: lineCount(text) };
  return READERS.flatMap(({ json }) => json?.(document) ?? []).map((table) => ({ ...table, lines }));
}

function lineCount(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1))
    lines += 1;
  return lines;
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
