// Compiles src/ to dist/ with plain tsc, from an empty folder so that a deleted source leaves no stale output.
import { chmodSync, cpSync, existsSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(`${root}dist`, { recursive: true, force: true });
const tsc = spawnSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, '-p', root], {
  stdio: 'inherit',
});
if (tsc.status !== 0) process.exit(tsc.status ?? 1);
// What is run as it is: the machine's own Python runs the CPU follower.
for (const file of ['capture/cpu_follower.py']) cpSync(`${root}src/${file}`, `${root}dist/${file}`);
if (existsSync(`${root}dist/cli/bin.js`)) chmodSync(`${root}dist/cli/bin.js`, 0o755);
