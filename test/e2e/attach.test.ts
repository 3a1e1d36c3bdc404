import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeWhere, onlyWithAll } from '../only-where.js';
import { BIN, type LiveProgram, PYSPY, SIM_PYTHON, profiler, rover, truthOver } from './demo-simulation.js';

interface Row {
  readonly id: string;
  readonly kind?: string;
  readonly share: number;
  readonly low: number;
  readonly high: number;
}
interface Breakdown {
  readonly window: { readonly wallS: number; readonly rateHz: number };
  readonly findings: readonly { readonly level: string; readonly id: string }[];
  readonly threads: readonly {
    readonly tid: number;
    readonly name: string;
    readonly role: string;
    readonly includesWaiting: boolean;
    readonly accounting: Readonly<Record<string, number>>;
    readonly buckets: readonly Row[];
  }[];
}

const parse = <T>(text: string): T => JSON.parse(text) as T;

describeWhere(existsSync(SIM_PYTHON) && existsSync(PYSPY), 'no .cache/sim-venv: run scripts/test')(
  'attach to the demo simulation',
  (test) => {
    let sim: LiveProgram;
    beforeAll(async () => {
      sim = await rover(['--pacing', 'realtime', '--hz', '200', '--busy', '0.4']);
    });
    afterAll(() => sim?.stop());

    for (const [backend, rateHz] of [
      ['cpython', 500],
      ['py-spy', 250],
    ] as const) {
      // py-spy's are held to the truth by scripts/bench-accuracy, and its recordings by the tests below.
      const one = backend === 'cpython' ? test : onlyWithAll(test);
      one(
        `gives shares that sum to 1 and cover what the simulation says of itself, by ${backend}`,
        async () => {
          const folder = join(sim.folder, `full-${backend}`);
          const run = await profiler(
            [
              'attach',
              '--pid',
              `${sim.pid}`,
              '-d',
              '6',
              '--backend',
              backend,
              // On a machine so busy that the loop never sleeps py-spy's would be half of that.
              '-r',
              `${rateHz}`,
              '--no-baseline',
              '--json',
              '-o',
              folder,
              '--label',
              'e2e',
            ],
            { cwd: sim.folder },
          );
          expect({ code: run.code, err: run.err }).toMatchObject({ code: 0 });
          const answer = parse<Breakdown>(run.out);
          const physics = answer.threads[0];
          expect(physics).toMatchObject({ tid: sim.pid, name: 'MainThread', role: 'physics' });
          for (const { buckets } of answer.threads) {
            if (buckets.length > 0)
              expect(buckets.reduce((sum, row) => sum + row.share, 0)).toBeCloseTo(1, 2);
          }
          expect(answer.window.rateHz).toBe(rateHz);
          expect(answer.window.wallS).toBeGreaterThan(5.5);
          expect(answer.threads.map((thread) => thread.role)).toContain('executor');

          const recording = parse<{
            policy: string;
            ended: string;
            label: string;
            slices: { startNs: string; endNs: string }[];
          }>(readFileSync(join(folder, 'recording.json'), 'utf8'));
          expect(recording).toMatchObject({ policy: 'fifo:50', ended: 'complete', label: 'e2e' });
          expect(statSync(folder).mode & 0o777).toBe(0o700);
          const truth = await truthOver(
            sim.ring,
            recording.slices.map(({ startNs, endNs }) => [startNs, endNs] as const),
          );
          // The kernel's account and the program's own clocks are two sources for one thing.
          const onCpu = Object.values(truth.buckets).reduce((sum, { cpu }) => sum + cpu, 0);
          expect(Math.abs((physics?.accounting['onCpu'] ?? 0) - onCpu)).toBeLessThan(0.03);
          const missed = ['physics', 'raycast', 'publishing', 'plugin'].filter((id) => {
            const row = physics?.buckets.find((bucket) => bucket.id === id);
            const expected = truth.buckets[id]?.[physics?.includesWaiting === true ? 'wall' : 'cpu'] ?? 0;
            return row === undefined || expected < row.low || expected > row.high;
          });
          // Each interval holds the truth in 95 of 100 runs, so one of four may miss in a run.
          expect(missed.length, `outside: ${missed.join(', ')}`).toBeLessThanOrEqual(1);
          // Only states can take the waits out of every bucket.
          if (backend === 'cpython') expect(physics?.includesWaiting).toBe(false);
        },
      );
    }

    test('gives the same words again from the recording', async () => {
      const folder = join(sim.folder, 'again');
      const attach = await profiler(
        ['attach', '--pid', `${sim.pid}`, '-d', '2', '--no-baseline', '-o', folder],
        { cwd: sim.folder },
      );
      expect(attach.code).toBe(0);
      const buckets = await profiler(['buckets', folder, '--thread', 'MainThread', '--json'], {
        cwd: sim.folder,
      });
      const first = await profiler(['buckets', '--thread', 'MainThread', '--json'], { cwd: sim.folder });
      expect(parse<Breakdown>(first.out).threads).toEqual(parse<Breakdown>(buckets.out).threads);
      const hot = await profiler(['hot', folder, '--top', '3', '--json'], { cwd: sim.folder });
      expect(parse<{ rows: unknown[] }>(hot.out).rows).toHaveLength(3);
      const source = await profiler(['hot', folder, '--source'], { cwd: sim.folder });
      expect(source.out).toContain('mujoco.mj_step(');
      const threads = await profiler(['threads', folder], { cwd: sim.folder });
      expect(threads.out).toContain('executor');
      const folded = await profiler(['export', folder, '--to', 'folded', '-o', '-'], { cwd: sim.folder });
      const refolded = join(sim.folder, 'again.folded');
      await profiler(['export', folder, '--to', 'folded', '-o', refolded], { cwd: sim.folder });
      expect(`${readFileSync(refolded, 'utf8')}`.trimEnd()).toBe(folded.out.trimEnd());
    });

    test('plans without touching the target', async () => {
      const flags = ['-d', '8', '--dry-run', '--json', '--backend', 'py-spy'];
      const plan = await profiler(['attach', '--pid', `${sim.pid}`, ...flags], { cwd: sim.folder });
      expect(plan.code).toBe(0);
      const commands = parse<{ plan: { commands: { argv: string[] }[] } }>(plan.out).plan.commands.map(
        ({ argv }) => argv.join(' '),
      );
      expect(commands.filter((line) => line.includes(' record '))).toHaveLength(2);
      expect(commands.every((line) => line.startsWith('chrt -f 50 '))).toBe(true);
      expect(commands.filter((line) => line.startsWith('chrt -f 50 python3 '))).toHaveLength(1);
      expect(commands.join('\n')).not.toContain('--gil');
      expect(existsSync(join(sim.folder, 'recordings/rover_sim-TIME'))).toBe(false);
    });

    test('leaves no folder of its own where nothing was recorded, and the logs in one that was given', async () => {
      const cwd = mkdtempSync(join(tmpdir(), 'profiler-nothing-'));
      const program = join(cwd, 'py-spy');
      writeFileSync(
        program,
        `#!/bin/sh\n[ "$1" = record ] || exec ${PYSPY} "$@"\necho "Error: no such thing"; exit 1\n`,
        { mode: 0o755 },
      );
      const args = ['attach', '--pid', `${sim.pid}`, '--no-baseline', '--json', '--py-spy', program];
      const own = await profiler(args, { cwd });
      expect({ code: own.code, out: own.out, err: own.err }).toMatchObject({ code: 1 });
      expect(own.err).toContain('no such thing');
      expect(readdirSync(join(cwd, 'recordings'))).toEqual(['.gitignore']);

      const given = await profiler([...args, '-o', 'given'], { cwd });
      expect(given.code).toBe(1);
      expect(readdirSync(join(cwd, 'given'), { recursive: true })).toEqual(['slices', 'slices/000.log']);
      expect(readdirSync(join(cwd, 'recordings'))).toEqual(['.gitignore']);

      const misnamed = await profiler([...args, '--thread', '1'], { cwd });
      expect(misnamed.code).toBe(2);
      expect(readdirSync(join(cwd, 'recordings'))).toEqual(['.gitignore']);
    });

    test('leaves no folder when Ctrl-C comes before the first sample', async () => {
      const cwd = mkdtempSync(join(tmpdir(), 'profiler-early-'));
      const child = execa(process.execPath, [BIN, 'attach', '--pid', `${sim.pid}`, '--label', 'early'], {
        cwd,
        env: { PROFILER_PY_SPY: PYSPY },
        reject: false,
      });
      const folders = join(cwd, 'recordings');
      await vi.waitFor(
        () => expect(readdirSync(folders, { recursive: true }).join(' ')).toContain('/slices'),
        30_000,
      );
      child.kill('SIGINT');
      const run = await child;
      expect(run.exitCode).toBe(130);
      expect(run.stderr).toContain('Interrupted before the first sample: nothing was recorded.');
      expect(run.stderr).not.toContain('what was recorded is kept');
      expect(readdirSync(folders)).toEqual(['.gitignore']);
    });

    test('keeps what it has on Ctrl-C, exits 130 and leaves nothing behind', async () => {
      const folder = join(sim.folder, 'interrupted');
      const child = execa(
        process.execPath,
        [BIN, 'attach', '--pid', `${sim.pid}`, '-d', '60', '--no-baseline', '--json', '-o', folder],
        {
          cwd: sim.folder,
          env: { PROFILER_PY_SPY: PYSPY },
          reject: false,
        },
      );
      while (!existsSync(join(folder, 'recording.json'))) {
        await new Promise((resolve) => {
          setTimeout(resolve, 50);
        });
      }
      child.kill('SIGINT');
      const run = await child;
      expect(run.exitCode).toBe(130);
      expect(parse<Breakdown>(run.stdout).threads[0]).toMatchObject({ role: 'physics' });
      expect(parse<{ ended: string }>(readFileSync(join(folder, 'recording.json'), 'utf8')).ended).toBe(
        'interrupted',
      );
      const left = await execa('pgrep', ['-f', `(py-spy|state-sampler|sched_setaffinity).*${sim.pid}( |$)`], {
        reject: false,
      });
      expect(left.stdout).toBe('');
      expect(readFileSync(`/proc/${sim.pid}/stat`, 'utf8')).toMatch(/\) [RS] /);
    });
  },
);

describeWhere(existsSync(SIM_PYTHON) && existsSync(PYSPY), 'no .cache/sim-venv: run scripts/test')(
  'a target that ends while it is recorded',
  (test) => {
    // A target that is killed is tried in any case.
    const heavy = onlyWithAll(test);
    heavy('keeps what was recorded and says so', async () => {
      const sim = await rover(['--pacing', 'realtime', '--hz', '500', '--busy', '0.2', '--seconds', '9']);
      const folder = mkdtempSync(join(tmpdir(), 'profiler-ended-'));
      const run = await profiler(
        ['attach', '--pid', `${sim.pid}`, '-d', '60', '--no-baseline', '--json', '-o', join(folder, 'r')],
        { cwd: folder },
      );
      await sim.stop();
      expect({ code: run.code, err: run.err }).toMatchObject({ code: 0 });
      const answer = parse<Breakdown>(run.out);
      expect(answer.findings.map((finding) => finding.id)).toContain('target-ended');
      expect(answer.threads[0]?.role).toBe('physics');
    });
  },
);

it('the build is there', () => {
  expect(existsSync(BIN), 'run npm run build first').toBe(true);
});
