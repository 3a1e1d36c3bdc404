// Compiles src/ to dist/ with plain tsc, from an empty folder so that a deleted source leaves no stale output. What runs in a browser is
// one file with its libraries in it.
import { chmodSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(`${root}dist`, { recursive: true, force: true });
for (const project of [root, `${root}src/page`]) {
  const tsc = spawnSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, '-p', project], {
    stdio: 'inherit',
  });
  if (tsc.status !== 0) process.exit(tsc.status ?? 1);
}
const page = await rolldown({
  input: `${root}src/page/main.ts`,
  // The style of the library is part of ours.
  moduleTypes: { '.css': 'empty' },
});
const { output } = await page.generate({ format: 'iife', minify: true });
const libraries = librariesOf(output[0].moduleIds);
const banner = `/*! Holds ${libraries.map(({ name, version, license }) => `${name} ${version} (${license})`).join(', ')}. Their licences: dist/page/licenses.txt of sim-profiler. */`;
writeFileSync(`${root}dist/page/page.js`, `${banner}\n${output[0].code}`);
const texts = libraries.map(({ name, version, text }) => `${name} ${version}\n\n${text.trim()}\n`);
writeFileSync(`${root}dist/page/licenses.txt`, texts.join('\n'));
// Alone in a container of ours, beside a target. What it takes of other rooms is a few files; what those hold besides is left out.
const sidecar = await rolldown({
  input: `${root}src/capture/cpython-sidecar-main.ts`,
  platform: 'node',
  // Packages belong to what is left out.
  external: (id) => !/^(?:\.|\/)/.test(id),
  treeshake: { moduleSideEffects: false },
});
const script = await sidecar.generate({ format: 'esm' });
const foreign = script.output.flatMap(({ imports }) => imports).filter((id) => !id.startsWith('node:'));
if (script.output.length !== 1 || foreign.length > 0)
  throw new Error(`the sampler for containers is no file that can stand alone: ${foreign.join(', ')}`);
writeFileSync(`${root}dist/capture/cpython-sidecar-main.js`, script.output[0].code);
// What is run as it is: the machine's own Python runs the CPU follower.
for (const file of ['capture/cpu_follower.py', 'page/page.css'])
  cpSync(`${root}src/${file}`, `${root}dist/${file}`);
if (existsSync(`${root}dist/cli/bin.js`)) chmodSync(`${root}dist/cli/bin.js`, 0o755);

/** The packages that files of a bundle come from, with their licences. */
function librariesOf(files) {
  const folders = new Set(
    files.flatMap((file) => /^(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)/.exec(file)?.[1] ?? []),
  );
  return [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
    return { name, version, license, text: readFileSync(`${folder}/LICENSE`, 'utf8') };
  });
}
