import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Recording } from '../../src/recording/index.js';
import { describeWhere } from '../only-where.js';
import { probesNow, whyNoSteps } from '../step-probes.js';
import { type LiveProgram, profiler, rover, truthOver } from './demo-simulation.js';

interface Timed {
  readonly probe: string;
  readonly share: number;
  readonly takenPerS: number;
  readonly waitsPerS: number;
  readonly callers: readonly { readonly name: string; readonly share: number }[];
}
interface Waits {
  readonly findings: readonly { readonly id: string }[];
  readonly threads: readonly {
    readonly accounting: { readonly gilWait: number };
    readonly timed?: Timed;
  }[];
}

describeWhere(whyNoSteps === undefined, whyNoSteps ?? '')('a wait for the GIL', (test) => {
  let sim: LiveProgram;
  let before: string;
  beforeAll(async () => {
    if (whyNoSteps !== undefined) return;
    before = probesNow();
    sim = await rover(['--pacing', 'realtime', '--hz', '200', '--busy', '0.4', '--gil-hog', '0.5']);
  });
  afterAll(() => sim?.stop());

  test('is timed by the kernel as it was sampled, and nothing stays behind', async () => {
    const folder = join(sim.folder, 'r');
    const flags = ['--backend', 'cpython', '-d', '6', '--no-baseline', '--exact-gil', '--json'];
    const attach = await profiler(['attach', '--pid', `${sim.pid}`, ...flags, '-o', folder], {
      cwd: sim.folder,
    });
    expect(attach).toMatchObject({ code: 0 });
    expect(probesNow()).toBe(before);
    const recording = JSON.parse(readFileSync(join(folder, 'recording.json'), 'utf8')) as Recording;
    expect(recording.gil).not.toHaveProperty('lost');
    const { out } = await profiler(['waits', folder, '--json'], { cwd: sim.folder });
    const [main] = (JSON.parse(out) as Waits).threads;
    const windows = recording.slices.map(({ startNs, endNs }) => [startNs, endNs] as const);
    const { gil } = await truthOver(sim.ring, windows);
    const timed = main?.timed;
    expect(timed?.share).toBeGreaterThan(0.1);
    // All that the simulation was off the CPU beyond its sleeps: what its sleeps are late, and other blocking, is in it as well.
    expect(timed?.share).toBeLessThan(gil + 0.01);
    expect(Math.abs((timed?.share ?? 0) - (main?.accounting.gilWait ?? 0))).toBeLessThan(0.05);
    // Every step lets go of it: to sleep, and to step.
    expect(timed?.takenPerS).toBeGreaterThan(300);
    expect(timed?.waitsPerS).toBeLessThanOrEqual(timed?.takenPerS ?? 0);
    const byCaller = timed?.callers.reduce((sum, { share }) => sum + share, 0) ?? 0;
    expect(Math.abs(byCaller - (timed?.share ?? 0))).toBeLessThan(1e-4);
    const told = JSON.parse(attach.out) as Waits;
    expect(told.findings.filter(({ id }) => /^gil-wait-(timed|off)$/.test(id))).toHaveLength(1);
  });

  test('is planned before it is timed', async () => {
    const plan = await profiler(['attach', '--pid', `${sim.pid}`, '--exact-gil', '--dry-run'], {
      cwd: sim.folder,
    });
    expect(plan.out.replaceAll(/\s+/g, ' ')).toMatch(
      /Probes on (take_gil|PyEval_RestoreThread) tell the kernel to write down each time that a thread takes the GIL/,
    );
    expect(probesNow()).toBe(before);
  });

  test('that cannot be timed is refused, and nothing is recorded', async () => {
    const node = spawn(process.execPath, ['-e', 'setInterval(() => {}, 5)'], { stdio: 'ignore' });
    try {
      const folder = join(sim.folder, 'none');
      const run = await profiler(['attach', '--pid', `${node.pid}`, '--exact-gil', '-d', '1', '-o', folder], {
        cwd: sim.folder,
      });
      expect(run.code).toBe(1);
      expect(run.err.replaceAll(/\s+/g, ' ')).toContain(
        `How the threads take the GIL cannot be traced: process ${node.pid} runs no Python of this machine.`,
      );
      expect(existsSync(folder)).toBe(false);
    } finally {
      node.kill();
    }
  });
});
