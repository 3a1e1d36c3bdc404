import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder, writePacedRecording } from './recording-folder.js';
import { runJson, runProfiler } from './run-profiler.js';

/** Of 2 s the thread steps 40 % and rests 60 %; at 500 steps/s that is 800 µs of each step. */
const STEP_US = 790;

function log(more: object = {}, seconds = '2.000'): string {
  const dump = {
    mujoco_timer: 1,
    unit: 's',
    callback: false,
    mujoco: '4.0.0',
    python: '3.11.7',
    pid: 27,
    kernel: '6.18.0',
    timestep: 0.002,
    timer: { mjTIMER_STEP: { number: 1000, duration: (STEP_US * 1000) / 1e6 } },
    ...more,
  };
  return `Simulated 1000 steps in ${seconds}s (500 steps/s, 1.00x realtime, whole loop).\n${JSON.stringify(dump)}\n`;
}

describe('profiler tables --corroborate', () => {
  let cwd: string;
  beforeAll(async () => {
    cwd = emptyFolder();
    await writePacedRecording(cwd, 'paced');
    writeFileSync(join(cwd, 'sim.log'), `starting up\n${log()}`);
  });

  it('prints each line with both figures, the interval and the verdict', async () => {
    const { code, out, err } = await runProfiler(['tables', 'sim.log', '--corroborate', 'paced'], {
      cwd,
      env: { COLUMNS: '80' },
    });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(`  sim.log against recordings/paced: 2.0 s sampled of a run of 2.0 s; 500
  steps/s, as the loop counted them.
                     table  samples             95 %
  steps counted      1,000    1,000      998 – 1,002  agrees
  real-time factor    1.00               0.57 – 1.02  agrees
  mj_step           790 µs   775 µs  695 µs – 954 µs  agrees
  3 lines agree, 0 disagree. Times of hooks and of mj_step are of one step.
`);
  });

  it('prints the same as JSON, of a log on standard input', async () => {
    const json = await runJson(['tables', '-', '--corroborate', 'recordings/paced'], { cwd, input: log() });
    expect(json).toMatchObject({
      schema: 'sim-profiler/v1',
      kind: 'corroboration',
      source: { path: '-' },
      recording: { path: 'recordings/paced', format: 'recording' },
      window: { recordedS: 2, runS: 2 },
    });
    expect(json.lines.map((line: Record<string, unknown>) => [line['name'], line['verdict']])).toEqual([
      ['steps counted', 'agrees'],
      ['real-time factor', 'agrees'],
      ['mj_step', 'agrees'],
    ]);
  });

  it('refuses a log of another run, with every field that says so', async () => {
    const run = await runProfiler(['tables', '-', '--corroborate', 'paced'], {
      cwd,
      input: log({ pid: 31, kernel: '5.15.0', python: '3.12.0' }, '0.500'),
    });
    expect(run).toEqual({
      code: 1,
      out: '',
      err: `profiler: Standard input and paced are not of the same run.
    pid: the log says 31, the recording 100 or 27
    kernel: the log says 5.15.0, the recording 6.18.0
    python: the log says 3.12.0, the recording 3.11.7
    wall: the log says 0.5 s of the whole loop, the recording 2.0 s of it sampled
  Figures of two runs say nothing about each other, however close they are.
  -> profiler recordings list
`,
    });
  });

  it('cleans what a log calls itself', async () => {
    const { err } = await runProfiler(['tables', '-', '--corroborate', 'paced'], {
      cwd,
      input: log({ kernel: '\u001b[31mred\u0007' }),
    });
    expect(err).toContain('kernel: the log says');
    // oxlint-disable-next-line no-control-regex -- that is what must not be there
    expect(err).not.toMatch(/[\u0007\u001b]/);
  });

  it.each([
    ['a bare file', ['sim.log', '--corroborate', 'bare.raw'], 1, 'bare.raw is a profile file, no recording.'],
    ['a recording that is not there', ['sim.log', '--corroborate', 'nope'], 1, 'nope'],
    [
      'a log of nothing that samples show',
      ['pyrite.json', '--corroborate', 'paced'],
      1,
      'pyrite.json holds no table that samples could bear out.',
    ],
    ['no name', ['sim.log', '--corroborate', ''], 2, 'must not be empty'],
    ['CSV', ['sim.log', '--corroborate', 'paced', '--csv'], 2, 'cannot be used with'],
    ['a rate of nothing', ['sim.log', '--corroborate', 'paced', '--step-rate', '0'], 2, 'above 0'],
  ])('says what is wrong with %s', async (_, args, code, text) => {
    writeFileSync(join(cwd, 'bare.raw'), 'main (x.py:1) 12\n');
    writeFileSync(
      join(cwd, 'pyrite.json'),
      JSON.stringify({
        World_Update: { Calls: 2, Avg_ms: 1, Min_ms: 1, Max_ms: 1, P99_ms: 1, Total_Time_ms: 2 },
      }),
    );
    mkdirSync(join(cwd, 'empty'), { recursive: true });
    const run = await runProfiler(['tables', ...args], { cwd });
    expect(run.code).toBe(code);
    expect(run.out).toBe('');
    expect(run.err).toContain(text);
    expect(run.err).not.toContain('    at ');
  });
});
