import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder, writePacedRecording } from './recording-folder.js';
import { runJson, runProfiler } from './run-profiler.js';

let cwd = '';
beforeAll(async () => {
  cwd = emptyFolder();
  await writePacedRecording(cwd, 'older', { createdAt: '2026-11-29T14:00:00.000Z', label: 'first' });
  await writePacedRecording(cwd, 'newer');
});

describe('buckets of a recording', () => {
  it('is the newest one by default, shared out by the kernel totals', async () => {
    const { code, out } = await runProfiler(['buckets'], { cwd });
    expect(code).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "  paced · pid 100, 27 inside (python3 /app/run.py) · route: nsenter, no restart
        · 2.0 s at 250 Hz, real-time priority
        1,000 samples · 3 threads

        The physics thread (MainThread) is busy 40.0 % of the time. Its pacer sleeps
        60.2 %: it keeps up with the pace it was given, unless single steps are much
        longer than the others.
        While the pacer keeps up, a faster bucket raises no real-time factor. The
        real-time factor cannot be told from a profile. If you measured one below its
        target, look at the pacer and at single long steps, not at the mean step.

        MainThread             wall                 95 %  of work  if free
        physics              38.8 %  ███▏      37.1–40.4    100 %    39.7×
        waiting for the GIL   0.0 %                exact
        waiting for a CPU     1.0 %  ▏             exact
        pacer/sleep          60.2 %  ████▉     58.9–61.5
        Shares are of the wall time of MainThread (500 samples). A full bar is 100 %.

        executor                    wall                  95 %  of work
        unclassified/not-sampled   0.3 %  ▏              exact    100 %
        waiting for the GIL        0.0 %                 exact
        waiting for a CPU          0.0 %                 exact
        idle                      99.8 %  ████████  98.4–100.0
        Shares are of the wall time of executor (500 samples). A full bar is 100 %.

        Reliability: totals from the kernel; samples agree with them (0.0 points); no
        change of its loop rate beyond chance while it was recorded (-0.7 to +0.4 %);
        0 read errors.
        Note: Software rendering (llvmpipe) is in use: its thread was on a CPU for
          45 % of the window in sum. No GPU renders for this process, often because
          the container has none.
          -> pass a GPU to the process and set MUJOCO_GL=egl, or render less
        1 other thread not shown here: profiler threads
        Recording: recordings/newer
        Next: profiler hot · profiler view · profiler report
      "
    `);
  });

  it('is found by folder and by label', async () => {
    expect((await runJson(['buckets', 'recordings/older'], { cwd })).source.path).toBe('recordings/older');
    expect((await runJson(['buckets', 'first'], { cwd })).source.path).toBe('recordings/older');
    expect((await runJson(['buckets', 'paced'], { cwd })).source.path).toBe('recordings/newer');
  });

  it('gives JSON whose shares of each thread sum to 1, with exact accounting', async () => {
    const { kind, window, threads } = await runJson(['buckets'], { cwd });
    expect(kind).toBe('breakdown');
    expect(window).toEqual({ wallS: 2, rateHz: 250, achievedRateHz: 250, ticks: 500, errors: 0 });
    const [main, executor, driver] = threads;
    expect([main.name, main.role, main.tid, main.nsTid]).toEqual(['MainThread', 'physics', 100, 27]);
    expect(main.accounting).toEqual({
      onCpu: 0.4,
      cpuWait: 0.01,
      blocked: 0.59,
      gilWait: 0,
      sleep: 0.59,
      otherBlocked: 0,
    });
    for (const thread of [main, executor]) {
      const sum = thread.buckets.reduce((all: number, bucket: { share: number }) => all + bucket.share, 0);
      expect(sum).toBeCloseTo(1, 5);
    }
    // On CPU less the CPU of 500 sleep calls a second, 25 us each.
    const physics = main.buckets.find((bucket: { id: string }) => bucket.id === 'physics');
    expect(physics).toMatchObject({ share: 0.3875, rawShare: 0.4, samples: 200, ofWork: 1, ceiling: 39.75 });
    expect([driver.name, driver.role, driver.buckets]).toEqual(['llvmpipe-0', 'driver', []]);
  });

  it('takes the thread that is named as the physics thread', async () => {
    const { out } = await runProfiler(['buckets', '--thread', 'executor'], { cwd });
    expect(out).toContain('The physics thread (executor) is busy 0.5 % of the time.');
    expect(out).not.toContain('MainThread');
    expect(
      (await runJson(['buckets', '--thread', '27'], { cwd })).threads.map((one: { tid: number }) => one.tid),
    ).toEqual([100]);
  });
});

describe('threads of a recording', () => {
  it('shows those that only the kernel saw, too', async () => {
    const { out } = await runProfiler(['threads'], { cwd });
    expect(out).toMatchInlineSnapshot(`
      "  paced · pid 100, 27 inside (python3 /app/run.py) · route: nsenter, no restart
        · 2.0 s at 250 Hz, real-time priority
        1,000 samples · 3 threads

        thread      tid  role                on CPU  waits  blocked    GIL
        MainThread  100  physics   ███┊░░░░  40.0 %  1.0 %   59.0 %  0.0 %
        executor    101  executor  ▏░░░░░░░   0.5 %  0.0 %   99.5 %  0.0 %
        llvmpipe-0  102  driver    ███┊░░░░  45.0 %  2.0 %   53.0 %  0.0 %
        Each thread against its own wall time, from the kernel: exact. Bars: █ on a
        CPU, ▒ waiting for one, ░ blocked; thin marks are less than half a column.
        llvmpipe-0 (driver) and the physics thread are on a CPU at the same time for
        at most 40.0 % of the window.
        executor (executor) was on a CPU 0.5 % of the time, waited 0.0 % for one and
        was blocked 99.5 %, as the kernel counts: so it hardly competes with others.
        Note: Software rendering (llvmpipe) is in use: its thread was on a CPU for
          45 % of the window in sum. No GPU renders for this process, often because
          the container has none.
          -> pass a GPU to the process and set MUJOCO_GL=egl, or render less
        Next: profiler buckets (3 threads) · profiler hot --thread NAME
      "
    `);
  });
});

describe('hot of a recording', () => {
  it('gives stacks the share that their bucket has', async () => {
    const { rows, total } = await runJson(['hot'], { cwd });
    expect(total).toEqual({ weight: 1000, unit: 'samples', samples: 1000, stacks: 3, threads: 2 });
    expect(
      rows.map((row: { bucket: string; thread: string; share: number }) => [
        row.thread,
        row.bucket,
        row.share,
      ]),
    ).toEqual([
      ['MainThread', 'pacer', 0.6025],
      ['MainThread', 'physics', 0.3875],
      ['executor', 'idle', 0.9975],
    ]);
    expect(rows[1].stack.at(-1)).toBe('step (roqsim/engine.py:278)');
  });

  it('shows the hot lines in their code', async () => {
    const { out } = await runProfiler(['hot', '--source', '--thread', 'MainThread'], { cwd });
    expect(out).toBe(
      [
        '  roqsim/clock.py',
        '  self  total  line',
        '   300    300    50          time.sleep(left)',
        '',
        '  roqsim/engine.py',
        '  self  total  line',
        '                277          for _ in range(n):',
        '   200    200   278              mujoco.mj_step(self.model, self.data)',
        '',
        '',
      ]
        .join('\n')
        .slice(0, -1),
    );
  });
});

describe('ticks of a recording', () => {
  const slice = {
    file: 'slices/000.raw',
    format: 'pyspy-raw',
    startNs: '0',
    endNs: '2000000000',
    samples: 1000,
    exit: 0,
    accounting: [],
  };

  it('are the looks of the sampler, however many threads each of them saw', async () => {
    const folder = emptyFolder();
    await writePacedRecording(folder, 'two', { slices: [{ ...slice, errors: 4 }] });
    for (const command of ['hot', 'buckets', 'threads'])
      expect((await runJson([command], { cwd: folder })).window).toMatchObject({ ticks: 504, errors: 4 });
    const { out } = await runProfiler(['hot'], { cwd: folder });
    expect(out).toContain('1,000 samples · 2 threads · 504 ticks · 1.98 samples per tick · 4 read errors');
  });

  it('are left out where the sampler did not say how many failed', async () => {
    const folder = emptyFolder();
    await writePacedRecording(folder, 'killed', { slices: [slice] });
    expect((await runJson(['hot'], { cwd: folder })).window).not.toHaveProperty('ticks');
    expect((await runProfiler(['hot'], { cwd: folder })).out).not.toContain('tick');
  });
});

describe('what is no recording', () => {
  it('says that a folder has no manifest', async () => {
    mkdirSync(join(cwd, 'plain'));
    const { code, out, err } = await runProfiler(['buckets', 'plain'], { cwd });
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe(
      'profiler: plain is a folder, but no recording: it has no recording.json.\n' +
        '  Only folders that profiler attach wrote can be read whole.\n' +
        '  -> profiler recordings list\n',
    );
  });

  it('says that nothing was recorded here', async () => {
    const { code, err } = await runProfiler(['hot'], { cwd: emptyFolder() });
    expect(code).toBe(1);
    expect(err).toContain('There is no recording in ');
    expect(err).toContain('-> profiler attach --pid PID');
  });

  it('says that a recording is of a newer version', async () => {
    const folder = emptyFolder();
    await writePacedRecording(folder, 'future', { schema: 'sim-profiler/recording/v2' as never });
    const { code, err } = await runProfiler(['hot', 'recordings/future'], { cwd: folder });
    expect(code).toBe(1);
    expect(err.split('\n')[0]).toMatch(/sim-profiler\/recording\/v2/);
  });

  it('says that a recording holds no samples, with exit code 1 and no table', async () => {
    const folder = emptyFolder();
    await writePacedRecording(folder, 'idle', {}, '');
    const { code, out, err } = await runProfiler(['buckets'], { cwd: folder });
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('profiler: No samples of recordings/idle could be read.');
  });
});
