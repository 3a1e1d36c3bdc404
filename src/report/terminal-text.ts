import cliTruncate from 'cli-truncate';
import stringWidth from 'string-width';

/**
 * Names from the target are hostile: control characters move the cursor, ESC starts a colour, bidi marks reverse a
 * line, zero-width characters hide. Each is shown as an escape instead, so that one name stays one piece of one line.
 */
const UNSAFE =
  // oxlint-disable-next-line no-control-regex -- finding control characters is what it is for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeOf(character: string): string {
  const short = SHORT_ESCAPES[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
}

/** Text that is safe to print on a terminal: what is invisible or dangerous becomes a visible escape (`\x1b`, `\n`, `\u202e`). */
export function cleanText(text: string): string {
  return text.replace(UNSAFE, escapeOf);
}

/** JSON text of a value: still the same data, but nothing in it can steer a terminal (C1 controls and bidi marks become `\uXXXX`). */
export function safeJson(value: unknown, indent: number): string {
  return JSON.stringify(value, undefined, indent).replace(UNSAFE, (character) =>
    // Line breaks here are the layout's own: inside strings JSON has escaped them already.
    character === '\n' ? character : jsonEscape(character),
  );
}

function jsonEscape(character: string): string {
  let text = '';
  for (let unit = 0; unit < character.length; unit += 1) {
    text += `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`;
  }
  return text;
}

/** Columns that a text takes on a terminal; wide characters count two. */
export function displayWidth(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

/** Characters a column: of a text that is longer than so many in all, nobody asks how wide it is, which takes a microsecond each. */
const LONGEST_COLUMN = 8;

/** Whether a text fits into so many columns. Not for one that is far longer, however narrow its characters are. */
export function fitsInto(text: string, columns: number): boolean {
  return text.length <= columns * LONGEST_COLUMN && displayWidth(text) <= columns;
}

/** The same of texts with something between them, which are put together only where that is worth it. */
export function joinedFitInto(texts: readonly string[], between: string, columns: number): boolean {
  let length = (texts.length - 1) * between.length;
  for (const text of texts) length += text.length;
  return length <= columns * LONGEST_COLUMN && displayWidth(texts.join(between)) <= columns;
}

/** Printable ASCII takes one column a character: asking the Unicode tables costs as much as all else that is printed. */
const PLAIN = /^[\x20-\x7e]*$/;

/** Cut in the middle to at most `columns`, because both ends of a stack or a path say something. Expects cleaned text. */
export function truncateMiddle(text: string, columns: number): string {
  if (columns <= 0) return '';
  // A name of a megabyte would be measured character by character: its ends are enough.
  const bounded = text.length > columns * LONGEST_COLUMN ? endsOf(text, columns * 4) : text;
  if (displayWidth(bounded) <= columns) return bounded;
  if (PLAIN.test(bounded)) {
    const half = Math.floor(columns / 2);
    return `${bounded.slice(0, half)}…${bounded.slice(bounded.length - (columns - half) + 1)}`;
  }
  // The library cuts where a wide character begins, which may be a column too late.
  for (let asked = columns; asked > 0; asked -= 1) {
    const cut = cliTruncate(bounded, asked, { position: 'middle' });
    if (displayWidth(cut) <= columns) return cut;
  }
  return '';
}

/** Between a frame and its caller in a stack that is written leaf first. */
export const CALLED_BY = ' < ';

/** A stack written leaf first, cut to at most `columns`: the leaf, and as many of its nearest callers as fit whole. */
export function truncateCallers(text: string, columns: number): string {
  if (fitsInto(text, columns)) return text;
  const [leaf = '', ...callers] = text.split(CALLED_BY);
  const more = `${CALLED_BY}…`;
  if (!fitsInto(leaf, columns - more.length)) {
    return truncateMiddle(leaf, columns);
  }
  let shown = leaf;
  for (const caller of callers) {
    const longer = `${shown}${CALLED_BY}${caller}`;
    if (!fitsInto(longer, columns - more.length)) break;
    shown = longer;
  }
  return `${shown}${more}`;
}

function endsOf(text: string, length: number): string {
  return `${text.slice(0, length)}…${text.slice(-length)}`.replace(UNSAFE, '');
}
