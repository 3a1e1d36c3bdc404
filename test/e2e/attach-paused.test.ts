import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { startDocker, type TestDocker, whyNoDocker } from '../docker/daemon.js';
import {
  type SimulationContainer,
  startSimulation,
  whyNoSimulation,
} from '../docker/simulation-container.js';
import { TARGET_LABEL } from '../../src/target/index.js';
import { describeWhere, onlyWithAll } from '../only-where.js';
import { BIN as BUILT, PYSPY } from './demo-simulation.js';

const BIN = process.env['PROFILER_BIN'] ?? BUILT;
const why = whyNoDocker ?? whyNoSimulation;

interface Answer {
  readonly findings: readonly { readonly id: string; readonly level: string; readonly fix?: string }[];
}

describeWhere(why === undefined, why ?? '')('a container', (test) => {
  const heavy = onlyWithAll(test);
  let engine: TestDocker;
  let folder: string;
  let sim: SimulationContainer | undefined;

  beforeAll(async () => {
    engine = await startDocker();
    folder = mkdtempSync(join(tmpdir(), 'profiler-e2e-'));
  });
  afterEach(async () => {
    await sim?.container.unpause().catch(() => undefined);
    await sim?.remove();
    sim = undefined;
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await engine.stop();
  });

  const run = (out: string, ...args: readonly string[]) =>
    execa(
      process.execPath,
      [
        BIN,
        'attach',
        '--container',
        sim?.name ?? '',
        '--no-baseline',
        '--json',
        '-o',
        join(folder, out),
        ...args,
      ],
      {
        cwd: folder,
        env: { ...engine.env, XDG_STATE_HOME: join(folder, `${out}-state`), PROFILER_PY_SPY: PYSPY },
        reject: false,
        stdin: 'ignore',
      },
    );
  /** Not before: an engine whose container is paused while it starts a program in it hangs itself. */
  const samples = (out: string, slice: string): boolean => {
    const log = join(folder, out, `slices/${slice}.log`);
    return existsSync(log) && readFileSync(log, 'utf8').includes('Sampling process');
  };
  const journals = (out: string): readonly string[] => {
    const path = join(folder, `${out}-state/sim-profiler/journal`);
    return existsSync(path) ? readdirSync(path) : [];
  };

  for (const via of ['nsenter', 'sidecar', 'exec']) {
    (via === 'nsenter' ? test : heavy)(
      `that is paused ends the recording by ${via}, and what came before is kept`,
      async () => {
        sim = await startSimulation(engine.docker, { name: `e2e-paused-${via}-${process.pid}` });
        const running = run(via, '--via', via, '-d', '60');
        await vi.waitUntil(() => samples(via, '001'), 60_000);
        await sim.container.pause();
        const { exitCode, stdout, stderr } = await running;
        expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
        const { findings } = JSON.parse(stdout) as Answer;
        expect(findings).toContainEqual(
          expect.objectContaining({
            id: 'target-paused',
            level: 'warning',
            fix: `docker unpause ${sim.name}`,
          }),
        );
        expect(findings.map(({ id }) => id)).not.toContain('window-short');
        const { ended, slices } = JSON.parse(readFileSync(join(folder, via, 'recording.json'), 'utf8'));
        expect([ended, slices.length]).toEqual(['target-paused', 1]);
        // A file inside can only be removed once the container runs again.
        expect(stderr.includes('profiler cleanup')).toBe(via === 'exec');
        expect(journals(via).length).toBe(via === 'exec' ? 1 : 0);
      },
    );
  }

  heavy('that is paused before the first slice is an error that says how to go on', async () => {
    sim = await startSimulation(engine.docker, { name: `e2e-paused-first-${process.pid}` });
    const running = run('first', '--via', 'exec', '-d', '60');
    await vi.waitUntil(() => samples('first', '000'), 60_000);
    await sim.container.pause();
    const { exitCode, stdout } = await running;
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'error',
      findings: [{ id: 'target-paused', fix: `docker unpause ${sim.name}` }],
    });
    expect(existsSync(join(folder, 'first/recording.json'))).toBe(false);
  });

  for (const via of ['exec', 'sidecar']) {
    // Finding the right moment takes several tries.
    heavy(`is left as it was when Ctrl-C comes while ${via} is tried`, async () => {
      sim = await startSimulation(engine.docker, { name: `e2e-early-${via}-${process.pid}` });
      const changed = async (): Promise<readonly string[]> =>
        ((await sim?.container.changes()) ?? []).map(({ Path }: { readonly Path: string }) => Path).sort();
      const before = await changed();
      const out = `early-${via}`;
      const running = run(out, '--via', via);
      await vi.waitUntil(() => journals(out).length > 0, { timeout: 60_000, interval: 2 });
      running.kill('SIGINT');
      const { exitCode, stdout, stderr } = await running;
      expect({ exitCode, stderr }).toEqual({
        exitCode: 130,
        stderr: 'Interrupted before the first sample: nothing was recorded.',
      });
      expect(JSON.parse(stdout)).toMatchObject({ kind: 'error', findings: [{ id: 'interrupted' }] });
      expect(journals(out)).toEqual([]);
      expect(await changed()).toEqual(before);
      const beside = await engine.docker.listContainers({ all: true });
      expect(beside.filter(({ Labels }) => Labels[TARGET_LABEL] === sim?.id)).toEqual([]);
      expect(existsSync(join(folder, out))).toBe(false);
    });
  }
});
