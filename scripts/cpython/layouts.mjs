// What layout-data.ts and object-layout-data.ts of src/capture/backends/cpython/ hold, made from the headers of CPython.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TABLES = [
  {
    name: 'layout-data.ts',
    program: 'layout.c',
    versions: ['3.8', '3.9', '3.10', '3.11', '3.12'],
    type: 'Layout',
    from: './layout.js',
    constant: 'LAYOUTS',
  },
  {
    name: 'object-layout-data.ts',
    program: 'objects.c',
    versions: ['3.8', '3.9', '3.10', '3.11', '3.12', '3.13'],
    type: 'ObjectLayout',
    from: './object-layout.js',
    constant: 'OBJECT_LAYOUTS',
  },
];

function here(path) {
  return fileURLToPath(new URL(path, import.meta.url));
}

/** Folders with Python.h and internal/, by `3.11`: those of pyenv, or of `PYTHON_INCLUDES` (`/a/python3.8:/b/python3.9`). */
function includeFolders() {
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
  const versions = new Set(TABLES.flatMap((table) => table.versions));
  const absent = [...versions].filter((version) => !folders.has(version));
  if (absent.length > 0) return `no headers of CPython ${absent.join(', ')}`;
  try {
    execFileSync('gcc', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'no gcc';
  }
}

function compiled(program, folder, work) {
  const file = join(work, 'program');
  execFileSync('gcc', ['-O0', '-w', `-I${folder}`, here(program), '-o', file], { stdio: 'inherit' });
  return JSON.parse(execFileSync(file, { encoding: 'utf8' }));
}

function tableText({ program, versions, type, from, constant }, folders, work) {
  const entries = versions.map((version) => {
    const groups = Object.entries(compiled(program, folders.get(version), work)).map(
      ([name, fields]) =>
        `    ${name}: {\n${Object.entries(fields)
          .map(([field, value]) => `      ${field}: ${value},\n`)
          .join('')}    },\n`,
    );
    return `  '${version}': {\n${groups.join('')}  },\n`;
  });
  return `// Made by scripts/cpython-layouts.mjs from the headers of each version, on x86-64. Not edited by hand.
import type { ${type} } from '${from}';

export const ${constant}: Readonly<Record<string, ${type}>> = {
${entries.join('')}};
`;
}

/** The generated files: `{ path, text }`, in the project's format. */
export function generate() {
  const folders = includeFolders();
  const work = mkdtempSync(join(tmpdir(), 'cpython-layouts-'));
  try {
    return TABLES.map((table) => ({
      path: here(`../../src/capture/backends/cpython/${table.name}`),
      text: tableText(table, folders, work),
    }));
  } finally {
    rmSync(work, { recursive: true });
  }
}
