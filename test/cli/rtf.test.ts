import { spawn } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { emptyFolder } from './recording-folder.js';
import { BIN, runJson, runProfiler } from './run-profiler.js';

describe('profiler rtf --runs', () => {
  it('tells the factor, what it means, the start-up, and what is not known', async () => {
    const { code, out, err } = await runProfiler(['rtf', '--runs', '20:26.3,40:36.1']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(`  20:26.3,40:36.1
  Warning: There is one run of each length: by how much runs differ by chance is
    not known, and not in the interval. The interval holds what the digits of
    the wall times allow, and nothing else; start-up alone may differ by more.
    -> profiler rtf --measure 20,40 --repeat 3 -- CMD --seconds {}
  Real-time factor 2.041 (2.020–2.062 by the digits alone): unpaced, it
  simulates 2.04 s in each second, so real time leaves it idle 51 % of the time.
  Paced to real time it comes out a little below 1 where single steps overrun:
  most pacers drop what they are late by.
  2 runs of 20 s and 40 s; 16.50 s (± 0.15) of each are start-up and end, which
  cancel.
`);
  });

  it('is surer of three runs of each length than of fewer', async () => {
    const three = ['10:7.0', '10:7.2', '10:7.1', '20:12.0', '20:12.2', '20:12.1'];
    const sure = await runJson(['rtf', '--runs', three.join(',')]);
    // Variances of the means 0.01/3; 4 degrees of freedom: 4.604. 0.05 s of reading at either end.
    const half = (4.604 * Math.sqrt(0.02 / 3) + 0.1) / 10;
    expect(sure).toMatchObject({ factor: 2, level: 0.99 });
    expect(sure.low).toBeCloseTo(1 / (0.5 + half), 5);
    const few = await runJson(['rtf', '--runs', three.filter((_, index) => index % 3 > 0).join(',')]);
    expect(few).toMatchObject({ level: 0.95 });
    const { out } = await runProfiler(['rtf', '--runs', three.join(',')]);
    expect(out.replaceAll(/\s+/g, ' ')).toContain('The intervals are of 99 %.');
  });

  it('is an object for scripts', async () => {
    expect(await runJson(['rtf', '--runs', '20:46.3,40:86.1'])).toMatchObject({
      schema: 'sim-profiler/v1',
      kind: 'rtf',
      way: 'runs',
      factor: 0.502513,
      low: 0.501253,
      high: 0.503778,
      bounds: 'reading',
      startUpS: { value: 6.5 },
      runs: [
        { simS: 20, wallS: 46.3, readingS: 0.05 },
        { simS: 40, wallS: 86.1 },
      ],
    });
  });

  it('refuses pairs that say nothing, with the line to type', async () => {
    const { code, out, err } = await runProfiler(['rtf', '--runs', '20:26,21:27']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err)
      .toBe(`profiler: The runs of 20 s and 21 s differ by 1 s of wall time: too little to tell a real-time factor.
  By the digits that were given it may be off by 1 s.
  -> profiler rtf --measure 20,30 --repeat 3 -- CMD --seconds {}
`);
  });

  it('refuses what is no run, and what is not one way', async () => {
    for (const [args, said] of [
      [['--runs', '20'], 'It must be simulated and wall seconds of runs: 20:26.3,40:36.1.'],
      [[], 'It was not said how to measure.'],
      [['--runs', '1:2,2:3', '--log', 'x'], 'Both --runs and --log were given.'],
      [['--runs', '1:2,2:3', 'CMD'], 'A command was given with --runs, which runs none.'],
      [['--pid', '1', '4711'], 'A target was given, and 4711 besides: a running target needs no command.'],
    ] as const) {
      const { code, err } = await runProfiler(['rtf', ...args]);
      expect(code).toBe(2);
      expect(err).toContain(said);
    }
  });
});

/** Writes a program that tells its arguments and then takes a tenth of a second for each simulated one. */
function simulation(folder: string, body: string): string {
  const file = join(folder, 'sim.sh');
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
  return file;
}

describe('profiler rtf --measure', () => {
  it('runs the command at every length, its output on standard error, and tells the line that repeats the answer', async () => {
    const cwd = emptyFolder();
    // Four seconds apart: a busy machine does not start a program so late.
    const file = simulation(cwd, 'echo "ran $*"; [ "$1" = 1 ] || exec sleep 4');
    const { code, out, err } = await runProfiler(
      ['rtf', '--measure', '1,40', '--json', '--', file, '{}', 'for={}', '--json', '{}{}'],
      { cwd },
    );
    expect(code).toBe(0);
    expect(err).toContain('Run 1 of 2: 1 simulated seconds …\nran 1 for=1 --json 11\n');
    expect(err).toContain('ran 40 for=40 --json 4040\n');
    const found = JSON.parse(out);
    expect(found).toMatchObject({ kind: 'rtf', way: 'measure', runs: [{ simS: 1 }, { simS: 40 }] });
    // Sleeping longer than it was told to is the only error that a busy machine adds.
    expect(found.factor).toBeGreaterThan(2);
    expect(found.findings[0]).toMatchObject({
      id: 'scatter-unknown',
      fix: `profiler rtf --measure 1,40 --repeat 3 -- ${file} '{}' 'for={}' --json '{}{}'`,
    });
    const repeated = await runJson(found.again.split(' ').slice(1));
    expect(repeated).toMatchObject({ factor: found.factor, low: found.low, high: found.high });
  });

  it('repeats in turns, after a warm-up that does not count', async () => {
    const cwd = emptyFolder();
    const file = simulation(cwd, 'printf "%s " "$1" >&2; exec sleep "0.$1"');
    const found = await runProfiler(
      ['rtf', '--measure', '9,1', '--repeat', '2', '--warm-up', '--json', '--', file, '{}'],
      { cwd },
    );
    expect(found.err.match(/^(?:Warm-up|Run \d of \d): . simulated/gm)).toEqual([
      'Warm-up: 1 simulated',
      'Run 1 of 4: 9 simulated',
      'Run 2 of 4: 1 simulated',
      'Run 3 of 4: 1 simulated',
      'Run 4 of 4: 9 simulated',
    ]);
    // On a busy machine runs as short as these may scatter too much to say anything.
    const told = JSON.parse(found.out);
    if (told.kind === 'rtf')
      expect(told).toMatchObject({
        bounds: 'scatter',
        runs: [{ simS: 9 }, { simS: 1 }, { simS: 1 }, { simS: 9 }],
      });
    else
      expect(told.findings).toMatchObject([{ id: expect.stringMatching(/^runs-(?:too-close|contradict)$/) }]);
  });

  it('tells of a run that fails, with the line to type', async () => {
    const cwd = emptyFolder();
    const file = simulation(cwd, 'echo no such world; [ "$1" = 1 ] || exit 3');
    const { code, out, err } = await runProfiler(['rtf', '--measure', '1,9', '--', file, '{}'], { cwd });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^no such world\nprofiler: Run 2 of 2 ended with exit code 3 after \d+\.\d\d s\.$/m);
    expect(err).toContain(`  -> ${file} 9\n`);
  });

  it('of runs that are too close tells the line with the command', async () => {
    const cwd = emptyFolder();
    const file = simulation(cwd, 'exec sleep 0.5');
    const { code, err } = await runProfiler(['rtf', '--measure', '1,1.001', '--', file, '{}'], { cwd });
    expect(code).toBe(1);
    // A little more or less: both are refused.
    expect(err).toMatch(/profiler: (?:The runs of|Runs of) 1/);
    expect(err).toContain(` -- ${file} '{}'\n`);
  });

  it('tells of a run that a signal ended, and of a program that is not there', async () => {
    const cwd = emptyFolder();
    const file = simulation(cwd, 'kill -9 $$');
    expect((await runProfiler(['rtf', '--measure', '1,9', '--', file, '{}'], { cwd })).err).toContain(
      'Run 1 of 2 was ended by SIGKILL after',
    );
    const missing = await runProfiler(['rtf', '--measure', '1,9', '--', './nothing', '{}'], { cwd });
    expect(missing.code).toBe(127);
    expect(missing.err).toContain('There is no program called ./nothing.');
  });

  it('refuses a command without {}, no command, and lengths that are one', async () => {
    for (const [args, said] of [
      [['--measure', '1,9', '--', 'sh'], 'sh has no {}.'],
      [['--measure', '1,9'], 'There is no command to measure.'],
      [
        ['--measure', '9,9.0', '--', 'sh', '{}'],
        'It must be two different numbers of seconds or more: 20,40.',
      ],
      [['--measure', '1,-9', '--', 'sh', '{}'], 'It must be seconds above 0: 20,40.'],
      [['--measure', '1,9', '--repeat', '101', '--', 'sh', '{}'], '--repeat 101 is more than 100.'],
    ] as const) {
      const { code, err } = await runProfiler(['rtf', ...args]);
      expect(code).toBe(2);
      expect(err).toContain(said);
    }
  });

  it('ends with its program on Ctrl-C: 130, no answer and nothing left running', async () => {
    const cwd = emptyFolder();
    const file = simulation(
      cwd,
      "trap 'echo got it; exit 0' INT; echo at work; while :; do sleep 0.05; done",
    );
    const child = spawn(process.execPath, [BIN, 'rtf', '--measure', '1,9', '--', file, '{}'], { cwd });
    let err = '';
    let out = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    await vi.waitUntil(() => err.includes('at work'), 60_000);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(out).toBe('');
    // Standard error has closed: whoever had it open has ended.
    expect(err).toMatch(/got it\nprofiler: Interrupted in run 1 of 2: there is no real-time factor\.\n/);
  });
});

describe('profiler rtf --log', () => {
  it('takes what a simulator printed, from standard input too', async () => {
    const input =
      'Simulated 5000 steps in 2.500s (2000 steps/s, 0.20x realtime, end-to-end incl. observation recording and rendering).\n';
    const { code, out } = await runProfiler(['rtf', '--log', '-'], { input });
    expect(code).toBe(0);
    expect(out).toContain(
      '  Real-time factor 0.20: it cannot keep up with real time, and falls behind by\n  80 % however it is paced.\n',
    );
    expect(out).toContain('As the simulator printed it: FlyGym: the loop, line 1.');
    const twice = JSON.parse(
      (
        await runProfiler(['rtf', '--log', '-', '--json'], {
          input: `${input}${input.replace('0.20x', '0.30x')}`,
        })
      ).out,
    );
    expect(twice).toMatchObject({
      kind: 'rtf',
      way: 'log',
      factor: 0.3,
      title: 'FlyGym: the loop',
      lines: { from: 2, to: 2 },
    });
    expect(twice).not.toHaveProperty('low');
    expect(twice.findings.map(({ id }: { id: string }) => id)).toEqual([
      'whole-loop',
      'several-factors',
      'factor-unbounded',
    ]);
  });

  it('takes the loop and not physics alone, of which MuJoCo tells in its timers', async () => {
    const loop = 'Simulated 4400 steps in 24.485s (180 steps/s, 0.90x realtime, whole loop).\n';
    const timers = readFileSync(
      new URL('../fixtures/simulator/mujoco-3.16/timer-step.json', import.meta.url),
      'utf8',
    );
    const { code, out } = await runProfiler(['rtf', '--log', '-'], { input: `${loop}${timers}` });
    expect(code).toBe(0);
    expect(out).toContain('Real-time factor 0.90:');
    expect(out).not.toContain('real-time factors');
    const alone = await runProfiler(['rtf', '--log', '-'], { input: timers });
    expect(alone.code).toBe(1);
    expect(alone.err).toContain('Standard input tells no real-time factor of the whole loop.');
  });

  it('says where none is told', async () => {
    const { code, err } = await runProfiler(['rtf', '--log', '-'], { input: 'nothing\n' });
    expect(code).toBe(1);
    expect(err).toBe(`profiler: Standard input tells no real-time factor.
  FlyGym, testspeed and mujoco_warp print one; roqsim does not.
  -> profiler rtf --measure 20,40 -- CMD --seconds {}
`);
    expect((await runProfiler(['rtf', '--log', 'nowhere'])).err).toContain(
      'nowhere could not be read (ENOENT).',
    );
  });
});
