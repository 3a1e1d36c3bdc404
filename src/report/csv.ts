import { cleanText } from './terminal-text.js';

/** Rows as RFC 4180 has them: quoted where it must be, CRLF. Unknown is empty. */
export function csvText(rows: readonly (readonly (string | number | undefined)[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

/** A name that a spreadsheet would take for a formula is kept from being one, and one that a terminal would obey is escaped. */
function cell(value: string | number | undefined): string {
  const text =
    value === undefined
      ? ''
      : typeof value === 'string'
        ? cleanText(value).replace(/^(?=[=+\-@\t])/, "'")
        : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
