import type { Frame } from '../model/index.js';
import { jitFrame } from './perf-script-jit.js';

// One line of a stack: `address symbol+0xoffset (library)`. Symbols hold blanks and parentheses, so do paths of libraries.

/** A line of a stack, read. */
export interface PerfFrame {
  readonly frame: Frame;
  /** Inlined code: perf does not say into which library, the frame that it is inlined into does. */
  readonly inlined: boolean;
  /** The line names a library or says that the frame is inlined. */
  readonly whole: boolean;
}

const ADDRESS = /^[\da-f]{1,16}(?=\s|$)/;
const OFFSET = /\+0x[\da-f]{1,16}$/;
const INLINED = ' (inlined)';
const UNKNOWN = '[unknown]';

/** @param text without the blanks before its address. */
export function parseFrame(text: string): PerfFrame | undefined {
  const address = ADDRESS.exec(text)?.[0];
  if (address === undefined) return undefined;
  const line = text.slice(address.length + 1).trimEnd();
  if (line.endsWith(INLINED)) {
    const name = symbolOf(line.slice(0, -INLINED.length));
    return { frame: { name: name ?? UNKNOWN, kind: 'native' }, inlined: true, whole: true };
  }
  const start = libraryStart(line);
  const symbol = symbolOf(start === -1 ? line : line.slice(0, start));
  if (start === -1) return { frame: bare(symbol, address), inlined: false, whole: false };
  const library = line.slice(start === 0 ? 1 : start + 2, -1);
  return { frame: frameOf(symbol, library, address), inlined: false, whole: true };
}

/** Where ` (library)` begins: after the last offset, else before the last ` (` that a path or a bracket follows. */
function libraryStart(line: string): number {
  if (!line.endsWith(')')) return -1;
  if (line.startsWith('(') && (line[1] === '/' || line[1] === '[')) return 0;
  if (line.startsWith(`${UNKNOWN} (`)) return UNKNOWN.length;
  let last = -1;
  let path = -1;
  for (let at = line.indexOf(' ('); at !== -1; at = line.indexOf(' (', at + 2)) {
    if (OFFSET.test(line.slice(Math.max(0, at - 20), at))) return laterOffset(line, at);
    if (line[at + 2] === '/' || line[at + 2] === '[') path = at;
    last = at;
  }
  return path === -1 ? last : path;
}

function laterOffset(line: string, first: number): number {
  let start = first;
  for (let at = line.indexOf(' (', first + 2); at !== -1; at = line.indexOf(' (', at + 2)) {
    if (OFFSET.test(line.slice(Math.max(0, at - 20), at))) start = at;
  }
  return start;
}

/** Only the last `+0x…` is an offset: `operator+` has a plus of its own. Undefined where perf knew no symbol. */
function symbolOf(text: string): string | undefined {
  const name = text.trim();
  const tail = name.slice(-20);
  const symbol = name.slice(0, name.length - (OFFSET.exec(tail)?.[0].length ?? 0));
  return symbol === '' || symbol === UNKNOWN ? undefined : symbol;
}

/** Addresses of the upper half are the kernel's. */
function isKernelAddress(address: string): boolean {
  return address.length === 16 && address.startsWith('ffff');
}

function bare(symbol: string | undefined, address: string): Frame {
  if (symbol === undefined) return { name: UNKNOWN, kind: 'unknown' };
  if (isKernelAddress(address)) return { name: symbol, kind: 'kernel' };
  return jitFrame(symbol, true) ?? { name: symbol, kind: 'native' };
}

function frameOf(symbol: string | undefined, library: string, address: string): Frame {
  if (library === UNKNOWN) {
    return symbol === undefined ? { name: UNKNOWN, kind: 'unknown' } : bare(symbol, address);
  }
  if (isKernel(library, address)) {
    const inner = library.startsWith('[') ? library : `[${baseName(library)}]`;
    return { name: symbol ?? inner, kind: 'kernel' };
  }
  if (isJit(library)) {
    if (symbol === undefined) return { name: JIT, kind: 'native', module: JIT };
    return jitFrame(symbol, false) ?? { name: symbol, kind: 'native', module: JIT };
  }
  const module = moduleOf(library);
  const inner = module.startsWith('[') ? module : `[${baseName(module)}]`;
  return { name: symbol ?? inner, kind: 'native', module };
}

function isKernel(library: string, address: string): boolean {
  if (/^\[(?:guest\.)?kernel[.\]]/.test(library) || /(?:^|\/)vmlinux[^/]*$/.test(library)) return true;
  if (/\.ko(?:\.(?:xz|gz|zst))?$/.test(library)) return true;
  return library.startsWith('[') && library !== '[vsyscall]' && isKernelAddress(address);
}

/** Where code made at run time is said to live; the number in `perf-PID.map` would make a library of each process. */
const JIT = '[JIT]';

function isJit(library: string): boolean {
  return (
    library.startsWith('[JIT') ||
    library === '//anon' ||
    /(?:^|\/)(?:perf-\d{1,10}\.map|jitted-\d{1,10}-\d{1,10}\.so)$/.test(library)
  );
}

const PACKAGES = /\/(?:site|dist)-packages\//;

/** A library cut at its Python package, as samplers of Python do, else its bare name. */
function moduleOf(library: string): string {
  const path = library.endsWith(' (deleted)') ? library.slice(0, -' (deleted)'.length) : library;
  if (path.startsWith('[')) return path;
  const package_ = PACKAGES.exec(path);
  return package_ === null ? baseName(path) : path.slice(package_.index + package_[0].length) || path;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1) || path;
}

/** Source line that perf prints below a frame (`-F +srcline`): `file.c:12`. Undefined where it is not known. */
export function parseSourceLine(text: string): Required<Pick<Frame, 'file' | 'line'>> | undefined {
  const place = text.trim().replace(/ \(discriminator \d{1,9}\)$/, '');
  const colon = place.lastIndexOf(':');
  const digits = place.slice(colon + 1);
  const file = place.slice(0, Math.max(colon, 0));
  if (file === '' || file === '??' || !/^\d{1,9}$/.test(digits) || Number(digits) === 0) return undefined;
  return { file, line: Number(digits) };
}

/** Whether a text has the form of such a line, known or not: perf prints `library[address]` where it found no source. */
export function isSourceLine(text: string): boolean {
  return /(?::\d{1,9}(?: \(discriminator \d{1,9}\))?|\[[\da-f]{1,16}\])$/.test(text.trimEnd().slice(-60));
}
