import type { Finding } from '../model/index.js';

/** What is whole in a Chrome trace that does not parse. */
export interface CutTrace {
  readonly document: unknown;
  readonly finding?: Finding;
}

const HEAD = /^\uFEFF?\s*(?:\{(?:[^[\]{}]|\{[^[\]{}]*\})*?"traceEvents"\s*:\s*)?\[(?=\s*\{)/;
const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];

/**
 * The events of a trace whose program ended while it wrote: all up to the last whole one. Undefined for a text that begins like no trace,
 * or in which not one event is whole.
 */
export function cutTrace(text: string): CutTrace | undefined {
  // The list may stand behind other keys of the object, but not far.
  const head = HEAD.exec(text.slice(0, 65_536));
  if (head === null) return undefined;
  const ends = wholeEvents(text, head[0].length);
  const last = ends.at(-1);
  if (last === undefined) return undefined;
  const { events, unreadable } = parsed(text, head[0].length, ends);
  if (events.length === 0) return undefined;
  const rest = text.slice(last);
  // A bare list needs no end: programs that may be killed write it that way on purpose.
  const isBare = !head[0].includes('{');
  const document = isBare ? events : { traceEvents: events };
  if (isBare && unreadable === 0 && /^\s*,?\s*$/.test(rest)) return { document };
  const isDamaged = unreadable > 0 && /^\s*\]/.test(rest);
  return {
    document,
    finding: isDamaged ? damaged(unreadable) : cutOff(text, last, events.length, unreadable),
  };
}

/** Where each event ends; strings may hold brackets. */
function wholeEvents(text: string, start: number): readonly number[] {
  const ends: number[] = [];
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      if (at < 0) break;
    } else if (code === OPEN) depth += 1;
    else if (code === CLOSE) {
      depth -= 1;
      // Behind the list the object goes on, and ends.
      if (depth < 0) break;
      if (depth === 0) ends.push(at + 1);
    } else if (code === 0x5d && depth === 0) break;
  }
  return ends;
}

/** The place of the quote that ends a string, -1 where none does. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return -1;
}

function parsed(
  text: string,
  start: number,
  ends: readonly number[],
): { readonly events: readonly unknown[]; readonly unreadable: number } {
  const whole = value(`[${text.slice(start, ends.at(-1))}]`);
  if (Array.isArray(whole)) return { events: whole, unreadable: 0 };
  // One damaged event must not cost the others.
  const events = ends.map((end, at) => value(text.slice(ends[at - 1] ?? start, end).replace(/^\s*,/, '')));
  const readable = events.filter((event) => event !== undefined);
  return { events: readable, unreadable: events.length - readable.length };
}

function value(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function cutOff(text: string, last: number, events: number, unreadable: number): Finding {
  const lost = unreadable > 0 ? ` ${unreadable} more of them cannot be read.` : '';
  return {
    level: 'warning',
    id: 'trace-cut-off',
    what: `The trace breaks off after byte ${bytesOf(text, last)}: the ${events} whole events up to there are read.${lost}`,
    why: 'Its program ended while it wrote, or the disk was full: what came after is missing, and totals are of the part that is there.',
  };
}

function damaged(unreadable: number): Finding {
  return {
    level: 'warning',
    id: 'trace-damaged',
    what: `The trace is no valid JSON: ${unreadable} of its events cannot be read, and are left out.`,
    why: 'Python writes NaN and Infinity, which JSON does not have; a full disk leaves holes.',
  };
}

/** Bytes of UTF-8 of the first `until` units of a text. */
function bytesOf(text: string, until: number): number {
  let bytes = until;
  for (let at = 0; at < until; at += 1) {
    const code = text.charCodeAt(at);
    // A pair of surrogates is four bytes: two for each.
    if (code >= 0x80) bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}
