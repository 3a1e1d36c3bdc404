/** Decides on one text. */
export type Matcher = (text: string) => boolean;

/** Most spellings that one pattern with `{a,b}` may stand for. */
const MOST_ALTERNATIVES = 256;

/**
 * Whole-text match where `*` is any run of characters. No regular expression: patterns of users meet names of the
 * target, both of any length, and this stays linear.
 */
export function compileGlob(pattern: string): Matcher {
  const parts = pattern.split('*');
  const first = parts[0] ?? '';
  if (parts.length === 1) return (text) => text === pattern;
  const last = parts.at(-1) ?? '';
  const middle = parts.slice(1, -1);
  return (text) => {
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
      return false;
    return findInOrder(text.slice(0, text.length - last.length), middle, first.length);
  };
}

/** Like `compileGlob`, but the text may go on at both ends. */
export function compileContains(pattern: string): Matcher {
  const parts = pattern.split('*');
  return (text) => findInOrder(text, parts, 0);
}

function findInOrder(text: string, parts: readonly string[], start: number): boolean {
  let at = start;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return true;
}

/** `{a,b}/c` to `a/c` and `b/c`. Throws RangeError beyond 256 spellings. */
export function expandBraces(pattern: string): readonly string[] {
  const open = pattern.indexOf('{');
  const close = pattern.indexOf('}', open);
  if (open === -1 || close === -1) return [pattern];
  const tails = expandBraces(pattern.slice(close + 1));
  const choices = pattern.slice(open + 1, close).split(',');
  if (choices.length * tails.length > MOST_ALTERNATIVES) {
    throw new RangeError(`pattern stands for more than ${MOST_ALTERNATIVES} spellings`);
  }
  return choices.flatMap((choice) => tails.map((tail) => pattern.slice(0, open) + choice + tail));
}

/**
 * Path match from the end at a `/` border; `*` stays inside one part; a trailing `/` means any file below such a
 * folder; a leading `^` means the whole path. Works on the parts of the path, root first.
 */
export function compilePath(pattern: string): (parts: readonly string[]) => boolean {
  const choices = expandBraces(pattern).map(compileOnePath);
  const [only] = choices;
  if (choices.length === 1 && only !== undefined) return only;
  return (parts) => choices.some((matches) => matches(parts));
}

function compileOnePath(pattern: string): (parts: readonly string[]) => boolean {
  const whole = pattern.startsWith('^');
  const body = whole ? pattern.slice(1) : pattern;
  const folder = body.endsWith('/');
  const wanted = (folder ? body.slice(0, -1) : body).split('/').map(compileGlob);
  // The last part differs most often, so it is looked at first.
  const matchesAt = (parts: readonly string[], start: number): boolean => {
    for (let i = wanted.length - 1; i >= 0; i--)
      if (wanted[i]?.(parts[start + i] ?? '') !== true) return false;
    return true;
  };
  if (!folder) {
    return (parts) =>
      parts.length >= wanted.length &&
      (!whole || parts.length === wanted.length) &&
      matchesAt(parts, parts.length - wanted.length);
  }
  return (parts) => {
    const lastStart = whole ? 0 : parts.length - 1 - wanted.length;
    for (let start = 0; start <= lastStart; start++) {
      if (start + wanted.length < parts.length && matchesAt(parts, start)) return true;
    }
    return false;
  };
}
