import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import {
  positive,
  recordingSeconds,
  sampledRate,
  secondsFromZero,
  wholeFromOne,
} from '../../src/cli/flags.js';
import { emptyFolder, writePacedRecording } from './recording-folder.js';
import { FIXTURES, runJson, runProfiler } from './run-profiler.js';

const BRIDGE = join(FIXTURES, 'cpuprofile/ws-bridge.cpuprofile');
const SAMPLES = join(FIXTURES, 'cpython/01-two-threads.samples');
/** What `Number` takes, or nearly, and nobody means. */
const NO_NUMBERS = [
  '0x1',
  '1e0',
  '0b1',
  ' 1',
  '1 ',
  '+1',
  '-0',
  '',
  ' ',
  '1,5',
  '١',
  'Infinity',
  'NaN',
  '1_0',
  '.',
];
/** An event of perf script. */
const EVENT = 'python3  42/42  10.5: cpu-clock: \n\t    7f0000000000 step+0x10 (/a.so)\n\n';
const idsOf = ({ findings }: { findings: { id: string }[] }) => findings.map(({ id }) => id);

/** A recording of a Node of one slice, 1.1 s long, whose samples have times. */
async function timedRecording(): Promise<string> {
  const folder = emptyFolder();
  const slice = {
    file: 'slices/000.raw',
    format: 'cpuprofile',
    startNs: '1000000000',
    endNs: '2200000000',
    exit: 0,
    accounting: [],
  };
  await writePacedRecording(
    folder,
    'bridge',
    { backend: 'node', rateHz: 1000, slices: [slice], loopRates: [], sources: {} },
    readFileSync(BRIDGE, 'utf8'),
  );
  return folder;
}

describe('hot of an interval', () => {
  it('is of what was measured there, and says which it was', async () => {
    const args = ['hot', BRIDGE, '--by', 'function', '--top', '2'];
    const hot = await runJson([...args, '--from', '0.2', '--to', '0.4']);
    expect(hot.window).toEqual({ from: 0.2, to: 0.4, wallS: 0.2 });
    expect(hot.total).toMatchObject({ weight: 200_000_000, unit: 'nanoseconds' });
    expect(hot.rows.map(({ name, self }: { name: string; self: number }) => [name, self])).toEqual([
      ['(idle)', 188_811_000],
      ['stepPhysics', 6_785_000],
    ]);
    const { out } = await runProfiler([...args, '--from', '0.2', '--to', '0.4']);
    expect(out.replace(/\s+/g, ' ')).toContain('cpuprofile · 0.2 to 0.4 s');
  });

  it('reaches to the end, and from the beginning, where one end is left out', async () => {
    const weightOf = async (...args: string[]): Promise<number> =>
      (await runJson(['hot', BRIDGE, ...args])).total.weight;
    const whole = await weightOf();
    expect((await weightOf('--from', '0.3')) + (await weightOf('--to', '0.3'))).toBe(whole);
    expect((await runJson(['hot', BRIDGE, '--from', '1', '--to', '99'])).window.to).toBe(1.120885);
  });

  it('goes with every way to ask', async () => {
    const cut = ['--from', '0.2', '--to', '0.4'];
    const { out: folded } = await runProfiler(['hot', BRIDGE, '--folded', ...cut]);
    const sum = folded.split('\n').reduce((total, line) => total + Number(/ (\d+)$/.exec(line)?.[1] ?? 0), 0);
    expect(sum).toBe(200_000_000);
    const tree = await runJson(['hot', BRIDGE, '--tree', ...cut]);
    expect(tree.threads[0].total).toBe(200_000_000);
    const hot = await runJson(['hot', BRIDGE, '--bucket', 'gc', ...cut]);
    expect(hot.total.weight).toBe(1_128_000);
  });

  it('of a recording has shares of its samples, and says that the totals of the kernel are not in them', async () => {
    const cwd = await timedRecording();
    const whole = await runJson(['hot', 'bridge', '--by', 'function'], { cwd });
    const hot = await runJson(['hot', 'bridge', '--by', 'function', '--from', '0.2', '--to', '0.4'], { cwd });
    expect(whole.window.from).toBeUndefined();
    expect(hot.window).toMatchObject({ from: 0.2, to: 0.4 });
    expect(hot.total.samples).toBeLessThan(whole.total.samples);
    expect(hot.rows[0]).toMatchObject({ name: '(idle)', self: 188, share: 0.935323 });
    expect(hot.rows[0].self / hot.total.samples).toBeCloseTo(0.935323, 6);
    expect(hot.findings).toContainEqual(
      expect.objectContaining({
        id: 'interval-samples',
        what: `Shares are of the samples in the interval (${hot.total.samples} of all threads); nothing is held against the kernel's totals.`,
      }),
    );
    const { threads, ...buckets } = await runJson(['buckets', 'bridge', '--from', '0.2', '--to', '0.4'], {
      cwd,
    });
    expect(idsOf(buckets)).toEqual(['interval-samples']);
    expect(threads[0].accounting).toBeUndefined();
    expect(buckets.window).toMatchObject({ from: 0.2, to: 0.4 });
  });

  it.each([
    [['--from', '0.4', '--to', '0.4'], 2, 'From 0.4 to 0.4 s is no interval.'],
    [['--to', '0'], 2, 'From 0 to 0 s is no interval.'],
    [['--from', '-1'], 2, 'It must be a number of seconds from 0 to 9007199.'],
    [['--from', '9007200'], 2, 'It must be a number of seconds from 0 to 9007199.'],
    [['--from', '5'], 1, '5 s is outside of the window, which is from 0 to 1.120885 s.'],
    [['--to', '0.001'], 1, 'Between 0 and 0.001 s there is no sample; the window is from 0 to 1.120885 s.'],
  ])('refuses %s', async (args, code, what) => {
    const run = await runProfiler(['hot', BRIDGE, ...args]);
    expect([run.code, run.out]).toEqual([code, '']);
    expect(run.err).toContain(what);
  });

  it.each(NO_NUMBERS)('takes no %j for a number, as no flag does', (text) => {
    for (const parsed of [secondsFromZero, positive, sampledRate, recordingSeconds, wholeFromOne])
      expect(() => parsed(text)).toThrow(InvalidArgumentError);
  });

  it.each(['--from', '--to', '--duration', '--rate', '--min'])('takes no 0x1 for %s', async (flag) => {
    const run = await runProfiler(['hot', BRIDGE, flag, '0x1']);
    expect([run.code, run.out]).toEqual([2, '']);
    expect(run.err).toContain('It must be a number');
  });

  it.each(['.3', '0.3', '0.300', '00.3'])('takes %s for a number', async (text) => {
    expect((await runJson(['hot', BRIDGE, '--from', text])).window.from).toBe(0.3);
  });

  it('names the command that was typed in what to type instead, which works', async () => {
    const commands = [['hot'], ['hot', '--tree'], ['buckets'], ['buckets', '--over-time'], ['waits']];
    const others = [
      ['view', '--once'],
      ['view', '--in', 'firefox', '-o', '-'],
      ['view', '--in', 'perfetto', '-o', '-'],
    ];
    const asked = [
      ...[...commands, ...others.slice(1)].flatMap((words) => [
        [...words, '--from', '5'],
        [...words, '--from', '0.0025', '--to', '0.003'],
      ]),
      [...others[0]!, '--from', '5'],
    ];
    for (const [command = '', ...args] of asked) {
      const { code, err } = await runProfiler([command, SAMPLES, ...args]);
      expect(code).toBe(1);
      const fix = /-> profiler (.*)/.exec(err)?.[1]?.split(' ') ?? [];
      const viewer = args[0] === '--in' ? args.slice(0, 2) : [];
      expect(fix.slice(0, 2 + viewer.length)).toEqual([command, ...viewer, SAMPLES]);
      if (command === 'view' && viewer.length === 0) continue;
      const again = await runProfiler([...fix, ...(viewer.length === 0 ? [] : ['-o', '-'])]);
      expect([again.code, again.err]).toEqual([0, '']);
    }
    const { err } = await runProfiler(['buckets', SAMPLES, '--from', '1', '--to', '1']);
    expect(err).toContain('-> profiler buckets --from 3.2 --to 3.4');
  });

  it('may begin at the very last sample, which is in it', async () => {
    const hot = await runJson(['hot', SAMPLES, '--from', '0.012002345']);
    expect(hot.window).toMatchObject({ from: 0.012002345, to: 0.012002345, wallS: 0 });
    expect(hot.total.weight).toBe(1);
    const after = await runProfiler(['hot', SAMPLES, '--from', '0.012002346']);
    expect(after.err).toContain('0.012002 s is outside of the window, which is from 0 to 0.012002 s.');
    // Of what was measured there is nothing at the end of the last.
    const measured = await runProfiler(['hot', BRIDGE, '--from', '1.120885']);
    expect(measured.err).toContain('1.120885 s is outside of the window, which is from 0 to 1.120885 s.');
  });

  it('refuses a source without times, and says what has them', async () => {
    const folder = emptyFolder();
    await writePacedRecording(folder, 'paced');
    for (const source of ['paced', join(FIXTURES, 'rules/turtle-idle.raw')]) {
      const run = await runProfiler(['hot', source, '--from', '1'], { cwd: folder });
      expect([run.code, run.out]).toEqual([1, '']);
      expect(run.err).toContain(
        'does not say when each sample was taken, so no interval can be cut out of it.',
      );
      expect(run.err).toContain('-> profiler attach --backend cpython');
    }
  });
});

describe('buckets over time', () => {
  it('are a row of marks each, of the physics thread, with what changed', async () => {
    const { out, code } = await runProfiler(['buckets', BRIDGE, '--over-time']);
    expect(code).toBe(0);
    expect(out).toContain('  publishing             7.9 %  ▁  ▂▇█▃▃▅▂▂    0–24 %\n');
    expect(out).toContain('  publishing goes up and down, between 0.0 % and 23.8 %.\n');
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('are numbers for scripts, that sum to 1 in every moment', async () => {
    const found = await runJson(['buckets', BRIDGE, '--over-time', '--from', '0.2', '--to', '0.8']);
    expect([found.kind, found.binS, found.role]).toEqual(['over-time', 0.1, 'physics']);
    expect(found.bins.map(({ from, to }: { from: number; to: number }) => [from, to])).toEqual([
      [0.2, 0.3],
      [0.3, 0.4],
      [0.4, 0.5],
      [0.5, 0.6],
      [0.6, 0.7],
      [0.7, 0.8],
    ]);
    for (const bin of found.bins.keys()) {
      const sum = found.buckets.reduce((all: number, row: { shares: number[] }) => all + row.shares[bin]!, 0);
      expect(sum).toBeCloseTo(1, 5);
    }
    expect(found.changes.map(({ kind, bucket }: Record<string, string>) => [kind, bucket])).toContainEqual([
      'uneven',
      'idle',
    ]);
  });

  it('of a recording go from its first slice to the end of its last', async () => {
    const cwd = await timedRecording();
    const { bins } = await runJson(['buckets', 'bridge', '--over-time'], { cwd });
    expect([bins[0].from, bins.at(-1).to]).toEqual([0, 1.2]);
  });

  it('are none of one moment, which is said as such', async () => {
    for (const input of [EVENT, EVENT.repeat(3)]) {
      const run = await runProfiler(['buckets', '-', '--over-time'], { input });
      expect([run.code, run.out]).toEqual([1, '']);
      expect(run.err).toContain(
        'All samples of Standard input are of one moment, which has no duration that could be drawn.',
      );
      expect(run.err).toContain('-> profiler buckets FILE');
    }
    expect((await runJson(['buckets', '-'], { input: EVENT })).threads[0].samples).toBe(1);
    const last = await runProfiler(['buckets', SAMPLES, '--over-time', '--from', '0.012002345']);
    expect(last.err).toContain('are of one moment');
  });

  it('are none of a source without times', async () => {
    const run = await runProfiler(['buckets', join(FIXTURES, 'rules/turtle-idle.raw'), '--over-time']);
    expect([run.code, run.out]).toEqual([1, '']);
    expect(run.err).toContain(
      'does not say when each sample was taken, so nothing can be said of one second or another.',
    );
  });
});

describe('an interval of samples that know their state', () => {
  it('keeps the states: who waited is told of it', async () => {
    const { threads, window } = await runJson([
      'waits',
      SAMPLES,
      '--thread',
      'lidar',
      '--from',
      '0',
      '--to',
      '0.005',
    ]);
    expect(window).toMatchObject({ from: 0, to: 0.005 });
    expect(threads[0]).toMatchObject({ name: 'lidar', samples: 2 });
    expect(threads[0].whole).toMatchObject({ running: 0, gilWait: 1 });
    const whole = await runJson(['waits', SAMPLES, '--thread', 'lidar']);
    expect(whole.threads[0].whole).toMatchObject({ running: 0.6, gilWait: 0.4 });
  });

  it('has them over time, and takes waits out of the buckets', async () => {
    const { states, buckets } = await runJson(['buckets', SAMPLES, '--over-time']);
    expect(states.map(({ id, share }: { id: string; share: number }) => [id, share])).toEqual([
      ['running', 0.5],
      ['cpu-wait', 0.166667],
      ['sleep', 0.333333],
    ]);
    expect(buckets.map(({ id, share }: { id: string; share: number }) => [id, share])).toEqual([
      ['physics', 0.333333],
      ['unclassified', 0.166667],
      ['cpu-wait', 0.166667],
      ['pacer', 0.333333],
    ]);
  });
});
