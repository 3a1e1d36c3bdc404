import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const USE = `
import { createTelemetry, prometheusText } from 'sim-profiler/telemetry';
import type { Span, TelemetrySnapshot } from 'sim-profiler/telemetry';
const t = createTelemetry({ capacity: 100 });
class World {
  @t.profiled()
  update(by: number): number { return by * 2; }
  @t.profiled('draw')
  async render(): Promise<string> { return 'drawn'; }
}
const held: Span = t.span('held');
held.end();
{
  using span = t.span('block');
  void span;
}
const updated: number = t.measure('step', () => new World().update(21));
const drawn: string = await t.measure('frame', () => new World().render());
const snapshot: TelemetrySnapshot = t.snapshot();
console.log(updated, drawn, prometheusText(snapshot).length > 0, snapshot.categories.map(({ name, calls }) => name + ' ' + calls).join(', '), 'report' in t);
`;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'telemetry-package-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/sim-profiler'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module", "private": true}\n');
  writeFileSync(join(folder, 'use.ts'), USE);
});

const node = (args: readonly string[]): readonly [number | null, string] => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  return [status, `${stdout}${stderr}`];
};
/** Without the types of Node, and with the declarations checked too. */
const tsc = (flags: string): readonly [number | null, string] =>
  node([
    join(ROOT, 'node_modules/typescript/bin/tsc'),
    '--ignoreConfig',
    '--strict',
    ...flags.split(' '),
    '--types',
    '',
    'use.ts',
  ]);

describe('sim-profiler/telemetry, as a program has it', () => {
  it('has types that ask for nothing else, and runs in Node', () => {
    expect(tsc('--target es2022 --lib es2022,dom --module nodenext --outDir node')).toEqual([0, '']);
    expect(node(['node/use.js'])).toEqual([
      0,
      '42 drawn true held 1, block 1, step 1, update 1, frame 1, draw 1 true\n',
    ]);
  });

  it('is without Node for a bundler that makes it for browsers', () => {
    expect(
      tsc(
        '--target es2022 --lib es2022,dom --module esnext --moduleResolution bundler --customConditions browser --outDir browser',
      ),
    ).toEqual([0, '']);
    expect(node(['--conditions=browser', 'browser/use.js'])).toEqual([
      0,
      '42 drawn true held 1, block 1, step 1, update 1, frame 1, draw 1 false\n',
    ]);
  });
});
