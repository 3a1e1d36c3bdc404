import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findNsys } from '../../src/target/tools/find-nsys.js';

const STAND_IN = fileURLToPath(new URL('../targets/nsys-stand-in.mjs', import.meta.url));

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'find-nsys-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function install(...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(STAND_IN, join(folder, path));
  }
}

/** The stand-in needs the node that runs this. */
const env = { PATH: dirname(process.execPath) };
const places = (): readonly string[] => [
  join(folder, 'opt'),
  join(folder, 'opt-cli'),
  join(folder, 'usr/local'),
];

it('finds the newest release of those that its packages put into folders of their own', async () => {
  install('opt/2024.1.1/bin/nsys', 'opt/2024.10.2/target-linux-x64/nsys', 'usr/local/cuda-12.4/bin/nsys');
  mkdirSync(join(folder, 'opt/2025.1.1'));
  expect(await findNsys(env, places())).toEqual({
    path: join(folder, 'opt/2024.10.2/target-linux-x64/nsys'),
    versionText: 'NVIDIA Nsight Systems version 2024.1.1.59-241133802077v0',
  });
});

it('finds the one of a CUDA toolkit, and nothing else that lies beside it', async () => {
  install('usr/local/other/bin/nsys', 'usr/local/cuda-12.4/bin/nsys');
  expect(await findNsys(env, places())).toMatchObject({ path: join(folder, 'usr/local/cuda-12.4/bin/nsys') });
});

it('takes the one in PATH before any of them, and the one that is named before all', async () => {
  install('bin/nsys', 'opt/2024.1.1/bin/nsys', 'named');
  const PATH = `${join(folder, 'bin')}:${env.PATH}`;
  expect(await findNsys({ PATH }, places())).toMatchObject({ path: join(folder, 'bin/nsys') });
  const named = join(folder, 'named');
  expect(await findNsys({ PATH, PROFILER_NSYS: named }, places())).toMatchObject({ path: named });
});

it.each([
  [{}, 'nsys-missing'],
  [{ PROFILER_NSYS: '/no/such/nsys' }, 'nsys-broken'],
])('with %j it is %s', async (named, id) => {
  await expect(findNsys({ ...env, ...named }, places())).rejects.toMatchObject({ finding: { id } });
});
