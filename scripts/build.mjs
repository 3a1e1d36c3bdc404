// Compiles src/ to dist/ with plain tsc, from an empty folder so that a deleted source leaves no stale output. What runs in a browser is
// one file with its libraries in it.
import { chmodSync, cpSync, existsSync, rmSync } from 'node:fs';
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
await page.write({ file: `${root}dist/page/page.js`, format: 'iife', minify: true });
// What is run as it is: the machine's own Python runs the CPU follower.
for (const file of ['capture/cpu_follower.py', 'page/page.css'])
  cpSync(`${root}src/${file}`, `${root}dist/${file}`);
if (existsSync(`${root}dist/cli/bin.js`)) chmodSync(`${root}dist/cli/bin.js`, 0o755);
