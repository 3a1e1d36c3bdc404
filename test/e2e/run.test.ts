import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { describeWhere, onlyWithAll } from '../only-where.js';
import { program } from '../target/pythons.js';
import { BIN, PYSPY, ROOT, SIM_PYTHON } from './demo-simulation.js';
import { AS_NOBODY, NO_NOBODY } from './live-targets.js';
import { NOBODY, type ReadableCopy, readableCopy, SYSTEM_PYTHON } from './readable-copy.js';

interface Breakdown {
  readonly kind: string;
  readonly findings: readonly { readonly id: string; readonly what: string }[];
  readonly threads: readonly {
    readonly role: string;
    readonly buckets: readonly {
      readonly id: string;
      readonly share: number;
      readonly parts?: readonly { readonly kind?: string }[];
    }[];
  }[];
}

const parse = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;
const scratch = (): string => mkdtempSync(join(tmpdir(), 'profiler-run-'));

function start(
  args: readonly string[],
  {
    cwd,
    input,
    env = {},
  }: { readonly cwd: string; readonly input?: string; readonly env?: Readonly<Record<string, string>> },
) {
  return execa(process.execPath, [BIN, 'run', ...args], {
    cwd,
    env: { PROFILER_PY_SPY: PYSPY, PYTHONPATH: join(ROOT, 'compose/sim'), ...env },
    reject: false,
    input: input ?? '',
  });
}

/** Every function that a recording has samples of. */
function functionsOf(folder: string): ReadonlySet<string> {
  const slices = parse<{ slices: { file: string }[] }>(join(folder, 'recording.json')).slices;
  const texts = slices.map(({ file }) => readFileSync(join(folder, file), 'utf8'));
  const lines = texts.flatMap((text) => text.split('\n'));
  // Our own sampler names each function once.
  const named = lines.flatMap((line) => /^c \d+ \d+ (.*)$/.exec(line)?.[1] ?? []);
  const frames = lines.flatMap((line) => line.split(';')).map((frame) => frame.split(' (')[0] ?? '');
  return new Set([...frames, ...named.map((pair) => (JSON.parse(pair) as [string, string])[0])]);
}

const MISSING = 'no .cache/sim-venv: run scripts/test';
const HAS_SIM = existsSync(SIM_PYTHON) && existsSync(PYSPY);

/** Each takes ten seconds and more. */

describeWhere(HAS_SIM, MISSING)('run', (test) => {
  const heavy = onlyWithAll(test);
  test('samples the loop of a script, and neither its imports nor what follows', async () => {
    const cwd = scratch();
    const args = ['-o', 'r', '--json', 'out.json', '--', SIM_PYTHON, program('phased.py'), '6', 'lines'];
    const run = await start(args, { cwd, input: 'a line\nand another' });
    expect({ code: run.exitCode, err: run.stderr }).toMatchObject({ code: 7 });
    // Its output is its own, and so is what it reads.
    expect(run.stdout).toBe('loop begins\nread: a line\nand another');
    const functions = functionsOf(join(cwd, 'r'));
    expect(functions.has('work')).toBe(true);
    expect(functions.has('pace')).toBe(true);
    for (const other of ['heavy_import', '_find_and_load', 'plot_results', 'save_results'])
      expect(functions.has(other), other).toBe(false);
    // Nor does any file hold what is not in the answer.
    const raw = readdirSync(join(cwd, 'r/slices')).filter((file) => /\.(?:raw|samples)$/.test(file));
    for (const file of raw)
      expect(readFileSync(join(cwd, 'r/slices', file), 'utf8')).not.toContain('results');
    const answer = parse<Breakdown>(join(cwd, 'out.json'));
    expect(answer.kind).toBe('breakdown');
    expect(parse<{ ended: string }>(join(cwd, 'r/recording.json')).ended).toBe('complete');
    expect(answer.threads[0]?.role).toBe('physics');
    expect(answer.findings.map(({ id }) => id)).not.toContain('target-ended');
  });

  heavy(
    'samples the demo simulation that a shell starts, and tells the answer on standard error',
    async () => {
      const cwd = scratch();
      const line = `${SIM_PYTHON} -m rover_sim --headless --hz 200 --seconds 8 --no-truth; exit 3`;
      const run = await start(['--', 'sh', '-c', line], { cwd });
      expect({ code: run.exitCode, err: run.stderr }).toMatchObject({ code: 3 });
      expect(run.stdout).toBe('');
      expect(run.stderr).toContain('The physics thread (MainThread) is busy');
      const name = readdirSync(join(cwd, 'recordings')).find((one) => one.startsWith('rover_sim-'));
      const functions = functionsOf(join(cwd, 'recordings', name ?? ''));
      expect([...functions]).toEqual(expect.arrayContaining(['Engine.step', 'Pacer.wait']));
      expect(functions.has('_find_and_load')).toBe(false);
    },
  );

  heavy('samples between two lines of the output, which comes through unchanged', async () => {
    const cwd = scratch();
    const moments = ['--after', 'loop begins', '--until', '/is over$/'];
    const run = await start([...moments, '-o', 'r', '--', SIM_PYTHON, program('phased.py'), '5'], { cwd });
    expect(run.exitCode).toBe(7);
    expect(run.stdout).toBe('loop begins');
    expect(run.stderr).toContain('loop is over\n');
    const functions = functionsOf(join(cwd, 'r'));
    expect(functions.has('work')).toBe(true);
    expect(functions.has('heavy_import')).toBe(false);
    expect(functions.has('save_results')).toBe(false);
  });

  heavy('ends after its duration, and the program goes on', async () => {
    const cwd = scratch();
    const run = await start(['-d', '1', '-o', 'r', '--', SIM_PYTHON, program('phased.py'), '9'], { cwd });
    expect(run.exitCode).toBe(7);
    expect(run.stderr).toContain('the program goes on by itself');
    expect(parse<{ slices: unknown[] }>(join(cwd, 'r/recording.json')).slices).toHaveLength(1);
    expect(functionsOf(join(cwd, 'r')).has('work')).toBe(true);
  });

  heavy('samples the start-up instead, up to the first step', async () => {
    const cwd = scratch();
    const args = ['--load', '-o', 'r', '--json', 'out.json', '--', SIM_PYTHON, program('phased.py'), '3'];
    const run = await start(args, { cwd });
    expect({ code: run.exitCode, err: run.stderr }).toMatchObject({ code: 7 });
    const answer = parse<Breakdown>(join(cwd, 'out.json'));
    const load = answer.threads[0]?.buckets.find(({ id }) => id === 'load');
    expect(load?.share).toBeGreaterThan(0.5);
    expect(load?.parts?.map(({ kind }) => kind) ?? ['imports']).toContain('imports');
    expect(answer.findings.map(({ id }) => id)).toContain('start-missed');
    const functions = functionsOf(join(cwd, 'r'));
    expect(functions.has('heavy_import')).toBe(true);
    expect(functions.has('plot_results')).toBe(false);
  });

  heavy('passes signals on, each once, and the exit code that follows', async () => {
    const cwd = scratch();
    const child = start(['-o', 'r', '--', SIM_PYTHON, program('signalled.py')], { cwd });
    let out = '';
    child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
    await vi.waitUntil(() => existsSync(join(cwd, 'r/slices/001.raw')), 60_000);
    for (const signal of ['SIGUSR1', 'SIGINT', 'SIGTERM'] as const) {
      child.kill(signal);
      await vi.waitUntil(() => out.includes(`got ${signal}`), 60_000);
    }
    const run = await child;
    expect({ code: run.exitCode, out: run.stdout }).toEqual({
      code: 9,
      out: 'got SIGUSR1\ngot SIGINT\ngot SIGTERM',
    });
  });

  heavy(
    'gives an interrupted program one Ctrl-C of a terminal, and the exit code of the signal that ended it',
    async () => {
      const cwd = scratch();
      const line = [process.execPath, BIN, 'run', '--', SIM_PYTHON, program('signalled.py')];
      // `script` gives it a terminal of its own; what is typed there is what a person types.
      const child = execa('script', ['-qec', line.map((word) => `'${word}'`).join(' '), '/dev/null'], {
        cwd,
        env: { PROFILER_PY_SPY: PYSPY },
        reject: false,
        stdin: 'pipe',
      });
      let out = '';
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
      await vi.waitUntil(() => out.includes('until stepping ends'), 60_000);
      child.stdin.write('\u0003');
      await vi.waitUntil(() => out.includes('got SIGINT'), 60_000);
      // The recording that it ended is there by the time that the program ends.
      const pid = (await execa('pgrep', ['-nf', 'signalled[.]py'])).stdout;
      process.kill(Number(pid), 'SIGTERM');
      const run = await child;
      expect(run.exitCode).toBe(9);
      expect(run.stdout.split('got SIGINT')).toHaveLength(2);
    },
  );

  heavy('leaves the exit code of the program where there is nothing to tell', async () => {
    const cwd = scratch();
    const child = start(['--json', 'out.json', '--', SIM_PYTHON, program('signalled.py')], { cwd });
    let out = '';
    child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
    // The folder is made before there is a sample.
    await vi.waitUntil(() => existsSync(join(cwd, 'recordings/.gitignore')), 60_000);
    child.kill('SIGINT');
    await vi.waitUntil(() => out.includes('got SIGINT'), 60_000);
    child.kill('SIGTERM');
    const run = await child;
    expect({ code: run.exitCode, err: run.stderr }).toMatchObject({ code: 9 });
    expect(run.stderr).toContain('Interrupted before');
    expect(parse<Breakdown>(join(cwd, 'out.json'))).toMatchObject({ findings: [{ id: 'interrupted' }] });
    expect(readdirSync(join(cwd, 'recordings'))).toEqual(['.gitignore']);
  });

  heavy('leaves the exit code of the program where the thread that was named is not there', async () => {
    const cwd = scratch();
    const args = ['--thread', '/nosuch/', '-d', '1', '-o', 'r', '--', SIM_PYTHON, program('phased.py'), '5'];
    const run = await start(args, { cwd });
    expect(run.exitCode).toBe(7);
    expect(run.stderr).toContain('nosuch');
  });

  test('tells of a program that ends before it steps what it saw, with the exit code of the program', async () => {
    const cwd = scratch();
    const failed = await start(['--json', 'out.json', '--', SIM_PYTHON, '-c', 'import sys; sys.exit(5)'], {
      cwd,
    });
    expect(failed.exitCode).toBe(5);
    expect(failed.stderr).toContain('The program ended (exit code 5) before its loop was seen to step');
    expect(parse<Breakdown>(join(cwd, 'out.json'))).toMatchObject({
      kind: 'error',
      findings: [{ id: 'never-stepped' }],
    });
    const fine = await start(['--', SIM_PYTHON, '-c', 'pass'], { cwd });
    expect(fine.exitCode).toBe(1);
    const asleep = await start(['--', SIM_PYTHON, '-c', 'import threading as t; t.Event().wait(2)'], { cwd });
    expect(asleep.stderr).toMatch(/it was last seen in .*wait \(threading\.py/);
    const after = await start(['--after', 'never', '--', SIM_PYTHON, '-c', 'print(1)'], { cwd });
    expect(after.exitCode).toBe(1);
    expect(after.stdout).toBe('1');
    expect(after.stderr).toContain('without printing never');
    const late = await start(['--after', '60', '--', SIM_PYTHON, '-c', 'pass'], { cwd });
    expect(late.stderr).toContain('within the 60 s of --after');
    const killed = await start(['--', 'sh', '-c', 'kill -9 $$'], { cwd });
    expect(killed.exitCode).toBe(137);
    expect(existsSync(join(cwd, 'recordings'))).toBe(false);
  });

  test('lets the program go on where it cannot be sampled, and says why', async () => {
    const cwd = scratch();
    const empty = { PROFILER_PY_SPY: '', XDG_DATA_HOME: cwd, PATH: '/usr/bin:/bin' };
    const run = await start(['--', SYSTEM_PYTHON, '-c', 'import time; time.sleep(2); print("done")'], {
      cwd,
      env: empty,
    });
    expect(run.stdout).toBe('done');
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain('The sampler py-spy was not found.');
  });
});

describe('run, of wrong usage', () => {
  it('starts nothing', async () => {
    const cwd = scratch();
    const touch = ['--', 'touch', 'started'];
    const cases = [
      { args: ['-r', '5000', ...touch], code: 2, says: 'more than py-spy can take' },
      { args: ['--py-spy', '/nowhere', ...touch], code: 1, says: 'no py-spy at /nowhere' },
      { args: ['--json', 'no/folder', ...touch], code: 1, says: 'could not be written' },
      { args: ['--rules', 'nowhere.yaml', ...touch], code: 1, says: 'nowhere.yaml' },
      { args: ['--load', '--after', '3', ...touch], code: 2, says: 'cannot be used with' },
      { args: ['--after', '/(/', ...touch], code: 2, says: 'no regular expression' },
      { args: [], code: 2, says: "missing required argument 'command'" },
    ];
    for (const { args, code, says } of cases) {
      const run = await start(args, { cwd, env: { PROFILER_PY_SPY: '' } });
      expect({ args, code: run.exitCode, err: run.stderr.toLowerCase() }).toMatchObject({
        args,
        code,
        err: expect.stringContaining(says.toLowerCase()) as string,
      });
    }
    expect(existsSync(join(cwd, 'started'))).toBe(false);
  });

  it('has the exit codes of a shell where there is no such program', async () => {
    const cwd = scratch();
    const env = { PROFILER_PY_SPY: '' };
    expect((await start(['--', 'no-such-program'], { cwd, env })).exitCode).toBe(127);
    const folder = await start(['--', cwd], { cwd, env });
    expect(folder.exitCode).toBe(126);
    expect(folder.stderr).toContain('it is a folder');
  });

  it('takes no flag of the program for its own, with or without --', async () => {
    const cwd = scratch();
    const env = { PROFILER_PY_SPY: '' };
    for (const dashes of [['--'], []]) {
      const run = await start([...dashes, 'echo', '--json', '-d', '--help'], { cwd, env });
      expect(run.stdout).toBe('--json -d --help');
    }
  });
});

describeWhere(HAS_SIM && AS_NOBODY, NO_NOBODY)('run, as an ordinary user', (test) => {
  let copy: ReadableCopy;
  beforeAll(async () => {
    copy = await readableCopy();
  });

  const heavy = onlyWithAll(test);

  heavy('needs no capability', async () => {
    const loop = join(copy.folder, 'compose/sim/plain_loop.py');
    const command = [SYSTEM_PYTHON, loop, '--hz', '200', '--busy', '0.3', '--steps', '1600', '--no-truth'];
    const cwd = copy.scratch();
    const run = await copy.run(['run', '--json', 'out.json', '--', ...command], { user: NOBODY, cwd });
    expect(parse<Breakdown>(join(cwd, 'out.json')).threads[0]).toMatchObject({ role: 'physics' });
    expect({ code: run.code, err: run.err }).toMatchObject({ code: 0 });
    expect(run.err).toContain('sampling process');
  });
});

describe('run, of a program that is no Python', () => {
  let built: string;
  beforeAll(async () => {
    built = join(scratch(), 'unknown_loop');
    await execa('cc', ['-O1', '-fno-omit-frame-pointer', '-o', built, program('unknown_loop.c')], {
      reject: false,
    });
  });

  it('samples it with perf, and says that its loop is not known', async ({ skip }) => {
    const hasPerf = (await execa('perf', ['--version'], { reject: false })).exitCode === 0;
    if (!existsSync(built) || !hasPerf) skip('needs cc and perf');
    const cwd = scratch();
    const run = await start(['--json', 'out.json', '--', built, '1500'], { cwd });
    expect({ code: run.exitCode, err: run.stderr }).toMatchObject({ code: 4 });
    const answer = parse<Breakdown>(join(cwd, 'out.json'));
    expect(answer.threads[0]?.buckets.length).toBeGreaterThan(0);
  });
});
