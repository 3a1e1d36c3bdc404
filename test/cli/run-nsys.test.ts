import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BIN, type Run, runProfiler } from './run-profiler.js';

const STAND_IN = fileURLToPath(new URL('../targets/nsys-stand-in.mjs', import.meta.url));
const FLAGS = ['--trace=cuda,nvtx,osrt', '--cuda-graph-trace=node', '--force-overwrite=true', '--output'];
/** Says how it was started, and ends with 5 where it is told to. */
const PROGRAM = `
import os, sys
print(os.path.basename(sys.argv[0]), sys.argv[1:], os.environ.get('SIM_PROFILER_UNDER_NSYS'), os.environ.get('_FLYGYM_NSYS_ACTIVE'), __package__, sys.stdin.read())
sys.exit(5 if 'fail' in sys.argv else 0)
`;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'profiler-nsys-'));
  mkdirSync(join(folder, 'replay'));
  writeFileSync(join(folder, 'replay/__init__.py'), '');
  writeFileSync(join(folder, 'replay/__main__.py'), PROGRAM);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(args: readonly string[], mode = '', env: Readonly<Record<string, string>> = {}): Promise<Run> {
  return runProfiler(['run', '--nsys', ...args], {
    cwd: folder,
    input: 'typed',
    env: {
      PROFILER_NSYS: STAND_IN,
      NSYS_STAND_IN: mode,
      NSYS_STAND_IN_LOG: join(folder, 'log'),
      SIM_PROFILER_UNDER_NSYS: '',
      _FLYGYM_NSYS_ACTIVE: '',
      ...env,
    },
  });
}

/** Argument lists with which it was started, but for `--version`. */
function started(): readonly (readonly string[])[] {
  const lines = readFileSync(join(folder, 'log'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as string[]).filter(([word]) => word !== '--version');
}

function json(file = 'out.json'): {
  readonly kind: string;
  readonly files: Readonly<Record<string, string>>;
  readonly exitCode: number;
  readonly tables: readonly { readonly kind: string; readonly rows: readonly { readonly name: string }[] }[];
  readonly findings: readonly { readonly id: string; readonly what: string; readonly why: string }[];
} {
  return JSON.parse(readFileSync(join(folder, file), 'utf8'));
}

const MODULE = ['python3', '-m', 'replay', '--steps', '10'];

describe('run --nsys', () => {
  it('has nsys start a module as it was typed, and answers from the export that nsys stats left', async () => {
    const { code, out, err } = await run(['-o', 'g', '--', ...MODULE]);
    expect({ code, out }).toEqual({
      code: 0,
      out: "__main__.py ['--steps', '10'] 1 1 replay typed\n",
    });
    expect(started()).toEqual([
      ['profile', ...FLAGS, join(folder, 'g/nsys'), ...MODULE],
      [
        'stats',
        '--report=cuda_gpu_kern_sum,cuda_gpu_mem_time_sum,cuda_gpu_mem_size_sum,cuda_api_sum,nvtx_sum,osrt_sum',
        '--format=csv',
        '--output=-',
        '--force-export=true',
        join(folder, 'g/nsys.nsys-rep'),
      ],
    ]);
    const flat = err.replaceAll(/\s+/g, ' ');
    expect(flat).toContain('nsys: kernels on the GPU (NVIDIA Made-up GPU) · g/nsys.sqlite');
    expect(flat).toContain('The GPU is busy ');
    expect(flat).toContain('-> nsys stats --report nvtx_gpu_proj_sum g/nsys.nsys-rep');
    expect(flat).toContain('void step<float, 3>');
    expect(flat).toContain('Kept: g/nsys.nsys-rep · g/nsys.sqlite · g/nsys-stats.csv');
    expect(readdirSync(join(folder, 'g')).toSorted()).toEqual([
      'nsys-stats.csv',
      'nsys.nsys-rep',
      'nsys.sqlite',
    ]);
    expect(readFileSync(join(folder, 'g/nsys-stats.csv'), 'utf8')).toContain(
      '\nTime (%),Total Time (ns),Instances',
    );
  });

  it('passes on how the program ended, and writes the answer to a file', async () => {
    const { code, out, err } = await run(['-o', 'g', '--json', 'out.json', '--', ...MODULE, 'fail']);
    expect({ code, out }).toEqual({
      code: 5,
      out: "__main__.py ['--steps', '10', 'fail'] 1 1 replay typed\n",
    });
    expect(err).toBe(`Generated:\n    ${join(folder, 'g/nsys.nsys-rep')}\n`);
    const { kind, exitCode, files, tables, findings } = json();
    expect({ kind, exitCode, files, findings }).toEqual({
      kind: 'nsys',
      exitCode: 5,
      files: { report: 'g/nsys.nsys-rep', sqlite: 'g/nsys.sqlite', stats: 'g/nsys-stats.csv' },
      findings: [],
    });
    expect(tables.map((table) => table.kind)).toEqual([
      'nsys-kernels',
      'nsys-memory',
      'nsys-cuda-api',
      'nsys-nvtx',
      'nsys-osrt',
    ]);
  });

  it('makes a folder of its own, named after the module', async () => {
    expect(await run(['--', ...MODULE])).toMatchObject({ code: 0 });
    const [name, ...more] = readdirSync(join(folder, 'recordings')).filter((one) =>
      one.startsWith('replay-'),
    );
    expect(more).toEqual([]);
    expect(readdirSync(join(folder, 'recordings', name ?? ''))).toContain('nsys.nsys-rep');
  });

  it('asks an nsys of 2022 by the names of its time, and exports by itself where no statistics did', async () => {
    expect(await run(['-o', 'g', '--json', 'out.json', '--', ...MODULE], '2022')).toMatchObject({ code: 0 });
    expect(started().map(([word, option]) => [word, option])).toEqual([
      ['profile', '--trace=cuda,nvtx,osrt'],
      ['stats', '--report=gpukernsum,gpumemtimesum,gpumemsizesum,cudaapisum,nvtxsum,osrtsum'],
      ['export', '--type=sqlite'],
    ]);
    expect(json().files).toMatchObject({ sqlite: 'g/nsys.sqlite' });
  });

  it('passes a signal on to nsys, and still answers from the report that it then leaves', async () => {
    const endless = "process.stdout.write('ready'); setInterval(() => {}, 1000)";
    const child = spawn(
      process.execPath,
      [BIN, 'run', '--nsys', '-o', 'g', '--', process.execPath, '-e', endless],
      {
        cwd: folder,
        env: {
          ...process.env,
          PROFILER_NSYS: STAND_IN,
          SIM_PROFILER_UNDER_NSYS: '',
          _FLYGYM_NSYS_ACTIVE: '',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const err = text(child.stderr);
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    const [code] = await once(child, 'close');
    expect(code).toBe(143);
    expect(await err).toContain('Kept: g/nsys.nsys-rep');
  });

  it('says with --strict that the answer is not to be trusted', async () => {
    const { code, err } = await run(['-o', 'g', '--strict', '--', ...MODULE]);
    expect(err).toContain('Warning: ');
    expect(code).toBe(3);
  });

  it.each(['SIM_PROFILER_UNDER_NSYS', '_FLYGYM_NSYS_ACTIVE'])(
    'starts nothing but the program where %s says that nsys is at work already',
    async (name) => {
      const { code, out, err } = await run(['-o', 'g', '--', ...MODULE, 'fail'], '', { [name]: '1' });
      expect(code).toBe(5);
      expect(out).toContain("['--steps', '10', 'fail']");
      expect(err.replaceAll(/\s+/g, ' ')).toContain('nsys records this program already');
      expect([existsSync(join(folder, 'log')), existsSync(join(folder, 'g'))]).toEqual([false, false]);
    },
  );
});

describe('what can go wrong with nsys', () => {
  it('there is none: says where it comes from and how to name one, and starts nothing', async () => {
    const path = join(folder, 'bin');
    mkdirSync(path);
    symlinkSync(process.execPath, join(path, 'node'));
    const { code, out, err } = await run(['--', 'node', '-e', 'console.log("ran")'], '', {
      PROFILER_NSYS: '',
      PATH: path,
    });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('profiler: nsys (NVIDIA Nsight Systems) was not found.');
    expect(err).toContain('  -> PROFILER_NSYS=/path/to/nsys profiler run --nsys -- …');
    expect(readdirSync(folder)).not.toContain('recordings');
  });

  it('it is found in PATH', async () => {
    const path = join(folder, 'bin');
    mkdirSync(path);
    symlinkSync(STAND_IN, join(path, 'nsys'));
    const PATH = `${path}:${process.env['PATH'] ?? ''}`;
    expect(await run(['-o', 'g', '--', ...MODULE], '', { PROFILER_NSYS: '', PATH })).toMatchObject({
      code: 0,
    });
    expect(started()[0]?.[0]).toBe('profile');
  });

  it('it is another program: says what that said', async () => {
    const { code, err } = await run(['--', ...MODULE], 'odd-version');
    expect(code).toBe(1);
    expect(err).toContain(`profiler: ${STAND_IN}, as named by PROFILER_NSYS, is no nsys that runs.\n`);
    expect(err).toContain('Its --version ended with 0 and said: nsys, the other one');
  });

  it('it leaves no report: tells its last words and the line that was typed, with its exit code', async () => {
    const { code, err } = await run(['-o', 'g', '--json', 'out.json', '--', ...MODULE], 'no-report');
    expect(code).toBe(3);
    expect(err).toContain(
      `nsys ended with exit code 3 and left no report (${join(folder, 'g/nsys.nsys-rep')}).`,
    );
    expect(json().findings).toEqual([
      expect.objectContaining({
        id: 'nsys-no-report',
        why: 'Its last words: Unable to start: permission denied.',
      }),
    ]);
    expect(existsSync(join(folder, 'g'))).toBe(false);
  });

  it('its statistics fail: the export answers', async () => {
    expect(await run(['-o', 'g', '--json', 'out.json', '--', ...MODULE], 'no-stats')).toMatchObject({
      code: 0,
    });
    const { files, findings, tables } = json();
    expect(files).toEqual({ report: 'g/nsys.nsys-rep', sqlite: 'g/nsys.sqlite' });
    expect(findings.map(({ id, what }) => [id, what])).toEqual([
      ['nsys-stats-failed', 'nsys stats ended with 1 and said: ERROR: the report is of a newer version.'],
    ]);
    expect(tables).toHaveLength(5);
  });

  it('its export fails: the statistics answer, without times', async () => {
    expect(await run(['-o', 'g', '--json', 'out.json', '--', ...MODULE], 'no-export')).toMatchObject({
      code: 0,
    });
    const { files, findings, tables } = json();
    expect(files).toEqual({ report: 'g/nsys.nsys-rep', stats: 'g/nsys-stats.csv' });
    expect(findings.map(({ id, what }) => [id, what])).toEqual([
      [
        'nsys-no-times',
        'nsys export ended with 1 and said: ERROR: no space for the export: the tables are of nsys stats, which has no times.',
      ],
    ]);
    expect(tables.map(({ kind }) => kind)).toEqual([
      'nsys-nvtx',
      'nsys-osrt',
      'nsys-cuda-api',
      'nsys-kernels',
      'nsys-memory',
      'nsys-memory',
    ]);
  });

  it.each([
    ['neither', 'nsys-unreadable', 0],
    ['nothing-recorded', 'nsys-empty', 0],
    ['neither', 'nsys-unreadable', 5],
  ])('nothing of its report can be read (%s): %s, and the report is kept', async (mode, id, end) => {
    const { code, err } = await run(
      ['-o', 'g', '--json', 'out.json', '--', ...MODULE, ...(end === 0 ? [] : ['fail'])],
      mode,
    );
    expect(code).toBe(end === 0 ? 1 : end);
    expect(err).toContain(`The report ${join(folder, 'g/nsys.nsys-rep')} `);
    expect(json()).toMatchObject({ kind: 'error', findings: [{ id }] });
    expect(existsSync(join(folder, 'g/nsys.nsys-rep'))).toBe(true);
  });

  it.each([
    [['--', 'nsys', 'profile', 'x'], 'The command is nsys already.'],
    [['-o', 'half%', '--', ...MODULE], 'nsys cannot write to '],
    [['--0x', '--', 'node'], "cannot be used with option '--0x'"],
    [['--native', '--', ...MODULE], "cannot be used with option '--native'"],
  ])('%j is wrong usage', async (args, words) => {
    const { code, err } = await run(args);
    expect(err).toContain(words);
    expect(code).toBe(2);
    expect(readdirSync(folder)).toEqual(['replay']);
  });

  it('a program that is not there is told as ever, before nsys is started', async () => {
    const { code, err } = await run(['--', 'no-such-program']);
    expect(code).toBe(127);
    expect(err).toContain('There is no program called no-such-program.');
    expect(existsSync(join(folder, 'log'))).toBe(false);
  });
});
