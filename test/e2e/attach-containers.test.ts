import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { startDocker, type TestDocker, whyNoDocker } from '../docker/daemon.js';
import {
  LIGHT_LOAD,
  type SimulationContainer,
  type SimulationOptions,
  startSimulation,
  whyNoSimulation,
} from '../docker/simulation-container.js';
import { TARGET_LABEL } from '../../src/target/index.js';
import { ALL, describeWhere, itWhere, onlyWithAll } from '../only-where.js';
import { profiler } from './demo-simulation.js';
import { whyNoPerf } from './why-no-perf.js';

const why = whyNoDocker ?? whyNoSimulation;

interface Answer {
  readonly findings: readonly { readonly level: string; readonly id: string; readonly what: string }[];
  readonly threads: readonly {
    readonly tid: number;
    readonly nsTid?: number;
    readonly role: string;
    readonly buckets: readonly { readonly id: string; readonly share: number }[];
  }[];
}

/** Hostile targets; each is attached to by one route, so that every route and every target comes up. */
const DROPS: Partial<SimulationOptions> = { drop: true };
const HARD: Partial<SimulationOptions> = {
  user: '1000:1000',
  readOnly: true,
  noexecTmp: true,
  capDrop: ['ALL'],
  noNewPrivileges: true,
  cpus: 0.5,
  pidsLimit: 64,
  flags: ['--pacing', 'realtime', '--hz', '200', '--load', LIGHT_LOAD],
};
type Case = readonly [route: string, target: string, options: Partial<SimulationOptions>];
const SLOW: Partial<SimulationOptions> = {
  cpus: 0.5,
  flags: ['--pacing', 'realtime', '--hz', '200', '--load', LIGHT_LOAD],
};
const CASES: readonly Case[] = [
  ['sidecar', 'root that drops to 1000:1000', DROPS],
  ['exec', 'all of it', HARD],
];
/** With --all: test/target/routes has every route in each of these; the full matrix against the truth is scripts/bench-routes. */
const MORE: readonly Case[] = [
  ['host', 'root', {}],
  ['nsenter', 'root', {}],
  ['exec', 'root that drops to 1000:1000', DROPS],
  ['exec', 'user 1000', { user: '1000' }],
  ['exec', 'a read-only root', { readOnly: true }],
  ['exec', 'a /tmp that runs nothing', { noexecTmp: true }],
  ['sidecar', 'no new privileges', { noNewPrivileges: true, user: '1000:1000' }],
  ['nsenter', 'half a CPU', SLOW],
  ['sidecar', 'an init of its own', { init: true }],
  ['nsenter', 'a restart policy', { restart: 'always' }],
  ['exec', 'no capabilities', { capDrop: ['ALL'], user: '1000:1000' }],
  ['sidecar', 'root', {}],
  ['exec', 'root', {}],
  ['nsenter', 'all of it', HARD],
  ['sidecar', 'all of it', HARD],
];

describeWhere(why === undefined, why ?? '')('attach to a container', (test) => {
  let engine: TestDocker;
  let folder: string;
  let sim: SimulationContainer | undefined;

  beforeAll(async () => {
    engine = await startDocker();
    folder = mkdtempSync(join(tmpdir(), 'profiler-e2e-'));
  });
  afterEach(async () => {
    await sim?.remove();
    sim = undefined;
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await engine.stop();
  });

  const environment = (): Record<string, string> => ({
    ...engine.env,
    XDG_STATE_HOME: join(folder, 'state'),
  });
  const attach = (...args: readonly string[]): ReturnType<typeof profiler> =>
    profiler(['attach', '-d', '3', '--no-baseline', ...args], { cwd: folder, env: environment() });
  const changes = async (): Promise<readonly { readonly Path: string }[]> =>
    (await sim?.container.changes()) ?? [];
  /** Names of what there is beside the simulation, and what changed in its own file system. */
  const left = async (): Promise<unknown> => ({
    containers: (await engine.docker.listContainers({ all: true }))
      .filter(({ Labels }) => Labels[TARGET_LABEL] === sim?.id)
      .map(({ Names }) => Names),
    changed: (await changes()).map(({ Path }) => Path).sort(),
    journals: existsSync(join(folder, 'state/sim-profiler/journal'))
      ? readdirSync(join(folder, 'state/sim-profiler/journal'))
      : [],
  });

  for (const [index, [route, target, options]] of [...CASES, ...MORE].entries()) {
    const run = index < CASES.length ? test : onlyWithAll(test);
    run(`by ${route}: ${target}`, async () => {
      sim = await startSimulation(engine.docker, { name: `e2e-attach-${process.pid}-${index}`, ...options });
      const before = await left();
      const out = join(folder, String(index));
      const {
        code,
        err,
        out: text,
      } = await attach('--container', sim.name, '--via', route, '--json', '-o', out);
      expect({ code, err }).toMatchObject({ code: 0 });
      const answer = JSON.parse(text) as Answer;
      const recording = JSON.parse(readFileSync(join(out, 'recording.json'), 'utf8')) as {
        readonly route: string;
        readonly target: { readonly pid: number; readonly nsPid: number; readonly containerName: string };
      };
      expect(recording.route).toBe(route);
      expect(recording.target).toMatchObject({ nsPid: sim.nsPid, containerName: sim.name });
      const [physics] = answer.threads;
      expect(physics).toMatchObject({ role: 'physics', tid: recording.target.pid, nsTid: sim.nsPid });
      expect(physics?.buckets.find(({ id }) => id === 'physics')?.share).toBeGreaterThan(0);
      const ids = new Set(answer.findings.map(({ id }) => id));
      expect(ids.has('host-thread-ids')).toBe(route === 'host');
      expect(ids.has('thread-ids-unmapped')).toBe(false);
      expect(ids.has('route-passed-over')).toBe(false);
      expect(await left()).toEqual(before);
    });
  }

  const perf = itWhere(whyNoPerf === undefined, whyNoPerf ?? '');
  perf('by perf: the phases of MuJoCo, with the symbols of its own libraries', async () => {
    sim = await startSimulation(engine.docker, {
      name: `e2e-perf-${process.pid}`,
      user: '1000:1000',
      readOnly: true,
    });
    const before = await left();
    const out = join(folder, 'perf');
    const {
      code,
      err,
      out: text,
    } = await attach('--container', sim.name, '--backend', 'perf', '--json', '-o', out);
    expect({ code, err }).toMatchObject({ code: 0 });
    const [physics] = (JSON.parse(text) as Answer).threads;
    expect(physics).toMatchObject({ role: 'physics', nsTid: sim.nsPid });
    const share = physics?.buckets.find(({ id }) => id === 'physics')?.share ?? 0;
    expect(share).toBeGreaterThan(0.02);
    const folded = readFileSync(join(out, 'slices/000.folded'), 'utf8');
    // Not printed where it fails: it has a megabyte.
    expect(/;mj_step \(mujoco\/libmujoco\.so\.[\d.]+\);.*mj_\w+ \(mujoco\/libmujoco/.test(folded)).toBe(true);
    expect(await left()).toEqual(before);
  });

  for (const via of ['nsenter', 'exec'])
    onlyWithAll(itWhere(whyNoPerf === undefined, whyNoPerf ?? ''))(
      `by py-spy through ${via} and perf together: the phases below the line that steps`,
      async () => {
        sim = await startSimulation(engine.docker, { name: `e2e-both-${process.pid}-${via}`, user: '1000' });
        const before = await left();
        const out = join(folder, `both-${via}`);
        const args = ['--container', sim.name, '--via', via, '--backend', 'py-spy+perf', '--json', '-o', out];
        const { code, err, out: text } = await attach(...args);
        expect({ code, err }).toMatchObject({ code: 0 });
        const [physics] = (JSON.parse(text) as Answer).threads;
        expect(physics).toMatchObject({ role: 'physics', nsTid: sim.nsPid });
        const hot = await profiler(['hot', out, '--bucket', 'physics', '--folded'], { cwd: folder });
        expect(hot.out).toMatch(/engine\.py:\d+\);.*mj_\w+ \(\S*libmujoco\.so/);
        expect(await left()).toEqual(before);
      },
    );

  test('by the least invasive way that works, and says so', async () => {
    sim = await startSimulation(engine.docker, { name: `e2e-auto-${process.pid}`, ...DROPS });
    const before = await left();
    // What py-spy takes is tried by test/target/routes/choose-route.test.ts as well.
    for (const [backend, route] of [
      ['auto', 'host'] as const,
      ...(ALL ? [['py-spy', 'nsenter'] as const] : []),
    ]) {
      const run = await attach('--container', sim.name, '--backend', backend);
      expect(run.code).toBe(0);
      expect(run.out.replace(/\s+/g, ' ')).toContain(`, ${sim.nsPid} inside (`);
      expect(run.out.replace(/\s+/g, ' ')).toContain(`route: ${route}, no restart`);
      expect(run.out).toContain(sim.name);
      expect(await left()).toEqual(before);
    }
  });

  test('shows what a person could type, and touches nothing', async () => {
    sim = await startSimulation(engine.docker, { name: `e2e-plan-${process.pid}` });
    const before = await left();
    const run = await attach('--container', sim.name, '--via', 'sidecar', '--dry-run');
    expect({ code: run.code, err: run.err }).toEqual({ code: 0, err: '' });
    expect(run.out).toMatch(/^docker run --rm .*--pid container:.* record --pid \d+ --idle/m);
    expect(await left()).toEqual(before);
  });

  test('keeps what was recorded when the container is stopped meanwhile', async () => {
    sim = await startSimulation(engine.docker, { name: `e2e-stopped-${process.pid}` });
    const out = join(folder, 'stopped');
    const { container } = sim;
    const watch = setInterval(() => {
      if (existsSync(join(out, 'slices/001.log'))) void container.stop({ t: 1 }).catch(() => undefined);
    }, 100);
    const run = await attach('--container', sim.name, '--via', 'sidecar', '-d', '30', '--json', '-o', out);
    clearInterval(watch);
    const answer = JSON.parse(run.out) as Answer;
    expect(answer.findings.map(({ id }) => id)).toContain('target-ended');
    const { ended, slices } = JSON.parse(readFileSync(join(out, 'recording.json'), 'utf8')) as {
      readonly ended: string;
      readonly slices: readonly unknown[];
    };
    expect(ended).toBe('target-ended');
    expect(slices.length).toBeGreaterThan(0);
    expect(await left()).toMatchObject({ containers: [], journals: [] });
  });
});
