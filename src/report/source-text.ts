import type { SourceListing } from './answer.js';
import { colors } from './colors.js';
import { type TextStyle, tableLines } from './table.js';
import { cleanText } from './terminal-text.js';

/** Source text keeps its indentation, and a tab is a control character to the cleaner. */
function codeText(text: string): string {
  return cleanText(text.replaceAll('\t', '    ').replace(/\s+$/u, ''));
}

function listingLines(listing: SourceListing, style: TextStyle): string[] {
  const rows: string[][] = [];
  let previous: number | undefined;
  for (const line of listing.lines) {
    if (previous !== undefined && line.line > previous + 1) rows.push(['', '', '⋮', '']);
    previous = line.line;
    rows.push([
      line.self === 0 ? '' : String(line.self),
      line.total === 0 ? '' : String(line.total),
      String(line.line),
      codeText(line.text),
    ]);
  }
  return tableLines(
    [
      { head: 'self', align: 'right' },
      { head: 'total', align: 'right' },
      { head: 'line', align: 'right' },
      { head: '', shrinkTo: 20 },
    ],
    rows,
    style,
  );
}

/** The hot lines in their code, file by file, hottest file first. Says so when the text of no hot line is known. */
export function sourceText(listings: readonly SourceListing[], style: TextStyle): string {
  const paint = colors(style.color);
  if (listings.length === 0) {
    return '  No source text is known for these frames: it is kept in recordings that attach makes, not in bare profile files.\n';
  }
  const lines = listings.flatMap((listing) => [
    `  ${paint.bold(cleanText(listing.file))}`,
    ...listingLines(listing, style),
    '',
  ]);
  return `${lines.join('\n')}`;
}
