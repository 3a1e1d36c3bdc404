import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const FLAGS =
  '--ignoreConfig --noCheck --types node --target es2022 --module esnext --moduleResolution bundler'.split(
    ' ',
  );

type Classes = typeof import('./decorated-classes.js');

/** The decorated classes, compiled by TypeScript as a user's would be. */
export async function compiledClasses(): Promise<Classes> {
  const folder = mkdtempSync(join(tmpdir(), 'decorated-'));
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const tsc = spawnSync(process.execPath, [
    `${root}node_modules/typescript/bin/tsc`,
    ...FLAGS,
    '--rootDir',
    root,
    '--outDir',
    folder,
    `${root}test/telemetry/decorated-classes.ts`,
  ]);
  if (tsc.status !== 0) throw new Error(`${tsc.stdout}${tsc.stderr}`);
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}\n');
  return (await import(pathToFileURL(join(folder, 'test/telemetry/decorated-classes.js')).href)) as Classes;
}
