import { readFileSync, readdirSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '../src/formats/index.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ALL = ['*'];

interface Room {
  readonly imports: readonly string[];
  readonly npm: readonly string[];
  /** Node modules without their `node:` prefix; `*` is any. */
  readonly node: readonly string[];
}

/** The table of docs/architecture.md. An edge that is not in it is an error; so is a folder that is not in it. */
const ROOMS: Readonly<Record<string, Room>> = {
  model: { imports: [], npm: [], node: [] },
  formats: { imports: ['model'], npm: [], node: ['zlib', 'worker_threads'] },
  rules: { imports: ['model'], npm: ['yaml', 'valibot'], node: [] },
  simulator: { imports: ['model', 'formats'], npm: ['sql.js'], node: [] },
  stats: { imports: ['model', 'rules'], npm: [], node: [] },
  recording: { imports: ['model', 'formats'], npm: ['valibot'], node: ['fs', 'fs/promises', 'path'] },
  page: { imports: [], npm: ['d3-flame-graph', 'd3-selection'], node: [] },
  report: {
    imports: ['model', 'rules', 'stats', 'simulator', 'page'],
    npm: ['cli-table3', 'string-width', 'cli-truncate', 'picocolors'],
    node: [],
  },
  target: { imports: ['model'], npm: ['dockerode', 'execa', 'tar-stream', 'ws', 'yaml'], node: ALL },
  capture: { imports: ['model', 'target', 'recording'], npm: ['execa'], node: ALL },
  telemetry: {
    imports: [],
    npm: [],
    node: ['async_hooks', 'fs', 'module', 'perf_hooks', 'timers/promises', 'worker_threads'],
  },
  cli: { imports: ALL, npm: ['commander', 'cli-progress', 'open', 'speedscope'], node: ALL },
};

/** Folders inside a room whose files may be imported by other files of that room only through the room, never by each other. */
const SIBLINGS_APART = ['formats', 'rules/packs', 'capture/backends'];
const BUILTIN = new Set(builtinModules);

interface Import {
  readonly from: string;
  readonly to: string;
}

function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();
}

/** Static, re-exporting, side-effect and dynamic imports, and the import types of comments-free code. */
export function importsOf(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  const found = new Set<string>();
  for (const match of code.matchAll(
    /(?:^|[\s;}])(?:import|export)\s+(?:[\w*{}\s,$]+?\s+from\s+)?['"]([^'"]+)['"]/g,
  ))
    found.add(match[1]!);
  for (const match of code.matchAll(/\bimport\s*\(\s*['"]([^'"]+)['"]/g)) found.add(match[1]!);
  for (const match of code.matchAll(/\brequire(?:\.resolve)?\s*\(\s*['"]([^'"]+)['"]/g)) found.add(match[1]!);
  return [...found];
}

function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0]!;
}

/** Every rule that an import breaks, as sentences. `file` and the result of resolving are paths from the project root. */
export function violations(file: string, specifiers: readonly string[]): string[] {
  const inside = relative('src', file).split('/');
  if (inside.length === 1) {
    // src/index.ts, the public door: it may show any room but the command line.
    return specifiers
      .filter((s) => s.startsWith('./cli/'))
      .map((s) => `${file}: the public door must not import ${s}`);
  }
  const name = inside[0]!;
  const room = ROOMS[name];
  if (room === undefined) return [`${file}: folder src/${name} is not in the table`];
  const wrong: string[] = [];
  for (const specifier of specifiers) {
    if (specifier.startsWith('.')) {
      const target = join(dirname(file), specifier);
      const other = relative('src', target).split('/')[0]!;
      if (other.startsWith('..')) {
        if (!(name === 'cli' && target === 'package.json')) wrong.push(`${file}: leaves src/ (${specifier})`);
      } else if (other !== name && room.imports !== ALL && !room.imports.includes(other)) {
        wrong.push(`${file}: ${name} must not import ${other} (${specifier})`);
      } else if (other !== name && !target.endsWith('/index.js')) {
        wrong.push(`${file}: other rooms are entered through their index (${specifier})`);
      }
      continue;
    }
    const bare = specifier.replace(/^node:/, '');
    if (specifier.startsWith('node:') || BUILTIN.has(bare)) {
      if (!specifier.startsWith('node:')) wrong.push(`${file}: write node:${bare}`);
      if (room.node !== ALL && !room.node.includes(bare))
        wrong.push(`${file}: ${name} must not use node:${bare}`);
    } else if (!room.npm.includes(packageOf(specifier))) {
      wrong.push(`${file}: package ${packageOf(specifier)} does not live in ${name}`);
    }
  }
  return wrong;
}

describe('the import table', () => {
  const files = sources('src');
  const edges: Import[] = files.flatMap((file) =>
    importsOf(readFileSync(join(ROOT, file), 'utf8')).map((to) => ({ from: file, to })),
  );

  it('holds for every file of src/', () => {
    const wrong = files.flatMap((file) =>
      violations(
        file,
        edges.filter((e) => e.from === file).map((e) => e.to),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it('has no cycles between files', () => {
    const graph = new Map<string, string[]>();
    for (const { from, to } of edges) {
      if (!to.startsWith('.')) continue;
      graph.set(from, [...(graph.get(from) ?? []), join(dirname(from), to).replace(/\.js$/, '.ts')]);
    }
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      const at = path.indexOf(file);
      if (at >= 0) cycles.push([...path.slice(at), file].join(' -> '));
      if (at >= 0 || done.has(file)) return;
      for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of graph.keys()) visit(file, []);
    expect(cycles).toEqual([]);
  });

  it('keeps formats, packs and backends from importing each other', () => {
    const wrong = edges.filter(({ from, to }) => {
      const folder = SIBLINGS_APART.find((f) => dirname(from) === `src/${f}`);
      if (folder === undefined || !to.startsWith('./') || to === './index.js') return false;
      const both = [from.split('/').at(-1)!, to.slice(2).replace(/\.js$/, '.ts')];
      // Besides the formats themselves, named by their ids, `formats/` holds what several of them are read with.
      if (folder === 'formats') return both.every((file) => FORMATS.some(({ id }) => file === `${id}.ts`));
      return both[0] !== 'index.ts' && !/-(leaves|data)\.ts$/.test(both[1]!);
    });
    expect(wrong).toEqual([]);
  });

  it('uses every direct dependency of the package, pinned exactly', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
      string,
      Record<string, string>
    >;
    const used = new Set(edges.map((e) => packageOf(e.to)));
    const dependencies = Object.keys(manifest['dependencies'] ?? {});
    expect(dependencies.filter((name) => !used.has(name))).toEqual([]);
    const versions = Object.entries({ ...manifest['dependencies'], ...manifest['devDependencies'] });
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  it('finds what it is there to find', () => {
    expect(violations('src/model/x.ts', ['node:fs', '../rules/index.js', 'execa'])).toHaveLength(3);
    expect(violations('src/util/x.ts', [])).toEqual(['src/util/x.ts: folder src/util is not in the table']);
    expect(violations('src/report/x.ts', ['../stats/interval.js'])).toHaveLength(1);
    expect(violations('src/cli/x.ts', ['fs'])).toEqual(['src/cli/x.ts: write node:fs']);
    expect(violations('src/cli/x.ts', ['execa'])).toEqual([
      'src/cli/x.ts: package execa does not live in cli',
    ]);
    expect(
      importsOf(
        "import { a } from './a.js';\nexport * from 'b';\nimport 'c';\nconst d = await import('d');\n// import 'e'",
      ),
    ).toEqual(['./a.js', 'b', 'c', 'd']);
  });
});
