import type { Frame, FrameKind } from '../model/index.js';

/** A location: what stands in the last parentheses of a py-spy frame. */
const NATIVE_SOURCE = /\.(?:c|cc|cpp|cxx|c\+\+|h|hh|hpp|hxx|inl|rs|go|s|S|asm|f|f90|cu|cuh|m|mm|zig)$/;
/** What Node and browsers run, in stacks that we wrote ourselves; `node:` is Node's own library. */
const JAVASCRIPT = /\.[cm]?[jt]sx?$|^node:/;
const LIBRARY = /\.(?:so|dylib|dll|exe|pyd)(?:$|[.\d-])|^(?:lib[^/]*|python[\d.]*|\[.*\])$/;
/** Names that Python itself gives; other bare names in angle brackets are a sampler's own. */
const PYTHON_BRACKETS =
  /^<(?:module|lambda|listcomp|dictcomp|setcomp|genexpr|string|stdin|annotate|generic parameters.*)>$/;
const KERNEL = /_\[k\]$/;
/** Longer names are no names: a wrong string object was read. */
const LONGEST_NAME = 512;

/**
 * Where a frame's location begins: the index of its blank and opening parenthesis, or -1 if the text does not end in a location.
 * Parentheses of C++ names and of file names balance; where they do not, the last ` (` counts.
 */
export function locationStart(text: string): number {
  if (!text.endsWith(')')) return -1;
  let depth = 0;
  for (let at = text.length - 1; at >= 1; at -= 1) {
    const code = text.charCodeAt(at);
    if (code === 41) depth += 1;
    else if (code === 40) {
      depth -= 1;
      if (depth === 0) {
        if (text.charCodeAt(at - 1) === 32) return at - 1;
        break;
      }
    }
  }
  return /:\d+\)$/.test(text) ? text.lastIndexOf(' (') : -1;
}

/** A frame with a location, `name (file:line)` or `name (library)`. */
export function locatedFrame(text: string, start: number): Frame {
  return placedFrame(text.slice(0, start), text.slice(start + 2, -1));
}

/** The same of its two parts; the location as it stands in the parentheses. */
export function placedFrame(name: string, location: string): Frame {
  const place = placeOf(name, location);
  const named = name === '' ? '<unknown>' : name;
  // A line that cannot be comes from a torn read, like a name that cannot be.
  const torn = named === '<unknown>' || /:-\d+$/.test(location) || isCorrupt(name, place.kind);
  return { name: named, ...place, ...(torn && { corrupt: true }) };
}

function placeOf(name: string, location: string): Omit<Frame, 'name'> {
  if (location === '?') return { kind: 'native' };
  const colon = location.lastIndexOf(':');
  const digits = location.slice(colon + 1);
  const hasLine = colon > 0 && /^-?\d{1,10}$/.test(digits);
  const file = hasLine ? location.slice(0, colon) : location;
  const line = hasLine && Number(digits) > 0 ? { line: Number(digits) } : {};
  if (NATIVE_SOURCE.test(file)) return { kind: 'native', file, ...line };
  if (hasLine) return { kind: JAVASCRIPT.test(file) ? 'js' : 'python', file, ...line };
  const library = LIBRARY.test(file) || (!/\.pyw?$|\.pyx$|^<.*>$/.test(file) && !PYTHON_BRACKETS.test(name));
  return library ? { kind: 'native', module: file } : { kind: 'python', file };
}

/** Python names hold no blanks or line ends, except in angle brackets: such a name is some other string of the target. */
function isCorrupt(name: string, kind: FrameKind): boolean {
  if (name.includes('\n') || name.length > LONGEST_NAME) return true;
  return kind === 'python' && /[\s;]/.test(name.replace(/<[^<>]*>/g, ''));
}

/** A frame without a location. */
export function bareFrame(text: string): Frame {
  if (KERNEL.test(text)) return { name: text.slice(0, -4) || text, kind: 'kernel' };
  const marker = (/^<.+>$/s.test(text) && !PYTHON_BRACKETS.test(text)) || /^:[A-Z]+:$/.test(text);
  if (marker) return { name: text, kind: 'marker' };
  const kind = PYTHON_BRACKETS.test(text) ? 'python' : 'unknown';
  return { name: text === '' ? '<unknown>' : text, kind, ...(text.includes('\n') && { corrupt: true }) };
}

/** Whether a text without location can be a frame of its own and nothing else: a marker, kernel code, `[unknown]`. */
export function isClosedBare(text: string): boolean {
  return /^<[^;\n]+>$|^\[[^;\n]+\]$|^:[A-Z]+:$/.test(text) || KERNEL.test(text);
}

/** A frame whose name was read as nothing: ` (file:line)`, left by a read that was torn. */
export function isNameless(text: string): boolean {
  return /^ \([^()\n]+\)$/.test(text);
}

/** The interpreter's own entry frame (`<interpreter trampoline> (<shim>:1)`): no code of anyone. */
export function isShim(text: string): boolean {
  return text.endsWith(' (<shim>:1)') || text.endsWith(' (<shim>)');
}
