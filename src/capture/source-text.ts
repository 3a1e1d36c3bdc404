import { readlinkSync } from 'node:fs';
import { posix } from 'node:path';
import type { SourceFile } from '../recording/index.js';
import { readCommand } from '../target/index.js';
import { mayPass, mayRead, type ReadRights, readRights } from './read-rights.js';
import { existsInside, type Gate, readInside } from './target-root.js';

const MOST_FILES = 200;
const MOST_BYTES = 4 * 1024 * 1024;
const LINES_AROUND = 3;
const LONGEST_LINE = 500;
const NOT_PYTHON = /\.(?:c|cc|cpp|cxx|h|hpp|rs|S|so(?:\.[\d.]+)?)$/;

const PYTHON_NAME = /\.pyw?$/;

/** Hot lines by the path that the sampler printed. */
export type HotLines = ReadonlyMap<string, ReadonlySet<number>>;

/** Finds `name (path:line)` in folded stacks. Good enough to know which lines to read; the reader of the format knows better. */
export function hotLines(raw: string): HotLines {
  const found = new Map<string, Set<number>>();
  for (const stack of raw.split('\n')) {
    let from = 0;
    for (const end of stack.matchAll(/:(\d+)\)(?=;| \d+$)/g)) {
      const frame = stack.slice(from, end.index);
      from = end.index + end[0].length + 1;
      const absolute = frame.indexOf(' (/');
      const open = absolute >= 0 ? absolute : frame.lastIndexOf(' (');
      const path = frame.slice(open + 2);
      if (open < 0 || path === '' || path.startsWith('<') || NOT_PYTHON.test(path) || path.includes('\0'))
        continue;
      const lines = found.get(path) ?? new Set();
      found.set(path, lines.add(Number(end[1])));
    }
  }
  return found;
}

function workingFolder(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '/';
  }
}

/** The script that Python was started with, which may have any name; the target itself says so, so this proves nothing. */
function mainScript(pid: number, cwd: string): string | undefined {
  const script = readCommand(pid)
    .slice(1)
    .find((argument) => !argument.startsWith('-'));
  return script === undefined ? undefined : posix.resolve(cwd, script);
}

/**
 * The target decides which paths the sampler prints, and we may be allowed to read more than it is: only what its own ids may read is
 * kept, and only Python source. Root may read everything, so for root the name alone decides, and it is the file's own, not a link's.
 */
function gateFor(rights: ReadRights, isMain: boolean): Gate {
  return {
    folder: (facts) => mayPass(rights, facts),
    file: (facts, name) => mayRead(rights, facts) && (PYTHON_NAME.test(name) || (isMain && rights.uid !== 0)),
  };
}

/** Below the folder that packages are installed in: `newton/_src/sim/model.py`. A package in it may lack its `__init__.py`, wholly or in the middle. */
function installedPath(path: string): string | undefined {
  return /^.*\/(?:site|dist)-packages\/(?![^/]*\.egg\/)(.+)$/.exec(path)?.[1];
}

/** Path cut at its outermost package: where packages are installed, or every folder above that has an `__init__.py` stays. */
function cutAtPackage(root: string, path: string): string {
  const installed = installedPath(path);
  if (installed !== undefined) return installed;
  let top = posix.dirname(path);
  while (top !== '/' && top !== '.' && existsInside(root, `${top}/__init__.py`)) top = posix.dirname(top);
  return posix.relative(top, path);
}

function linesAround(text: string, hot: ReadonlySet<number>): Record<string, string> {
  const lines = text.split('\n');
  const kept: Record<string, string> = {};
  for (const line of hot) {
    for (let near = Math.max(1, line - LINES_AROUND); near <= line + LINES_AROUND; near += 1) {
      const content = lines[near - 1];
      if (content !== undefined) kept[near] = content.replace(/\r$/, '').slice(0, LONGEST_LINE);
    }
  }
  return kept;
}

/** Reads the hot lines through the target's own root and by its own rights while it lives. Keeps what `known` has; a file is cut at its package once. */
export function readSources(
  pid: number,
  hot: HotLines,
  known: Readonly<Record<string, SourceFile>>,
): Readonly<Record<string, SourceFile>> {
  const root = `/proc/${pid}/root`;
  const cwd = workingFolder(pid);
  const rights = readRights(pid);
  if (rights === undefined) return known;
  const main = mainScript(pid, cwd);
  const sources: Record<string, SourceFile> = { ...known };
  for (const [printed, lines] of hot) {
    const before = sources[printed];
    if (before === undefined && Object.keys(sources).length >= MOST_FILES) continue;
    if (before !== undefined && [...lines].every((line) => before.lines[line] !== undefined)) continue;
    const path = posix.resolve(cwd, printed);
    const text = readInside(root, path, MOST_BYTES, gateFor(rights, path === main));
    if (text === undefined) continue;
    const short = before?.short ?? cutAtPackage(root, path);
    sources[printed] = { short, lines: { ...before?.lines, ...linesAround(text, lines) } };
  }
  return sources;
}

/** The same from where only the route leads. Files that cannot be had are left out. Each folder is asked once whether it is a package. */
export async function fetchSources(
  fetch: (path: string) => Promise<Uint8Array | undefined>,
  hot: HotLines,
  known: Readonly<Record<string, SourceFile>>,
): Promise<Readonly<Record<string, SourceFile>>> {
  const isPackage = new Map<string, boolean>();
  const get = (path: string): Promise<Uint8Array | undefined> => fetch(path).catch(() => undefined);
  const topOf = async (path: string): Promise<string> => {
    let top = posix.dirname(path);
    while (top !== '/' && top !== '.') {
      if (!isPackage.has(top)) isPackage.set(top, (await get(`${top}/__init__.py`)) !== undefined);
      if (isPackage.get(top) !== true) break;
      top = posix.dirname(top);
    }
    return top;
  };
  const sources: Record<string, SourceFile> = { ...known };
  for (const [path, lines] of hot) {
    const before = sources[path];
    if (before === undefined && Object.keys(sources).length >= MOST_FILES) continue;
    if (before !== undefined && [...lines].every((line) => before.lines[line] !== undefined)) continue;
    // Its working folder is not known from here.
    if (!posix.isAbsolute(path) || !PYTHON_NAME.test(path)) continue;
    const content = await get(path);
    if (content === undefined) continue;
    const text = Buffer.from(content).toString('utf8');
    const short = before?.short ?? installedPath(path) ?? posix.relative(await topOf(path), path);
    sources[path] = { short, lines: { ...before?.lines, ...linesAround(text, lines) } };
  }
  return sources;
}
