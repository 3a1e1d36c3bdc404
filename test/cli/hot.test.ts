import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from './recording-folder.js';
import { FIXTURES, runJson, runProfiler } from './run-profiler.js';

interface Row {
  readonly stack?: readonly string[];
  readonly name?: string;
  readonly line?: number;
  readonly corrupt?: true;
  readonly thread?: string;
  readonly bucket?: string;
  readonly kind?: string;
  readonly weight?: number;
  readonly self?: number;
  readonly total?: number;
  readonly share: number;
}

describe('hot: denominators', () => {
  it('gives each thread its own, so that no share exceeds 100 %', async () => {
    const args = ['hot', 'report-math/01-threads-over-100.txt', '--duration', '5', '--rate', '100'];
    const { rows, window, total } = await runJson(args);
    expect(window).toEqual({ wallS: 5, rateHz: 100, ticks: 500 });
    expect(total).toEqual({ weight: 1930, unit: 'samples', samples: 1930, stacks: 4, threads: 4 });
    expect(rows.map((row: Row) => [row.thread, row.weight, row.share])).toEqual([
      ['pool', 500, 1],
      ['MainThread', 500, 1],
      ['lidar', 480, 1],
      ['pub', 450, 1],
    ]);
    const { out } = await runProfiler(args);
    expect(out).toContain('1,930 samples · 4 threads · 500 ticks · 3.86 samples per tick');
    expect(out).toContain("Shares are of each thread's own samples.");
  });
});

describe('hot: order', () => {
  const fixture = readFileSync(join(FIXTURES, 'report-math/02-ties-and-order.txt'), 'utf8');
  const lines = fixture.trim().split('\n');

  it.each([lines, lines.toReversed(), [lines[2], lines[0], lines[3], lines[1]]])(
    'is the same for every order of the input lines',
    async (...permuted) => {
      const { out } = await runProfiler(['hot', '-', '--top', '2'], { input: `${permuted.join('\n')}\n` });
      expect(out.split('\n').slice(-4)).toEqual([
        '       10  28.6 %  ████████  unclassified  x < a',
        '       10  28.6 %  ████████  unclassified  y < a',
        '  2 more rows, 15 samples not shown (--top 4)',
        '',
      ]);
    },
  );

  it('puts the thread first that steps most, however light each of its stacks is', async () => {
    const step = 'step (engine.py:2);mj_step (libmujoco.so.3.3.0)';
    const heavy = Array.from({ length: 600 }, (_, at) => `thread (1): a;main (a.py:${at}) 100`);
    const light = Array.from({ length: 300 }, (_, at) => `thread (2): b;main (b.py:${at});${step} 1`);
    const input = `${[...heavy, `thread (1): a;${step} 100`, ...light].join('\n')}\n`;
    const { out } = await runProfiler(['hot', '-', '--top', '1', '--json'], { input });
    expect(JSON.parse(out)).toMatchObject({ rows: [{ thread: 'b', weight: 1 }] });
  });

  it('prints whole folded lines and the lines of the awk one-liner, or only --top of them', async () => {
    const file = 'report-math/02-ties-and-order.txt';
    expect((await runProfiler(['hot', file, '--folded'])).out).toBe('a;x 10\na;y 10\na;z 10\na;w 5\n');
    expect((await runProfiler(['hot', file, '--tsv'])).out).toBe('10\ta;x\n10\ta;y\n10\ta;z\n5\ta;w\n');
    expect((await runProfiler(['hot', file, '--tsv', '--top', '1'])).out).toBe('10\ta;x\n');
  });
});

describe('hot: groupings', () => {
  it('counts a recursive function once per sample', async () => {
    const { rows } = await runJson(['hot', 'pyspy-raw/15-recursion.txt', '--by', 'function']);
    expect(rows.map((row: Row) => [row.name, row.self, row.total])).toEqual([
      ['build', 8, 8],
      ['idle', 2, 2],
      ['main', 0, 10],
    ]);
    const { out } = await runProfiler(['hot', 'pyspy-raw/15-recursion.txt', '--by', 'function']);
    expect(out).toContain('     8  80.0 %  ████████      8   80.0 %  build (a.py)\n');
    expect(out).toContain('     0   0.0 %               10  100.0 %  main (a.py)\n');
  });

  it('joins the lines of a function and says which they were; lines stay apart with --by line', async () => {
    const file = 'pyspy-raw/16-lines-of-one-function.txt';
    const { out } = await runProfiler(['hot', file, '--by', 'function']);
    const rows = out.split('\n').slice(out.split('\n').findIndex((line) => line.includes('self')));
    expect(rows.map((row) => row.trim().replaceAll(/ {2,}/g, ' ')).slice(1, 6)).toEqual([
      '60 60.0 % ████████ 60 60.0 % cast (b.py)',
      ':51 20 :52 20 :53 20',
      '30 30.0 % ████ 30 30.0 % pub (b.py)',
      '10 10.0 % █▍ 10 10.0 % __init__ (c.py)',
      ':5 5 :95 5',
    ]);
    const lines = await runJson(['hot', file, '--by', 'line']);
    expect([lines.rows[0].name, lines.rows[0].line, lines.rows[0].self]).toEqual(['pub', 70, 30]);
  });

  it('marks a name that is some other string of the target', async () => {
    const file = 'pyspy-raw/03-docstring-frame.txt';
    const { rows } = await runJson(['hot', file, '--by', 'function']);
    expect(rows.map((row: Row) => [row.name?.split('\n')[0], row.corrupt])).toEqual([
      ['pub', undefined],
      ['leaf', undefined],
      ['<module>', undefined],
      ['Return the trait.', true],
      ['eval', undefined],
    ]);
    const text = async (...flags: readonly string[]): Promise<string> =>
      (await runProfiler(['hot', file, ...flags], { env: { COLUMNS: '200' } })).out;
    expect(await text('--by', 'function')).toContain('[corrupt] Return the trait.\\n');
    expect(await text('--by', 'line')).toContain('[corrupt] Return the trait.\\n');
    expect(await text()).toContain('leaf (a.py:1) < [corrupt] Return the trait.\\n');
  });

  it('tells which sensor called the ray cast that two share', async () => {
    const loop = 'main (app.py:1);step (roqsim/engine.py:278);';
    const cast = ';cast_many (roqsim/ray_cast.py:88);mj_multiRay (libmujoco.so.3.2.0)';
    const input =
      `${loop}post_step (plugins/lidar.py:31);scan (plugins/lidar.py:40)${cast} 40\n` +
      `${loop}post_step (plugins/sonar.py:12);ping (plugins/sonar.py:19)${cast} 10\n`;
    const { rows } = await runJson(['hot', '-', '--bucket', 'raycast', '--by', 'caller'], { input });
    expect(rows.map((row: Row & { file: string }) => [row.bucket, row.file, row.total])).toEqual([
      ['raycast', 'plugins/lidar.py', 40],
      ['raycast', 'plugins/sonar.py', 10],
    ]);
  });

  it('narrows to a bucket and says of how much', async () => {
    const { out } = await runProfiler(['hot', 'classify/01-pacer-vs-dds-sleep.txt', '--bucket', 'pacer']);
    expect(out).toContain('Only bucket pacer, 40 of 190 in all.');
    expect(out.match(/clock_nanosleep/g)).toHaveLength(1);
  });
});

const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));

describe('hot: width', () => {
  const callers = Array.from({ length: 12 }, (_, at) => `caller_${at} (app.py:${at})`).join(';');
  const input = `${callers};leaf (app.py:99) 7\n`;
  const hint = '  Whole stacks: --tsv or --folded, or a wider terminal (COLUMNS=200).\n';
  const hot = async (columns: string, ...args: string[]): Promise<string> =>
    (await runProfiler(['hot', '-', ...args], { input, env: { COLUMNS: columns } })).out;

  it('is what COLUMNS says where there is no terminal, and 80 without', async () => {
    const narrow = await hot('');
    expect(narrow).toContain('leaf (app.py:99) < caller_11:11 < …\n');
    expect(widest(narrow)).toBeLessThanOrEqual(80);
    for (const columns of ['39', '-200', '200.5', 'wide']) expect(await hot(columns)).toBe(narrow);
    expect(await hot('40')).toContain('  Whole stacks: --tsv or --folded, or a\n');
    expect(await hot('280')).toContain(' < caller_1:1 < caller_0\n');
  });

  it('says where to see whole stacks, if one was cut', async () => {
    expect(await hot('80')).toContain(hint);
    expect(await hot('280')).not.toContain('Whole stacks');
    expect(await hot('80', '--by', 'function')).not.toContain('Whole stacks');
    expect(await hot('80', '--json')).not.toContain('Whole stacks');
  });
});

describe('hot: input', () => {
  it('reads what it wrote itself, as folded text', async () => {
    const first = await runProfiler(['hot', 'rules/husky-idle.raw', '--folded']);
    const again = await runProfiler(['hot', '-', '--folded'], { input: first.out });
    expect(again.out).toBe(first.out);
  });

  it('says that a file is not there, empty, binary, or of no known format', async () => {
    const folder = emptyFolder();
    copyFileSync(process.execPath, join(folder, 'node'));
    writeFileSync(join(folder, 'text'), 'hello\nworld\n');
    writeFileSync(join(folder, 'empty'), '');
    for (const [file, message] of [
      ['nothing.raw', 'There is no file and no recording called nothing.raw.'],
      ['empty', '0 samples: the target was idle, or --gil filtered everything'],
      ['node', 'node is in none of the formats that can be read'],
      ['text', 'text is in none of the formats that can be read'],
    ] as const) {
      const { code, out, err } = await runProfiler(['hot', file], { cwd: folder });
      expect([code, out]).toEqual([1, '']);
      expect(err).toContain(`profiler: ${message}`);
      expect(err).not.toMatch(/\n\s+at /);
    }
  });

  it('prints names of the target as visible escapes, and no colour into a pipe', async () => {
    const input = 'main (a.py:1);\u001b[31mred\u0007 (b.py:2) 3\n';
    for (const args of [
      ['hot', '-'],
      ['hot', '-', '--tsv'],
      ['hot', '-', '--by', 'function'],
      ['buckets', '-'],
    ]) {
      const { out } = await runProfiler(args, { input });
      expect(out).toContain('\\x1b[31mred\\x07');
      expect(out).not.toContain('\u001b');
      const forced = await runProfiler(args, { input, env: { FORCE_COLOR: '1' } });
      // Ours alone: what was forced takes nothing from the rest.
      // oxlint-disable-next-line no-control-regex -- that is what colour is
      expect(forced.out.replaceAll(/\u001b\[(?:1|22|3[13]|39)m/g, '')).toBe(out);
    }
    const { rows } = await runJson(['hot', '-'], { input });
    expect(rows[0].stack[1]).toBe('\u001b[31mred\u0007 (b.py:2)');
  });
});
