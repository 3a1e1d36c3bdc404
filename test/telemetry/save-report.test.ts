import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readTables } from '../../src/simulator/index.js';
import { itWhere } from '../only-where.js';
import { byHand } from './hand-clock.js';

const PROGRAM = fileURLToPath(new URL('../targets/telemetry_exit.mjs', import.meta.url));
const CAN_MOUNT =
  (await execa('unshare', ['-m', 'mount', '-t', 'tmpfs', 'x', tmpdir()], { reject: false })).exitCode === 0;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'telemetry-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = (file: string): Record<string, { readonly Calls: number }> =>
  JSON.parse(readFileSync(file, 'utf8')) as Record<string, { readonly Calls: number }>;

describe('saveReport', () => {
  it('writes the file and says so', () => {
    const { t } = byHand();
    t.record('x', 1);
    const file = join(folder, 'profiling_results.json');
    expect(t.saveReport(file)).toEqual({
      isSaved: true,
      line: `[TELEMETRY] Report successfully saved to ${file}`,
    });
    expect(readFileSync(file, 'utf8')).toBe(t.pyriteReport());
    expect(readdirSync(folder)).toEqual(['profiling_results.json']);
  });

  it('replaces an old file with the same rights, also behind a link, and leaves no part', () => {
    const { t } = byHand();
    writeFileSync(join(folder, 'old'), 'old');
    chmodSync(join(folder, 'old'), 0o640);
    symlinkSync('old', join(folder, 'link'));
    expect(t.saveReport(join(folder, 'link')).isSaved).toBe(true);
    expect(readdirSync(folder)).toEqual(['link', 'old']);
    expect(readFileSync(join(folder, 'old'), 'utf8')).toBe('{}');
    expect(statSync(join(folder, 'old')).mode & 0o777).toBe(0o640);
  });

  it('that cannot write says why in one line, which `profiler tables` reads, and throws nothing', () => {
    const { t } = byHand();
    const missing = join(folder, 'missing', 'report.json');
    const { isSaved, line } = t.saveReport(missing);
    expect(isSaved).toBe(false);
    expect(line).toMatch(
      /^\[TELEMETRY\] ERROR: Failed to write report file: ENOENT: no such file or directory, /,
    );
    expect(line).not.toContain('\n');
    expect(readTables(`start\n${line}\n`)[0]?.findings.map(({ id }) => id)).toEqual(['report-not-written']);
    expect(t.saveReport(folder)).toMatchObject({ isSaved: false });
    expect(t.saveReport(undefined as never)).toMatchObject({ isSaved: false });
    expect(readdirSync(folder)).toEqual([]);
  });

  itWhere(CAN_MOUNT, 'needs root and a mount namespace')(
    'on a full disk keeps the old file, leaves no part, and says so',
    async () => {
      const script =
        'mount -t tmpfs -o size=8k x "$1" && cd "$1" && echo old > f && head -c 4096 /dev/zero > filler; "$2" "$3" f return; echo "code $?"; ls; cat f';
      const run = await execa(
        'unshare',
        ['-m', 'sh', '-c', script, 'sh', folder, process.execPath, PROGRAM],
        {
          reject: false,
        },
      );
      expect(run.stdout).toBe('code 0\nf\nfiller\nold');
      expect(run.stderr).toBe(
        '[TELEMETRY] ERROR: Failed to write report file: ENOSPC: no space left on device, write',
      );
    },
  );
});

const run = (how: string) =>
  execa(process.execPath, [PROGRAM, join(folder, 'report.json'), how], { reject: false });

describe('saveOnExit', () => {
  it('writes the report when the program ends', async () => {
    expect(await run('return')).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    expect(read(join(folder, 'report.json'))).toEqual({
      Chunk_BuildMesh: {
        Calls: 2,
        Avg_ms: 200.235,
        Min_ms: 100.123,
        Max_ms: 300.346,
        P99_ms: 298.343,
        Total_Time_ms: 400.469,
      },
    });
  });

  it('loses nothing but the span that process.exit was called in', async () => {
    expect(await run('exit')).toMatchObject({ exitCode: 5, stdout: '', stderr: '' });
    expect(Object.keys(read(join(folder, 'report.json')))).toEqual(['Chunk_BuildMesh']);
  });

  it('writes it after an exception that nobody caught, which is what it was', async () => {
    const { exitCode, stderr } = await run('exception');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('Error: mine\n    at ');
    const report = read(join(folder, 'report.json'));
    expect(Object.entries(report).map(([name, { Calls }]) => [name, Calls])).toEqual([
      ['Chunk_BuildMesh', 2],
      ['Pyrite_Run', 1],
    ]);
  });

  it('has frames, also with an await in them', async () => {
    expect((await run('frames')).exitCode).toBe(0);
    expect(Object.keys(read(join(folder, 'report.json')))).toEqual([
      'Chunk_BuildMesh',
      'Frame_Total',
      'Pyrite_Update',
    ]);
  });
});
