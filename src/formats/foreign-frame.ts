import type { Frame, Thread } from '../model/index.js';
import type { Grammar, ParsedStack, Piece } from './grammar-line.js';

// Folded text of other tools. perf (stackcollapse-perf.pl, inferno-collapse-perf): `comm[-pid/tid];root;..;leaf`, kernel, jitted and
// inlined frames marked `_[k]`, `_[j]`, `_[i]`. Tachyon (CPython's profiling.sampling --collapsed): `tid:N;file:function:line`.
// Austin: `P<pid>;T<iid>:<tid>;file:function:line`, in microseconds. flamegraph.pl: names only.

const PERF_THREAD = /^(.*?)-(\d+|\?)\/(\d+)$/s;
const PLACE = /^(.+):([^:]+):(-?\d{1,9})$/s;
const TACHYON_ROOT = /^tid:(\d+)$/;
const AUSTIN_PROCESS = /^P(\d+)$/;
const AUSTIN_THREAD = /^T(?:\d+:)?(0x[\da-fA-F]+|\d+)$/;

/** Names only, as flamegraph.pl takes them. */
export const PLAIN_GRAMMAR: Grammar = grammar('never', () => undefined, plainFrame);

/** perf, folded: the first piece is the thread's comm. */
export const PERF_GRAMMAR: Grammar = {
  ...grammar('always', () => undefined, perfFrame),
  root: (_outer, text) => {
    const match = PERF_THREAD.exec(text);
    if (match === null) return { name: text };
    const pid = Number(match[2]);
    return { name: match[1] ?? text, tid: Number(match[3]), ...(Number.isSafeInteger(pid) && { pid }) };
  },
};

/** Tachyon and Austin: a place is `file:function:line`, roots name process and thread. */
export const PLACE_GRAMMAR: Grammar = grammar('never', placeRoot, placeFrame);

function grammar(
  first: Grammar['first'],
  rootOf: (text: string) => Thread | undefined,
  frameOf: (text: string) => Frame,
): Grammar {
  return {
    first,
    continues: false,
    piece: (text): Piece => {
      if (text === '') return { role: 'hidden' };
      return rootOf(text) === undefined ? { role: 'frame', frame: frameOf(text) } : { role: 'root' };
    },
    root: (outer, text) => ({ ...outer, ...rootOf(text) }),
    stack: (text): ParsedStack => {
      const pieces = text.split(';').filter((piece) => piece !== '');
      let thread: Thread | undefined;
      let roots = 0;
      for (const piece of pieces) {
        const root = rootOf(piece);
        if (root === undefined) break;
        thread = { ...thread, ...root };
        roots += 1;
      }
      return { thread, frames: pieces.slice(roots).map(frameOf), leaf: 'closed' };
    },
  };
}

function plainFrame(text: string): Frame {
  if (isMarker(text)) return { name: text, kind: 'marker' };
  if (/^\[.+\]$/.test(text)) return bracketed(text);
  if (text.endsWith('_[k]') && text.length > 4) return { name: text.slice(0, -4), kind: 'kernel' };
  return { name: text, kind: 'unknown' };
}

function perfFrame(text: string): Frame {
  const suffix = /_\[([kji])\]$/.exec(text)?.[1];
  const name = suffix === undefined ? text : text.slice(0, -4);
  if (name === '') return { name: text, kind: 'native' };
  if (suffix === 'k') return { name, kind: 'kernel' };
  // CPython's perf trampolines: `py::function:/path/file.py`.
  const python = /^py::([^:]+):(.+)$/s.exec(name);
  if (python !== null) return { name: python[1] ?? name, kind: 'python', file: python[2] ?? '' };
  if (/^\[.+\]$/.test(name)) return bracketed(name);
  if (isMarker(name)) return { name, kind: 'marker' };
  return { name, kind: suffix === 'j' ? 'js' : 'native' };
}

/** `[libc.so.6]` is code of a library without symbols, `[unknown]` is nothing at all. */
function bracketed(text: string): Frame {
  const inner = text.slice(1, -1);
  return /\.so|\.dll|\.dylib/.test(inner)
    ? { name: text, kind: 'native', module: inner }
    : { name: text, kind: 'unknown' };
}

function placeFrame(text: string): Frame {
  if (isMarker(text)) return { name: text, kind: 'marker' };
  const match = PLACE.exec(text);
  if (match === null) return { name: text, kind: 'unknown' };
  const [, file = '', name = '', digits = '0'] = match;
  const line = Number(digits);
  return { name, kind: 'python', file, ...(line > 0 && { line }) };
}

function placeRoot(text: string): Thread | undefined {
  const tachyon = TACHYON_ROOT.exec(text);
  if (tachyon !== null) return withNumber('tid', tachyon[1], text);
  const process = AUSTIN_PROCESS.exec(text);
  if (process !== null) return withNumber('pid', process[1], text);
  const thread = AUSTIN_THREAD.exec(text);
  return thread === null ? undefined : withNumber('tid', thread[1], text);
}

function withNumber(field: 'tid' | 'pid', digits: string | undefined, text: string): Thread {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? { [field]: value } : { name: text };
}

function isMarker(text: string): boolean {
  return /^<(?!module>|lambda>|listcomp>|genexpr>)[^<>;:]+>$|^:[A-Z]+:$/.test(text);
}
