import type { Frame } from '../model/index.js';
import { asText } from './json-file.js';
import { v8Frame } from './v8-frame.js';

/** Where the place of a function begins in `feed file:///app/a b.mjs:5:14`: names may hold blanks, and so may paths. */
const PLACE = / (?=node:|file:|https?:|wasm:|evalmachine|[A-Za-z]:[\\/]|\/)/;

/** What the engine was doing in a tick, from `StateTag` of V8's `vm-state.h`; checked with logs of Node 20 and 24. */
export const GC_STATE = 1;
export const ATOMICS_STATE = 7;
export const IDLE_STATE = 8;

/**
 * A piece of code as V8's own log processor writes it (`--prof-process --preprocess`), and after it 0x: `name`, `type` and `kind`.
 * Undefined for what has no name.
 */
export function codeFrame(fields: Readonly<Record<string, unknown>>): Frame | undefined {
  const name = asText(fields['name']);
  if (name === undefined || name === '') return undefined;
  const type = asText(fields['type']);
  if (type === 'SHARED_LIB') return { name: `[${lastPart(name)}]`, kind: 'native', module: name };
  if (type !== 'JS') return { name, kind: 'native' };
  return scriptFrame(name) ?? { name, kind: 'native' };
}

/** `name place:line:column`, the name empty for functions without one. Without a line it is WebAssembly. */
function scriptFrame(text: string): Frame | undefined {
  const columnAt = text.lastIndexOf(':');
  const lineAt = text.lastIndexOf(':', columnAt - 1);
  const line = Number(text.slice(lineAt + 1, columnAt));
  if (lineAt < 0 || !Number.isSafeInteger(line) || !/^\d+$/.test(text.slice(columnAt + 1))) return undefined;
  const place = text.slice(0, lineAt);
  const blank = place.search(PLACE);
  const split = blank >= 0 ? blank : place.indexOf(' ');
  return v8Frame({
    name: place.slice(0, Math.max(0, split)),
    url: place.slice(split + 1),
    line: line > 0 ? line : undefined,
  });
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
