import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from './recording-folder.js';
import { FIXTURES, runJson, runProfiler } from './run-profiler.js';

interface Row {
  readonly bucket: string;
  readonly kind?: string;
  readonly weight: number;
}

describe('a .cpuprofile', () => {
  it('is answered in recorded time, with the buckets of Node', async () => {
    const { total, rows, source } = await runJson(['hot', 'cpuprofile/pacers.cpuprofile', '--top', '3']);
    expect(source.format).toBe('cpuprofile');
    expect([total.unit, total.weight]).toEqual(['nanoseconds', 2_821_062_000]);
    expect(rows.map(({ bucket, weight }: Row) => [bucket, weight])).toEqual([
      ['idle', 1_077_331_000],
      ['gc', 910_606_000],
      ['pacer', 274_434_000],
    ]);
    const { out } = await runProfiler(['buckets', 'cpuprofile/pacers.cpuprofile']);
    expect(out).toMatch(/gc +32\.3 %/);
    expect(out).toMatch(/idle\/event-loop +38\.2 %/);
  });

  it('gives the lines of a function in seconds too', async () => {
    const { out } = await runProfiler([
      'hot',
      'cpuprofile/pipes.cpuprofile',
      '--by',
      'function',
      '--top',
      '999',
    ]);
    expect(out).toMatch(/^ +:\d+ \d\.\d{3} s {2}:\d+ \d\.\d{3} s/m);
  });

  it('is written from one, and answers the same', async () => {
    const cwd = emptyFolder();
    const from = join(FIXTURES, 'cpuprofile/ws-bridge.cpuprofile');
    const run = await runProfiler(['export', from, '--to', 'cpuprofile', '-o', 'out.cpuprofile'], { cwd });
    expect([run.code, run.err]).toEqual([0, 'Wrote 1.117 s to out.cpuprofile.\n']);
    const folded = ['--folded'];
    const again = await runProfiler(['hot', 'out.cpuprofile', ...folded], { cwd });
    expect(again.out).toBe((await runProfiler(['hot', from, ...folded], { cwd })).out);
    expect(again.out.split('\n').length).toBeGreaterThan(90);
  });

  it('is written from what py-spy wrote', async () => {
    const { out } = await runProfiler([
      'export',
      'pyspy-raw/08-native-frames.txt',
      '--to',
      'cpuprofile',
      '-o',
      '-',
    ]);
    const { nodes, samples, timeDeltas } = JSON.parse(out) as Record<string, unknown[]>;
    expect([nodes!.length > 3, samples!.length === timeDeltas!.length]).toEqual([true, true]);
  });

  it('that V8 wrote out of order is answered with a note', async () => {
    const cwd = emptyFolder();
    const call = { functionName: 'f', url: '', lineNumber: -1 };
    const file = {
      nodes: [{ id: 1, callFrame: call }],
      startTime: 0,
      endTime: 30,
      samples: [1, 1, 1],
      timeDeltas: [9, 9, -4],
    };
    writeFileSync(join(cwd, 'old.cpuprofile'), JSON.stringify(file));
    const { findings } = await runJson(['hot', 'old.cpuprofile'], { cwd });
    expect(findings[0]).toMatchObject({ level: 'note', id: 'samples-out-of-order' });
    expect((await runProfiler(['hot', 'old.cpuprofile'], { cwd })).out.replaceAll(/\s+/g, ' ')).toContain(
      '1 of 3 samples stand after one that was taken later, by up to 4 µs (negative time deltas).',
    );
  });
});

it('an output folder of 0x names the file to read', async () => {
  const cwd = emptyFolder();
  mkdirSync(join(cwd, 'my 0x'));
  copyFileSync(join(FIXTURES, '0x-ticks/pipes.json'), join(cwd, 'my 0x/ticks.json'));
  const first = await runProfiler(['hot', 'my 0x'], { cwd });
  expect([first.code, first.err.split('\n').at(-2)]).toEqual([1, "  -> profiler hot 'my 0x/ticks.json'"]);
  const log = 'isolate-0x72e3a60-30635-30635-v8.log';
  copyFileSync(join(FIXTURES, 'v8-log/atomics-loop.json'), join(cwd, `my 0x/${log}.json`));
  writeFileSync(join(cwd, `my 0x/${log}`), readFileSync(join(cwd, 'my 0x/ticks.json')));
  const second = await runProfiler(['hot', 'my 0x'], { cwd });
  expect(second.err).toContain(`profiler hot 'my 0x/${log}.json'`);
  const { total } = await runJson(['hot', `my 0x/${log}.json`], { cwd });
  expect(total.unit).toBe('nanoseconds');
});
