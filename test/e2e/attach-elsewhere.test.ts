import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { readStat } from '../../src/target/index.js';
import { listIds } from '../../src/target/proc/file.js';
import { startDocker, type TestDocker, whyNoDocker } from '../docker/daemon.js';
import {
  type SimulationContainer,
  startSimulation,
  whyNoSimulation,
} from '../docker/simulation-container.js';
import { describeWhere, onlyWithAll } from '../only-where.js';
import { BIN, PYSPY } from './demo-simulation.js';

const why =
  whyNoDocker ?? whyNoSimulation ?? (existsSync(PYSPY) ? undefined : 'no .cache/sim-venv: run scripts/test');

/** A machine of its own, as far as processes go: its /proc shows none of the engine's. */
const ELSEWHERE = ['--pid', '--fork', '--mount-proc', '--kill-child'];

interface Ran {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

interface Answer {
  readonly threads: readonly {
    readonly role: string;
    readonly tid: number;
    readonly totals?: unknown;
    readonly buckets: readonly { readonly id: string; readonly share: number }[];
  }[];
  readonly findings: readonly { readonly id: string; readonly level: string }[];
}

function childrenOf(pid: number): readonly number[] {
  return listIds('/proc').filter((one) => readStat(one)?.ppid === pid);
}

describeWhere(why === undefined, why ?? '')('attach to a container of an engine elsewhere', (test) => {
  const heavy = onlyWithAll(test);
  let engine: TestDocker;
  let sim: SimulationContainer;
  let folder: string;
  beforeAll(async () => {
    engine = await startDocker();
    folder = mkdtempSync(join(tmpdir(), 'profiler-e2e-'));
    sim = await startSimulation(engine.docker, { name: 'e2e-elsewhere', init: true });
  });
  afterAll(async () => {
    await sim?.remove();
    await engine?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const profiler = async (...args: readonly string[]): Promise<Ran> => {
    const { exitCode, stdout, stderr } = await execa(
      'unshare',
      [...ELSEWHERE, process.execPath, BIN, ...args],
      {
        cwd: folder,
        reject: false,
        env: { ...engine.env, XDG_STATE_HOME: join(folder, 'state'), PROFILER_PY_SPY: PYSPY },
      },
    );
    return { exitCode, stdout, stderr };
  };
  const journals = (): readonly string[] => {
    const path = join(folder, 'state/sim-profiler/journal');
    return existsSync(path) ? readdirSync(path) : [];
  };
  const containers = async (): Promise<readonly string[]> =>
    (await engine.docker.listContainers({ all: true })).map(({ Id }) => Id);

  // In every run test/target/routes/elsewhere.test.ts samples so.
  heavy('samples it by a sidecar, by samples alone, and leaves nothing', async () => {
    const out = join(folder, 'r');
    const ran = await profiler('attach', '--container', sim.name, '-d', '5', '-o', out, '--json');
    expect({ code: ran.exitCode, err: ran.stderr }).toMatchObject({ code: 0 });
    const answer = JSON.parse(ran.stdout) as Answer;
    const [physics] = answer.threads;
    // The container's own numbers: no others are known.
    expect(physics).toMatchObject({ role: 'physics', tid: sim.nsPid });
    expect(physics?.totals).toBeUndefined();
    const shares = new Map(physics?.buckets.map(({ id, share }) => [id, share]));
    expect(shares.get('physics')).toBeGreaterThan(0);
    // Told by the line that sleeps, which was fetched through the engine.
    expect(shares.get('pacer')).toBeGreaterThan(0.3);
    expect(answer.findings.filter(({ level }) => level === 'warning').map(({ id }) => id)).toEqual(
      expect.arrayContaining(['kernel-elsewhere', 'sampler-normal-priority']),
    );
    const recording = JSON.parse(readFileSync(join(out, 'recording.json'), 'utf8')) as {
      readonly route: string;
      readonly target: object;
      readonly loopRates: readonly unknown[];
      readonly sources: Readonly<Record<string, { readonly short: string }>>;
      readonly slices: readonly { readonly accounting: readonly unknown[] }[];
    };
    expect(recording).toMatchObject({
      route: 'sidecar',
      target: { pid: sim.nsPid, nsPid: sim.nsPid, containerName: sim.name },
      loopRates: [],
    });
    expect(recording.slices.flatMap(({ accounting }) => accounting)).toEqual([]);
    expect(Object.values(recording.sources).map(({ short }) => short)).toContain('rover_sim/engine.py');
    expect(await containers()).toEqual([sim.id]);
    expect(journals()).toEqual([]);
  });

  test('says what runs there where nothing fits, and that a plan would have to look', async () => {
    const none = await profiler('attach', '--container', sim.name, '--match', 'nowhere');
    expect(none.exitCode).toBe(1);
    expect(none.stderr).toContain(
      `No Python of container ${sim.name} has a command line that matches /nowhere/.`,
    );
    expect(none.stderr).toContain(`${sim.nsPid} inside: `);
    const plan = await profiler('attach', '--container', sim.name, '--dry-run');
    expect(plan.exitCode).toBe(1);
    expect(plan.stderr).toContain('which is not a process of this one');
    expect(await containers()).toEqual([sim.id]);
    expect(journals()).toEqual([]);
  });

  test('leaves nothing when Ctrl-C comes during the search', async () => {
    const child = spawn(
      'unshare',
      [...ELSEWHERE, process.execPath, BIN, 'attach', '--container', sim.name, '-d', '3'],
      {
        cwd: folder,
        env: { ...process.env, ...engine.env, XDG_STATE_HOME: join(folder, 'state'), PROFILER_PY_SPY: PYSPY },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      // unshare keeps the signal from its child: it goes to the profiler, which is the first process there.
      if (err === '' && text.includes('Looking for'))
        for (const pid of childrenOf(child.pid ?? 0)) process.kill(pid, 'SIGINT');
      err += text;
    });
    await once(child, 'exit');
    expect([child.exitCode, err]).toEqual([
      130,
      expect.stringContaining('Interrupted: nothing was recorded.'),
    ]);
    expect(await containers()).toEqual([sim.id]);
    expect(journals()).toEqual([]);
  });

  heavy('notices that it is paused, and keeps what was recorded until then', async () => {
    const out = join(folder, 'paused');
    const running = profiler('attach', '--container', sim.name, '-d', '12', '-o', out, '--json');
    await vi.waitFor(() => expect(existsSync(join(out, 'recording.json'))).toBe(true), {
      timeout: 60_000,
      interval: 20,
    });
    await sim.container.pause();
    const ran = await running;
    await sim.container.unpause();
    expect({ code: ran.exitCode, err: ran.stderr }).toMatchObject({ code: 0 });
    const { findings } = JSON.parse(ran.stdout) as Answer;
    expect(findings.map(({ id }) => id)).toContain('target-paused');
    expect(await containers()).toEqual([sim.id]);
  });

  heavy('is in use by a profiler in another pid namespace, which cleanup leaves alone', async () => {
    const running = profiler(
      'attach',
      '--container',
      sim.name,
      '-d',
      '5',
      '-o',
      join(folder, 'used'),
      '--json',
    );
    await vi.waitFor(async () => expect((await containers()).length).toBeGreaterThan(1), {
      timeout: 60_000,
      interval: 20,
    });
    const { stdout } = await execa(process.execPath, [BIN, 'cleanup', '--json'], {
      env: { ...engine.env, XDG_STATE_HOME: join(folder, 'state') },
    });
    expect(JSON.parse(stdout)).toMatchObject({ items: [] });
    expect((await running).exitCode).toBe(0);
    expect(await containers()).toEqual([sim.id]);
  });

  test('is told by doctor', async () => {
    const { stdout } = await profiler('doctor', '--container', sim.name, '--json');
    const { checks } = JSON.parse(stdout) as {
      readonly checks: readonly { readonly id: string; readonly state: string }[];
    };
    const states = new Map(checks.map(({ id, state }) => [id, state]));
    expect(['nsenter', 'sidecar', 'exec', 'host'].map((id) => states.get(`route-${id}`))).toEqual([
      'fails',
      'limited',
      'fails',
      'fails',
    ]);
  });
});
