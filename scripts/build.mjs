// Compiles src/ to dist/ with plain tsc, from an empty folder so that a deleted source leaves no stale output. What runs in a browser is
// one file with its libraries in it. The old dist/ works until the new one is whole: a profiler that is installed from here may be in use.
import { chmodSync, cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const made = `${root}.dist-new`;
const replaced = `${root}.dist-old`;
const remove = (folder) => rmSync(folder, { recursive: true, force: true });
remove(made);
process.on('exit', () => remove(made));
for (const project of [root, `${root}src/page`]) {
  const compiler = `${root}node_modules/typescript/bin/tsc`;
  const tsc = spawnSync(process.execPath, [compiler, '-p', project, '--outDir', made], { stdio: 'inherit' });
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
writeFileSync(`${made}/page/page.js`, `${banner}\n${output[0].code}`);
const texts = libraries.map(({ name, version, text }) => `${name} ${version}\n\n${text.trim()}\n`);
writeFileSync(`${made}/page/licenses.txt`, texts.join('\n'));
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
writeFileSync(`${made}/capture/cpython-sidecar-main.js`, script.output[0].code);
// What is run as it is: the machine's own Python runs the CPU follower, the target's own the subscriber.
for (const file of ['capture/cpu_follower.py', 'page/page.css', 'target/clock/clock_probe.py'])
  cpSync(`${root}src/${file}`, `${made}/${file}`);
chmodSync(`${made}/cli/bin.js`, 0o755);
remove(replaced);
if (existsSync(`${root}dist`)) renameSync(`${root}dist`, replaced);
renameSync(made, `${root}dist`);
remove(replaced);

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
