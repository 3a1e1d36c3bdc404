import { describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { FIXTURES, runJson, runProfiler } from './run-profiler.js';

const MAIN = 'thread (5): MainThread;main (roqsim/runner.py:9);step (roqsim/engine.py:278)';
const SPINNER = 'thread (6): spin;run (threading.py:953);spin (rclpy/executors.py:295)';

interface Answer {
  readonly findings: readonly { readonly id: string; readonly what: string }[];
}

async function leftOut(file: string, flags: readonly string[] = []): Promise<readonly string[]> {
  const { findings } = (await runJson(['buckets', '-', ...flags], { input: file })) as Answer;
  return findings.filter(({ id }) => id === 'samples-left-out').map(({ what }) => what);
}

describe('a file that py-spy wrote without --idle', () => {
  it('is told by the looks that the user states', async () => {
    const window = ['--duration', '2', '--rate', '100'];
    expect(await leftOut(`${MAIN} 179\n`, window)).toEqual([
      'MainThread has 179 samples of 200 looks: the rest was left out.',
    ]);
    expect(await leftOut(`${MAIN} 180\n`, window)).toEqual([]);
  });

  it('is told by a thread that was seen more often', async () => {
    expect(await leftOut(`${MAIN} 640\n${SPINNER} 1500\n`)).toEqual([
      'MainThread has 640 samples of at least 1,500 looks: the rest was left out.',
    ]);
    expect(await leftOut(`${MAIN} 1500\n${SPINNER} 640\n`)).toEqual([]);
  });

  it('is told of the main thread though another one has more to say, and of one that was named', async () => {
    const main = 'thread (5): MainThread;main (app.py:9);wait (app.py:278)';
    const step = 'thread (6): sim;run (roqsim/runner.py:9);step (roqsim/engine.py:278)';
    const left = ['MainThread has 151 samples of at least 389 looks: the rest was left out.'];
    expect(await leftOut(`${main} 151\n${step} 389\n`)).toEqual(left);
    expect(await leftOut(`${main} 151\n${step} 389\n`, ['--thread', 'MainThread'])).toEqual(left);
  });

  it('cannot be told from one thread alone, nor of other formats', async () => {
    expect(await leftOut(`${MAIN} 640\n`)).toEqual([]);
    expect(await leftOut('python;main;step 640\nspin;wait 1500\n', ['--format', 'folded'])).toEqual([]);
  });
});

async function errorsTold(errors: number): Promise<readonly string[]> {
  const { findings } = (await runJson(['buckets', '-'], {
    input: `${MAIN} 95\npy-spy> Wrote raw flamegraph data. Samples: 95 Errors: ${errors}\n`,
  })) as Answer;
  return findings.filter(({ id }) => id === 'sampler-errors').map(({ what }) => what);
}

it('a file of which py-spy failed to read many stacks is doubted', async () => {
  expect(await errorsTold(6)).toEqual(['The sampler failed to read 6 of 101 stacks.']);
  expect(await errorsTold(5)).toEqual([]);
});

describe('samples without a usable stack', () => {
  it.each([
    ['cpython/01-two-threads.samples', '11 samples · 2 threads'],
    ['perf-script/frames-01-cpp-function-type-in-template.txt', undefined],
  ])('are counted alike in the first lines of all answers: %s', async (name, line) => {
    const source = join(FIXTURES, name);
    const firsts = await Promise.all(
      [['hot'], ['hot', '--tree'], ['buckets'], ['threads'], ['report', '--md']].map(async (args) => {
        const { out } = await runProfiler([...args, source]);
        return /[\d,]+ samples? · [\d,]+ threads?/.exec(out)?.[0];
      }),
    );
    expect(new Set(firsts)).toEqual(new Set([line ?? firsts[0]]));
    expect(firsts[0]).toBeDefined();
  });

  it('are no reason to leave a thread out of an interval that has none but those', async () => {
    const source = join(FIXTURES, 'cpython/01-two-threads.samples');
    const cut = ['--from', '0.012', '--to', '0.013'];
    const { threads } = await runJson(['buckets', source, ...cut]);
    expect(threads.map(({ name, samples, lost }: Record<string, unknown>) => [name, samples, lost])).toEqual([
      ['MainThread', 0, 1],
    ]);
  });
});
