import type { Frame, FrameKind } from '../model/index.js';

/** Where V8 says a function is. */
export interface V8Place {
  /** Empty for functions without a name. */
  readonly name: string;
  /** `file:///a.mjs`, `/a.js`, `node:internal/timers`, a library; empty for what is built in. */
  readonly url: string;
  /** From 1; undefined where there is none. */
  readonly line: number | undefined;
}

/** What V8 calls functions that have no name, and module bodies. */
const ANONYMOUS = '(anonymous)';

/** Names that stand for a state of the thread, not for a function. */
const STATES: ReadonlySet<string> = new Set([
  '(idle)',
  '(program)',
  '(garbage collector)',
  '(Atomics.wait)',
  '(no sample)',
]);

const LIBRARY = /\.(?:so|dylib|dll|node)(?:\.[\d.]{1,40})?$|^\[[^\]]*\]$/;
const DRIVE = /^\/?[A-Za-z]:[\\/]/;

/**
 * A frame of V8. The line is where the function begins: V8 tells the executed line only as counts per function (`positionTicks`),
 * not per sample.
 */
export function v8Frame({ name, url, line }: V8Place): Frame {
  const shown = name === '' ? ANONYMOUS : name;
  if (url === '') {
    const marker = STATES.has(shown) || /^<[^<>]+>$/.test(shown);
    return { name: shown, kind: marker ? 'marker' : 'native' };
  }
  const kind = kindOf(url);
  if (kind === 'native') return { name: shown, kind, module: pathOfUrl(url) };
  return { name: shown, kind, file: pathOfUrl(url), ...(line !== undefined && { line }) };
}

function kindOf(url: string): FrameKind {
  if (LIBRARY.test(url) || url.startsWith('wasm:')) return 'native';
  return /\.pyw?$/.test(url) ? 'python' : 'js';
}

/** `file:///a%20b.mjs` to `/a b.mjs`; anything else stays. */
function pathOfUrl(url: string): string {
  if (!url.startsWith('file:///')) return url;
  const path = decoded(url.slice('file://'.length));
  return DRIVE.test(path) ? path.slice(1) : path;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The place that `v8Frame` reads as this file or library. */
export function urlOf(path: string): string {
  if (!path.startsWith('/') && !DRIVE.test(path)) return path;
  const url = `file://${path.startsWith('/') ? '' : '/'}${encoded(path)}`;
  return pathOfUrl(url) === path ? url : path;
}

/** A lone half of a surrogate pair has no encoding: such a path stays as it is. */
function encoded(path: string): string {
  try {
    return path
      .split('/')
      .map((part) => encodeURIComponent(part).replaceAll('%3A', ':').replaceAll('%5C', '\\'))
      .join('/');
  } catch {
    return path;
  }
}
