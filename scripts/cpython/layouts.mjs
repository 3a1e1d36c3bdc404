// What src/capture/backends/cpython/layout-data.ts and object-layout-data.ts hold, made from the headers of CPython 3.8 to 3.13.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('layout.c', import.meta.url));
const OBJECTS_SOURCE = fileURLToPath(new URL('objects.c', import.meta.url));
export const FILE = fileURLToPath(
  new URL('../../src/capture/backends/cpython/layout-data.ts', import.meta.url),
);
export const OBJECTS_FILE = fileURLToPath(
  new URL('../../src/capture/backends/cpython/object-layout-data.ts', import.meta.url),
);
export const VERSIONS = ['3.8', '3.9', '3.10', '3.11', '3.12'];
/** 3.13 carries a table of its own, which leaves out what leads to the names of threads. */
export const OBJECTS_VERSIONS = [...VERSIONS, '3.13'];

/** Folders with Python.h and internal/, by `3.11`: those of pyenv, or of `PYTHON_INCLUDES` (`/a/python3.8:/b/python3.9`). */
export function includeFolders() {
  const folders = (process.env.PYTHON_INCLUDES ?? '').split(':').filter((folder) => folder !== '');
  try {
    const versions = join(execFileSync('pyenv', ['root'], { encoding: 'utf8' }).trim(), 'versions');
    for (const name of readdirSync(versions).sort()) {
      const include = join(versions, name, 'include');
      if (existsSync(include)) for (const python of readdirSync(include)) folders.push(join(include, python));
    }
  } catch {
    // No pyenv: what PYTHON_INCLUDES says.
  }
  const found = new Map();
  for (const folder of folders) {
    const version = /python(3\.\d+)$/.exec(folder)?.[1];
    if (version !== undefined && !found.has(version) && existsSync(join(folder, 'internal')))
      found.set(version, folder);
  }
  return found;
}

/** Why the data cannot be made here; undefined where it can. */
export function missing() {
  const folders = includeFolders();
  const absent = OBJECTS_VERSIONS.filter((version) => !folders.has(version));
  if (absent.length > 0) return `no headers of CPython ${absent.join(', ')}`;
  try {
    execFileSync('gcc', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'no gcc';
  }
}

function layoutOf(source, folder, work) {
  const program = join(work, 'layout');
  execFileSync('gcc', ['-O0', '-w', `-I${folder}`, source, '-o', program], { stdio: 'inherit' });
  return JSON.parse(execFileSync(program, { encoding: 'utf8' }));
}

function tableOf(versions, source) {
  const folders = includeFolders();
  const work = mkdtempSync(join(tmpdir(), 'cpython-layouts-'));
  try {
    const lines = versions.map((version) => {
      const groups = Object.entries(layoutOf(source, folders.get(version), work)).map(
        ([name, fields]) =>
          `    ${name}: {\n${Object.entries(fields)
            .map(([field, value]) => `      ${field}: ${value},\n`)
            .join('')}    },\n`,
      );
      return `  '${version}': {\n${groups.join('')}  },\n`;
    });
    return lines.join('');
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** The whole text of the generated file, in the project's format. */
export function generate() {
  return `// Made by scripts/cpython-layouts from the headers of each version, on x86-64. Not edited by hand.
import type { Layout } from './layout.js';

export const LAYOUTS: Readonly<Record<string, Layout>> = {
${tableOf(VERSIONS, SOURCE)}};
`;
}

/** The same of the file for the names of threads. */
export function generateObjects() {
  return `// Made by scripts/cpython-layouts from the headers of each version, on x86-64. Not edited by hand.
import type { ObjectLayout } from './object-layout.js';

export const OBJECT_LAYOUTS: Readonly<Record<string, ObjectLayout>> = {
${tableOf(OBJECTS_VERSIONS, OBJECTS_SOURCE)}};
`;
}
