/** A quote that is never closed must not swallow the rest of a log. */
const MOST_LINES = 20;

export interface CsvRecord {
  readonly fields: readonly string[];
  /** Index of the last line that it takes: a quoted field may hold line breaks. */
  readonly last: number;
}

/** The record of comma-separated values (RFC 4180) that begins at a line. Undefined where a quote is not closed. */
export function csvRecord(lines: readonly string[], start: number): CsvRecord | undefined {
  const fields: string[] = [];
  let field = '';
  let isQuoted = false;
  for (let at = start; at < lines.length && at < start + MOST_LINES; at += 1) {
    const line = lines[at] ?? '';
    for (let place = 0; place < line.length; place += 1) {
      const character = line[place] ?? '';
      if (isQuoted && character === '"' && line[place + 1] === '"') {
        field += '"';
        place += 1;
      } else if (character === '"' && (isQuoted || field === '')) isQuoted = !isQuoted;
      else if (character === ',' && !isQuoted) {
        fields.push(field);
        field = '';
      } else field += character;
    }
    if (!isQuoted) return { fields: [...fields, field], last: at };
    field += '\n';
  }
  return undefined;
}
