import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyFolder, writePacedRecording } from './recording-folder.js';
import { runJson, runProfiler } from './run-profiler.js';

const HOT = 'main (a.py:1);step (a.py:2) 7\nmain (a.py:1) 3\n';

describe('profiler report', () => {
  it('writes the page of the newest recording into its folder', async () => {
    const cwd = emptyFolder();
    await writePacedRecording(cwd, 'paced');
    expect(await runProfiler(['report'], { cwd })).toEqual({
      code: 0,
      out: '',
      err: expect.stringMatching(
        /^Wrote recordings\/paced\/report\.html \(\d+ kB\): open it in any browser\.\n$/,
      ),
    });
    const page = readFileSync(join(cwd, 'recordings/paced/report.html'), 'utf8');
    expect(page).toMatch(/^<!doctype html>/);
    expect([...page.matchAll(/<h2[^>]*>([^<]*)/g)].map((match) => match[1])).toEqual([
      'Where the time of MainThread goes',
      'Threads over time',
      'Flame graph of MainThread',
      'Hottest stacks',
      'How far to trust it',
      'How it was recorded',
    ]);
    // A recording with a page in it is still a recording.
    expect(await runProfiler(['report'], { cwd })).toMatchObject({ code: 0 });
  });

  it('draws the thread whole: its stacks by their worth, and the waits that only the kernel knows', async () => {
    const cwd = emptyFolder();
    await writePacedRecording(cwd, 'paced');
    const { out } = await runProfiler(['report', 'paced', '-o', '-'], { cwd });
    const data = JSON.parse(/id="flame-data">(.*?)<\/script>/s.exec(out)?.[1] ?? '') as {
      readonly names: string[];
      readonly nodes: number[];
      readonly buckets: string[];
      readonly seconds: number;
    };
    const rows = Array.from({ length: data.nodes.length / 4 }, (_, at) => {
      const [parent, name, weight, bucket] = data.nodes.slice(at * 4, at * 4 + 4) as [
        number,
        number,
        number,
        number,
      ];
      return [parent, data.names[name], (weight / 1e9).toFixed(3), data.buckets[bucket]];
    });
    const { threads } = await runJson(['buckets', 'paced'], { cwd });
    const share = (id: string): string =>
      threads[0].buckets.find((bucket: { readonly id: string }) => bucket.id === id).share.toFixed(3);
    expect(data.seconds).toBe(2);
    expect(rows[0]).toEqual([-1, 'MainThread', '1.000', undefined]);
    expect(rows.find(([, name]) => name === 'step (roqsim/engine.py)')?.slice(2)).toEqual([
      share('physics'),
      'physics',
    ]);
    expect(rows.find(([, name]) => name === 'wait (roqsim/clock.py)')?.slice(2)).toEqual([
      share('pacer'),
      'pacer',
    ]);
    expect(rows.find(([, name]) => name === 'waiting for a CPU')).toEqual([
      0,
      'waiting for a CPU',
      share('cpu-wait'),
      'cpu-wait',
    ]);
  });

  it('prints a summary in Markdown, or writes it', async () => {
    const cwd = emptyFolder();
    await writePacedRecording(cwd, 'paced');
    const printed = await runProfiler(['report', '--md'], { cwd });
    expect(printed).toMatchObject({ code: 0, err: '' });
    expect(printed.out).toMatch(/^\*\*The physics thread \(MainThread\) is busy 40\.0 % of the time\./);
    expect(printed.out).toContain('| physics | 38.8 % | 37.1–40.4 | 100 % | 39.7× |');
    const written = await runProfiler(['report', '--md', '-o', 'a.md'], { cwd });
    expect(written.err).toMatch(/^Wrote a\.md \(\d+ kB\)\.\n$/);
    expect(readFileSync(join(cwd, 'a.md'), 'utf8')).toBe(printed.out);
  });

  it('needs a name for the page of a bare file, and makes it from standard input too', async () => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, 'x.folded'), HOT);
    const refused = await runProfiler(['report', 'x.folded'], { cwd });
    expect(refused).toEqual({
      code: 2,
      out: '',
      err:
        'profiler: A file to write the report to is missing.\n' +
        '  Only the report of a recording has a place of its own, in its folder.\n' +
        '  -> profiler report SOURCE -o report.html\n',
    });
    expect(await runProfiler(['report', '-', '-o', 'y.html'], { cwd, input: HOT })).toMatchObject({
      code: 0,
    });
    const page = readFileSync(join(cwd, 'y.html'), 'utf8');
    expect(page).toContain('<h1>standard input</h1>');
    expect(page).not.toContain('Threads over time');
  });

  it.each([
    ['--md', '--json'],
    ['-o', '-', '--json'],
  ])('puts one thing on standard output: not %s %s %s', async (...flags) => {
    const cwd = emptyFolder();
    await writePacedRecording(cwd, 'paced');
    const { code, err } = await runProfiler(['report', ...flags], { cwd });
    expect([code, err.split('\n')[0]]).toEqual([
      2,
      "profiler: Option '--json' cannot be used where the file itself goes to standard output.",
    ]);
  });

  it('says as JSON what was written', async () => {
    const cwd = emptyFolder();
    await writePacedRecording(cwd, 'paced');
    expect(await runJson(['report', '-o', 'a.html'], { cwd })).toEqual({
      schema: 'sim-profiler/v1',
      kind: 'report',
      source: { path: 'recordings/paced', format: 'recording' },
      output: 'a.html',
      bytes: readFileSync(join(cwd, 'a.html')).length,
      lost: { samples: 0, lines: 0, examples: [] },
      findings: expect.any(Array),
    });
  });

  it('says why a page cannot be written, and leaves what was there', async () => {
    const cwd = emptyFolder();
    await writePacedRecording(cwd, 'paced');
    const { code, err } = await runProfiler(['report', '-o', 'missing/a.html'], { cwd });
    expect([code, err]).toEqual([
      1,
      'profiler: missing/a.html could not be written (ENOENT).\n' +
        '  Its folder may be missing, or not yours to write to.\n' +
        '  -> profiler report -o - > FILE\n',
    ]);
    expect(existsSync(join(cwd, 'missing'))).toBe(false);
  });

  it('leaves an interrupted page of another run alone', async () => {
    const cwd = emptyFolder();
    await writePacedRecording(cwd, 'paced');
    writeFileSync(join(cwd, 'a.html.part'), 'half');
    chmodSync(join(cwd, 'a.html.part'), 0o400);
    const { code, err } = await runProfiler(['report', '-o', 'a.html'], { cwd });
    expect([code, err.split('\n')[1]]).toEqual([
      1,
      '  There is a a.html.part: another command writes it, or was cut short and left it.',
    ]);
    expect(readFileSync(join(cwd, 'a.html.part'), 'utf8')).toBe('half');
  });
});
