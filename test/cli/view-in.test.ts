import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chromeFaults } from '../formats/chrome-file.js';
import { firefoxFaults } from '../formats/firefox-file.js';
import { emptyFolder, writePacedRecording } from './recording-folder.js';
import { FIXTURES, runProfiler } from './run-profiler.js';

const TURTLE = join(FIXTURES, 'rules/turtle-idle.raw');

async function viewIn(args: readonly string[]) {
  const home = emptyFolder();
  await writePacedRecording(home, 'paced');
  const run = await runProfiler(['view', ...args], { cwd: home, env: { HOME: home, XDG_CACHE_HOME: '' } });
  return { ...run, home, folder: join(home, '.cache/sim-profiler/view') };
}

describe('view --in', () => {
  it('writes a file for the Firefox Profiler, for the user alone, and says how to open it there', async () => {
    const { code, out, err, folder } = await viewIn(['--in', 'firefox']);
    const path = join(folder, 'paced.firefox.json');
    expect([code, out]).toEqual([0, `${path}\n`]);
    expect(err).toContain('-> open https://profiler.firefox.com, press "Load a profile from file"');
    expect(err).toContain('Note: The source has no times of its samples');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const file = JSON.parse(readFileSync(path, 'utf8'));
    expect(firefoxFaults(file)).toEqual([]);
    expect(file.meta.startTime).toBe(Date.parse('2026-11-29T14:02:11.000Z'));
    expect(
      file.threads.map(({ name, pid, processName }: Record<string, string>) => [name, pid, processName]),
    ).toEqual([
      ['MainThread', '100', 'run.py'],
      ['executor', '100', 'run.py'],
    ]);
  });

  it('writes one for Perfetto, of the threads that are named, as JSON tells', async () => {
    const { out, folder } = await viewIn(['--in', 'perfetto', '--thread', 'executor', '--json']);
    const path = join(folder, 'paced.trace.json');
    expect(JSON.parse(out)).toMatchObject({
      kind: 'view',
      in: 'perfetto',
      path,
      open: 'https://ui.perfetto.dev',
    });
    const file = JSON.parse(readFileSync(path, 'utf8'));
    expect(chromeFaults(file)).toEqual([]);
    const names = file.traceEvents.filter(({ name }: { name: string }) => name === 'thread_name');
    expect(names.map(({ args }: { args: { name: string } }) => args.name)).toEqual([
      'executor',
      'executor · buckets',
    ]);
    // 500 samples at 250 Hz.
    expect(file.traceEvents.at(-1).ts).toBe(2_000_000);
  });

  it('writes where it is told to, and nowhere else', async () => {
    const { code, out, home } = await viewIn(['--in', 'perfetto', TURTLE, '-o', 'x.json']);
    expect([code, out]).toEqual([0, 'x.json\n']);
    expect(readdirSync(home).sort()).toEqual(['recordings', 'x.json']);
    const printed = await viewIn(['--in', 'perfetto', TURTLE, '-o', '-']);
    expect(printed.out).toBe(readFileSync(join(home, 'x.json'), 'utf8'));
  });

  it('writes an interval at its own times', async () => {
    const bridge = join(FIXTURES, 'cpuprofile/ws-bridge.cpuprofile');
    const { out } = await viewIn(['--in', 'perfetto', bridge, '--from', '0.5', '--to', '0.6', '-o', '-']);
    const { traceEvents } = JSON.parse(out) as { traceEvents: { ts?: number }[] };
    const times = traceEvents.flatMap(({ ts }) => ts ?? []);
    expect([Math.min(...times), Math.max(...times)]).toEqual([500_000, 600_000]);
    // For speedscope, too: it begins with what it shows first.
    const shown = await viewIn([bridge, '--from', '0.5', '--to', '0.6', '-o', '-']);
    expect(JSON.parse(shown.out).profiles[0].endValue).toBeCloseTo(0.1, 9);
  });

  it('opens one source, and serves nothing', async () => {
    const several = await viewIn(['--in', 'firefox', 'paced', TURTLE]);
    expect([several.code, several.out]).toEqual([2, '']);
    expect(several.err).toContain('The Firefox Profiler opens one file at a time.');
    expect((await viewIn(['--in', 'firefox', '--once', TURTLE])).code).toBe(2);
  });
});
