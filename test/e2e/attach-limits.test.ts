import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { describeWhere, onlyWithAll } from '../only-where.js';
import { type Started, program, start } from '../target/pythons.js';
import { BIN, PYSPY, profiler } from './demo-simulation.js';
import { HAS_PYTHON, HAS_PYSPY, NO_PYSPY } from './live-targets.js';
import { type ErrorText, SYSTEM_PYTHON, errorOf } from './readable-copy.js';

let cwd: string;
let target: Started;
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'profiler-limits-'));
  target = await start(SYSTEM_PYTHON, [program('contended.py'), '--no-spin']);
});
afterEach(async () => {
  await target.stop();
  rmSync(cwd, { recursive: true, force: true });
});

type Failed = ErrorText & { readonly code: number | undefined; readonly err: string };

async function attach(
  ...flags: readonly string[]
): Promise<{ code: number | undefined; out: string; err: string }> {
  return profiler(['attach', '--pid', `${target.pid}`, ...flags], { cwd });
}

async function failing(...flags: readonly string[]): Promise<Failed> {
  const run = await attach(...flags);
  return { ...errorOf(run), err: run.err };
}

describeWhere(HAS_PYSPY && HAS_PYTHON, NO_PYSPY)('the folder of a recording', (test) => {
  test('that cannot be made ends attach before it begins', async () => {
    for (const folder of ['/proc/x', '/proc/x/y/z']) {
      const { code, what, err } = await failing('-o', folder);
      expect([code, what]).toEqual([1, `The folder ${folder} could not be made (ENOENT).`]);
      expect(err).not.toContain('Sampling process');
    }
  });

  test('that is a file or holds something ends attach before it begins', async () => {
    writeFileSync(join(cwd, 'file'), 'x');
    const isFile = await failing('-o', 'file');
    expect([isFile.code, isFile.what]).toEqual([1, `The folder ${cwd}/file could not be made (EEXIST).`]);
    const full = await failing('-o', '.');
    expect([full.code, full.what]).toEqual([2, `The folder ${cwd} is not empty.`]);
    expect(`${isFile.err}${full.err}`).not.toContain('Sampling process');
  });

  test('is taken back where nothing could be started', async () => {
    mkdirSync(join(cwd, 'mine'));
    for (const folder of ['a/b/c', 'mine'])
      expect((await failing('-o', folder, '--py-spy', '/nowhere/py-spy')).code).toBe(1);
    expect(readdirSync(cwd)).toEqual(['mine']);
  });

  test('has a name', async () => {
    expect(await attach('-o', '')).toMatchObject({
      code: 2,
      out: '',
      err: "profiler: Option '-o, --output <folder>' argument '' is invalid. It must not be empty.\n  -> profiler attach --help",
    });
  });
});

/** The lines of slices in the plan of a day. */
async function planned(backend: string): Promise<readonly string[]> {
  const { code, out } = await attach('-d', '86400', '--dry-run', '-o', 'day', '--backend', backend);
  expect(code).toBe(0);
  return out.split('\n').filter((line) => /slice |more like/.test(line));
}

describeWhere(HAS_PYSPY && HAS_PYTHON, NO_PYSPY)('the length of a recording', (test) => {
  const heavy = onlyWithAll(test);
  heavy('is half a second to a day', async () => {
    for (const seconds of ['1e9', '1e300', '86401', 'Infinity', '0.2', '0.05', '', 'NaN']) {
      expect(await attach('-d', seconds)).toMatchObject({
        code: 2,
        out: '',
        err: `profiler: Option '-d, --duration <seconds>' argument '${seconds}' is invalid. It must be a number of seconds from 0.5 to 86400.\n  -> profiler attach --help`,
      });
    }
  });

  test('may be the shortest', async () => {
    const run = await attach('-d', '0.5', '--no-baseline', '-o', 'short');
    expect({ code: run.code, err: run.err }).toMatchObject({ code: 0 });
    expect(existsSync(join(cwd, 'short/recording.json'))).toBe(true);
  });

  test('of a day is planned in a few lines', async () => {
    expect(await planned('cpython')).toEqual([
      '# sample every Python thread and its state, slice 1 of 993, 87 s',
      '# sample every Python thread and its state, slice 2 of 993, 87 s',
      '# 990 more like these',
      '# sample every Python thread and its state, slice 993 of 993, 96 s',
    ]);
    expect(await planned('py-spy')).toEqual([
      '# sample every thread, slice 1 of 993',
      '# sample every thread, slice 2 of 993',
      '# 990 more like these',
      '# sample every thread, slice 993 of 993, ended by SIGINT after 86400 s in all',
    ]);
    expect(existsSync(join(cwd, 'day'))).toBe(false);
  });

  test('of three slices is planned in full', async () => {
    const { out } = await attach('-d', '12', '--dry-run');
    expect(out.match(/slice \d of 3/g)).toEqual(['slice 1 of 3', 'slice 2 of 3', 'slice 3 of 3']);
    expect(out).not.toContain('more like these');
  });
});

describeWhere(HAS_PYSPY && HAS_PYTHON, NO_PYSPY)('Ctrl-C', (test) => {
  test('twice in a row still writes the recording', async () => {
    const child = execa(
      process.execPath,
      [BIN, 'attach', '--pid', `${target.pid}`, '-d', '60', '--no-baseline', '-o', 'rec'],
      // A group of its own, as a terminal's foreground job: the samplers get each signal too.
      { cwd, detached: true, env: { PROFILER_PY_SPY: PYSPY }, reject: false, stdin: 'ignore' },
    );
    const group = -(child.pid ?? Number.NaN);
    await vi.waitUntil(() => existsSync(join(cwd, 'rec/slices/001.log')), 60_000);
    child.stderr.on('data', (text: Buffer) => {
      if (text.toString().includes('Stopping')) process.kill(group, 'SIGINT');
    });
    process.kill(group, 'SIGINT');
    const run = await child;
    expect(run.exitCode).toBe(130);
    expect(run.stderr).not.toContain('Left at once');
    const recording = JSON.parse(readFileSync(join(cwd, 'rec/recording.json'), 'utf8'));
    expect(recording.ended).toBe('interrupted');
    expect(recording.slices.length).toBeGreaterThanOrEqual(1);
  });
});
