import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, expect } from 'vitest';
import { describeWhere, onlyWithAll } from '../only-where.js';
import { BIN } from './demo-simulation.js';
import { whyNoPerf } from './why-no-perf.js';
import { startTruthLoop, type Truth, type TruthLoop, TRUTH_PACK, whyNoCompiler } from './truth-loop.js';

const why = whyNoCompiler ?? whyNoPerf;

interface Answer {
  readonly threads: readonly {
    readonly tid: number;
    readonly accounting: { readonly onCpu: number; readonly cpuWait: number };
    readonly buckets: readonly { readonly id: string; readonly share: number }[];
  }[];
  readonly findings: readonly { readonly id: string; readonly level: string }[];
}

async function attach(live: TruthLoop, ...args: readonly string[]) {
  const out = join(live.folder, `r-${args.length}`);
  const ran = await execa(
    process.execPath,
    [
      BIN,
      'attach',
      '--pid',
      String(live.pid),
      '-o',
      out,
      '--rules',
      TRUTH_PACK,
      '--thread',
      'truth_loop',
      '--json',
      ...args,
    ],
    { reject: false, env: { XDG_STATE_HOME: live.folder } },
  );
  expect({ code: ran.exitCode, err: ran.stderr }).toMatchObject({ code: 0 });
  const recording = JSON.parse(readFileSync(join(out, 'recording.json'), 'utf8')) as {
    readonly backend: string;
    readonly rateHz: number;
    readonly slices: readonly { readonly file: string; readonly startNs: string; readonly endNs: string }[];
  };
  const truth = live.truthOver(
    recording.slices.map((one) => [BigInt(one.startNs), BigInt(one.endNs)] as const),
  );
  return { answer: JSON.parse(ran.stdout) as Answer, recording, truth, out };
}

const BUCKETS = ['physics', 'raycast', 'publishing'] as const satisfies readonly (keyof Truth)[];
/** Points between the answer and the truth, of each bucket. */
function errors(answer: Answer, truth: Truth): readonly number[] {
  const buckets = answer.threads[0]?.buckets ?? [];
  return BUCKETS.map(
    (id) => 100 * Math.abs((buckets.find((bucket) => bucket.id === id)?.share ?? 0) - truth[id]),
  );
}

describeWhere(why === undefined, why ?? '')('perf on a program that knows its truth', (test) => {
  let loop: TruthLoop | undefined;
  afterAll(async () => {
    await loop?.stop();
    if (loop !== undefined) rmSync(loop.folder, { recursive: true, force: true });
  });

  test('shares hold against it, at a rate that a user gave and perf must not take', async () => {
    loop = await startTruthLoop(['500', '400', '200', '100'], ['-fno-omit-frame-pointer']);
    const { answer, recording, truth, out } = await attach(loop, '-d', '8', '--no-baseline', '--rate', '500');
    expect(recording).toMatchObject({ backend: 'perf', rateHz: 499 });
    expect(answer.findings.map(({ id }) => id)).toContain('rate-moved');
    expect(answer.threads[0]?.tid).toBe(loop.pid);
    for (const error of errors(answer, truth)) expect(error).toBeLessThan(4);
    // All of the rest is known, too: asleep, or waiting for a CPU. A libc without frame pointers hides who called it.
    const shares = new Map(answer.threads[0]?.buckets.map(({ id, share }) => [id, share]));
    const { onCpu = 0, cpuWait = 0 } = answer.threads[0]?.accounting ?? {};
    const asleep = (shares.get('pacer') ?? 0) + (shares.get('idle') ?? 0);
    expect(Math.abs(asleep - (1 - onCpu - cpuWait))).toBeLessThan(0.02);
    expect(shares.get('cpu-wait')).toBeCloseTo(cpuWait, 6);
    expect(shares.has('gil-wait')).toBe(false);
    // Both are kept: what perf wrote, and what can be read without it.
    for (const { file } of recording.slices) {
      expect(existsSync(join(out, file))).toBe(true);
      expect(existsSync(join(out, file.replace('.folded', '.perf.data')))).toBe(true);
    }
    await loop.stop();
  });

  // Those of the simulation in a container are, too.
  const heavy = onlyWithAll(test);
  heavy('stacks without frame pointers are unwound from copies', async () => {
    loop = await startTruthLoop(['200', '500', '300', '200'], ['-fomit-frame-pointer', '-g']);
    const { answer, truth } = await attach(loop, '-d', '5', '--no-baseline');
    for (const error of errors(answer, truth)) expect(error).toBeLessThan(5);
    expect(answer.findings.map(({ id }) => id)).toContain('perf-dwarf');
    expect(answer.threads[0]?.buckets.find(({ id }) => id === 'pacer')?.share).toBeGreaterThan(0.3);
    await loop.stop();
  });

  test('says what keeps it from a process, and leaves nothing in the home folder', async () => {
    loop = await startTruthLoop(['200', '500', '300', '200'], []);
    const ran = await execa(
      process.execPath,
      [BIN, 'attach', '--pid', String(loop.pid), '--via', 'sidecar'],
      {
        reject: false,
      },
    );
    expect([ran.exitCode, ran.stderr]).toEqual([
      2,
      expect.stringContaining('perf measures from this machine itself'),
    ]);
    const missing = await execa(process.execPath, [BIN, 'attach', '--pid', String(loop.pid)], {
      reject: false,
      extendEnv: false,
      env: { PATH: '/nonexistent' },
    });
    expect([missing.exitCode, missing.stderr]).toEqual([
      1,
      expect.stringContaining('The sampler perf was not found.'),
    ]);
    expect(execFileSync('ls', ['-A', loop.folder], { encoding: 'utf8' })).not.toContain('.debug');
  });
});
