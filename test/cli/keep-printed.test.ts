import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keepPrinted, mustBeLog, namedLog } from '../../src/cli/keep-printed.js';
import type { Io } from '../../src/cli/io.js';
import { readManifest } from '../../src/recording/index.js';
import { emptyFolder, writePacedRecording } from './recording-folder.js';

const HOOKS = 'per-plugin hook timing (avg \u00B5s/call):\n  Lidar post_step 300.00 \u00B5s\n';
const ioIn = (cwd: string): Io => ({ cwd }) as Io;

describe('what a program printed', () => {
  it('is kept in its recording, with the rest of that as it was', async () => {
    const cwd = emptyFolder();
    const folder = await writePacedRecording(cwd, 'paced');
    const before = await readManifest(folder);
    writeFileSync(join(cwd, 'sim.log'), `starting\n${HOOKS}`);
    expect(await keepPrinted(folder, [namedLog(ioIn(cwd), 'sim.log')])).toEqual([]);
    expect(await readManifest(folder)).toEqual({
      ...before,
      printed: [{ source: 'sim.log', fromByte: 0, toByte: 77, text: `starting\n${HOOKS}` }],
    });
  });

  it('changes nothing where it holds no table, which is said of a log that was named', async () => {
    const cwd = emptyFolder();
    const folder = await writePacedRecording(cwd, 'paced');
    const before = await readManifest(folder);
    writeFileSync(join(cwd, 'sim.log'), 'starting\n');
    const findings = await keepPrinted(folder, [
      namedLog(ioIn(cwd), 'sim.log'),
      { source: 'standard error', parts: () => [] },
    ]);
    expect(findings.map(({ level, id, fix }) => [level, id, fix])).toEqual([
      ['note', 'log-without-tables', 'profiler tables sim.log'],
    ]);
    expect(await readManifest(folder)).toEqual(before);
  });

  it('takes nothing away where its log is gone', async () => {
    const cwd = emptyFolder();
    const folder = await writePacedRecording(cwd, 'paced');
    const findings = await keepPrinted(folder, [namedLog(ioIn(cwd), 'gone.log')]);
    expect(findings.map(({ level, what }) => [level, what])).toEqual([
      ['warning', 'The log gone.log could not be read (ENOENT).'],
    ]);
  });
});

it('a log that is no file is told before anything is sampled', async () => {
  const cwd = emptyFolder();
  mkdirSync(join(cwd, 'folder'));
  writeFileSync(join(cwd, 'sim.log'), '');
  await expect(mustBeLog(ioIn(cwd), 'sim.log')).resolves.toBeUndefined();
  await expect(mustBeLog(ioIn(cwd), 'folder')).rejects.toThrow(
    'The log folder could not be read (it is no ordinary file).',
  );
  await expect(mustBeLog(ioIn(cwd), 'gone.log')).rejects.toThrow(
    'The log gone.log could not be read (ENOENT).',
  );
});
