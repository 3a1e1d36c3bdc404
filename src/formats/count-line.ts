const TAB = 9;
const BLANK = 32;

function isBlank(byte: number | undefined): boolean {
  return byte === BLANK || byte === TAB;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}

/** Where the count at the end of a line begins; -1 if the line does not end in a blank and digits. Blanks may follow the count. */
export function countStart(bytes: Uint8Array, start: number, end: number): number {
  let at = end;
  while (at > start && isBlank(bytes[at - 1])) at -= 1;
  const digitsEnd = at;
  while (at > start && isDigit(bytes[at - 1])) at -= 1;
  return at < digitsEnd && at > start && isBlank(bytes[at - 1]) ? at : -1;
}

/** Where the stack ends whose count begins at `digits`. */
export function stackEnd(bytes: Uint8Array, start: number, digits: number): number {
  let at = digits - 1;
  while (at > start && isBlank(bytes[at - 1])) at -= 1;
  return at;
}

/** The count that begins at `digits`. Loses digits above 2^53: the caller checks the sum. */
export function countAt(bytes: Uint8Array, digits: number, end: number): number {
  let count = 0;
  for (let at = digits; at < end && isDigit(bytes[at]); at += 1)
    count = count * 10 + ((bytes[at] as number) - 48);
  return count;
}

/** Whether what stands before the count ends in a number too. */
export function endsInNumber(bytes: Uint8Array, start: number, end: number): boolean {
  let at = end;
  while (at > start && isDigit(bytes[at - 1])) at -= 1;
  return at < end && (at === start || isBlank(bytes[at - 1]));
}

/** Stack and count of a line, where it has a count. */
export function splitCount(text: string): { readonly stack: string; readonly count: number } | undefined {
  const trimmed = trimBlanks(text);
  let at = trimmed.length;
  while (at > 0 && isDigit(trimmed.charCodeAt(at - 1))) at -= 1;
  if (at === trimmed.length || at === 0 || !isBlank(trimmed.charCodeAt(at - 1))) return undefined;
  return { stack: trimBlanks(trimmed.slice(0, at)), count: Number(trimmed.slice(at)) };
}

function trimBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Why a line is no stack with a count; undefined if it is one. */
export function refusal(
  text: string,
): { readonly reason: string; readonly differential: boolean } | undefined {
  const split = splitCount(text);
  if (split === undefined) return { reason: withoutCount(text), differential: false };
  if (splitCount(` ${split.stack}`) === undefined) return undefined;
  return {
    reason: 'two numbers at the end: a before/after line, or a name that ends in a number',
    differential: true,
  };
}

function withoutCount(text: string): string {
  const trimmed = trimBlanks(text);
  const token = trimmed.slice(Math.max(trimmed.lastIndexOf(' '), trimmed.lastIndexOf('\t')) + 1);
  if (/^\d+$/.test(token)) return 'no stack before the count';
  if (/^-\d/.test(token)) return 'count is negative';
  if (/^\+?\d+(?:\.\d+)?e[-+]?\d+$/i.test(token)) return 'count is not written in plain digits';
  if (/^\+?[\d.,_]*\d[\d.,_]*$/.test(token)) return 'count is not a whole number';
  return 'no count at the end';
}
