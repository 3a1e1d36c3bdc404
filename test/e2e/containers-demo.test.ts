import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import type { Recording } from '../../src/recording/index.js';
import { readStat } from '../../src/target/index.js';
import {
  COMPOSE_V1,
  startDocker,
  whyNoComposeV1,
  whyNoComposeV2,
  whyNoDocker,
  type TestDocker,
} from '../docker/daemon.js';
import { whyNoSimulation } from '../docker/simulation-container.js';
import { findTracefs } from '../../src/target/tracing/tracefs.js';
import { describeWhere, itWhere, onlyWithAll } from '../only-where.js';
import { BIN, PYSPY, ROOT, SIM_PYTHON, profiler } from './demo-simulation.js';

const FILE = join(ROOT, 'compose/compose.yaml');
const IMAGE = 'sim-profiler-test/rover:latest';
const PROJECT = 'd-stack';
const RING = '/dev/shm/rover.ring';

const tracefs = findTracefs();
const why = whyNoDocker ?? whyNoSimulation;
let engine: TestDocker;

beforeAll(async () => {
  if (why !== undefined) return;
  engine = await startDocker();
  await execa(join(ROOT, 'compose/image.sh'), [IMAGE, SIM_PYTHON], { env: engine.env });
});
afterAll(async () => {
  if (why !== undefined) return;
  await engine.docker.getImage(IMAGE).remove({ force: true });
  await engine.stop();
});

const V2 = ['docker', 'compose'];

async function compose(tool: readonly string[], ...args: readonly string[]): Promise<void> {
  const [program = '', ...before] = tool;
  const env = { ...engine.env, ROVER_IMAGE: IMAGE };
  await execa(program, [...before, '-p', PROJECT, '-f', FILE, ...args], { env });
}

async function containersOf(project: string): Promise<readonly string[]> {
  const all = await engine.docker.listContainers({ all: true });
  return all.flatMap(({ Labels, Names }) =>
    (Labels['com.docker.compose.project'] ?? '').startsWith(project) ? [Names[0] ?? ''] : [],
  );
}

async function inspect(service: string) {
  const found = await engine.docker.listContainers({
    all: true,
    filters: {
      label: [`com.docker.compose.project=${PROJECT}`, `com.docker.compose.service=${service}`],
    },
  });
  return engine.docker.getContainer(found[0]?.Id ?? '').inspect();
}

function docker(...args: readonly string[]) {
  return execa('docker', args, { env: engine.env, reject: false });
}

const TOOLS = [
  ['Compose v2', V2, whyNoComposeV2],
  ['Compose v1', [COMPOSE_V1], whyNoComposeV1],
] as const;

for (const [name, tool, whyNot] of TOOLS) {
  const reason = whyNot ?? why;
  describeWhere(reason === undefined, reason ?? '')(`the demo stack with ${name}`, (it) => {
    // What v1 makes of the file is tried by other tests.
    const cheap = tool === V2 ? it : onlyWithAll(it);
    cheap('comes up with the viewer after the robot steps, and goes down without a trace', async () => {
      try {
        await compose(tool, 'up', '-d', '--no-build');
        const [bridge, viz] = [await inspect('bridge'), await inspect('viz')];
        expect([bridge.State.Health?.Status, viz.State.Status]).toEqual(['healthy', 'running']);
        const healthy = bridge.State.Health?.Log.find(({ ExitCode }) => ExitCode === 0);
        expect(Date.parse(viz.State.StartedAt)).toBeGreaterThanOrEqual(Date.parse(healthy?.Start ?? ''));
      } finally {
        await compose(tool, 'down', '-t', '5');
      }
      expect(await containersOf(PROJECT)).toEqual([]);
    });
  });
}

const whyNoV2 = whyNoComposeV2 ?? why;

describeWhere(whyNoV2 === undefined, whyNoV2 ?? '')('the robot in the demo stack', (it) => {
  beforeAll(async () => {
    if (whyNoV2 === undefined) await compose(V2, 'up', '-d', '--no-build');
  });
  afterAll(async () => {
    if (whyNoV2 === undefined) await compose(V2, 'down', '-t', '5');
  });

  it('runs as an ordinary user with the capabilities of any container, under a root that has them', async () => {
    const { Id, State, HostConfig } = await inspect('bridge');
    expect(HostConfig.CapAdd ?? []).toEqual([]);
    const status = await execa('cat', [`/proc/${State.Pid}/status`]);
    expect(status.stdout).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
    expect(status.stdout).toMatch(/^Gid:\t1000\t1000\t1000\t1000$/m);
    expect(status.stdout).toMatch(/^CapEff:\t0+$/m);
    expect((await docker('exec', Id, 'id', '-u')).stdout).toBe('0');
  });

  it('refuses the recipe by hand, and only a sampler of its own user gets in', async () => {
    const { Id } = await inspect('bridge');
    await docker('cp', PYSPY, `${Id}:/tmp/by-hand`);
    // The robot is stopped for it: a running one's stack is torn one time in ten.
    const dump = ['/tmp/by-hand', 'dump', '--pid', '1'];
    const plain = await docker('exec', Id, ...dump);
    expect(plain.exitCode).toBe(1);
    expect(plain.stderr).toMatch(/^Permission Denied$/m);
    const own = await docker('exec', '-u', '1000:1000', Id, ...dump);
    expect([own.exitCode, /MainThread/.test(own.stdout)]).toEqual([0, true]);
    await docker('exec', Id, 'rm', '/tmp/by-hand');
  });

  const noProbe = 'because' in tracefs ? tracefs.because : undefined;
  itWhere(whyNoV2 === undefined && noProbe === undefined, whyNoV2 ?? noProbe ?? '')(
    'has its steps counted and its time read from outside, in its own copy of MuJoCo',
    async () => {
      const { State, RestartCount } = await inspect('bridge');
      const { env } = engine;
      const folder = mkdtempSync(join(tmpdir(), 'profiler-e2e-'));
      const out = join(folder, 'r');
      const flags = ['-d', '3', '--no-baseline', '--json', '-o', out];
      const run = await profiler(['attach', '--pid', `${State.Pid}`, ...flags], { cwd: folder, env });
      expect({ code: run.code, err: run.err }).toMatchObject({ code: 0 });
      const { steps } = JSON.parse(readFileSync(join(out, 'recording.json'), 'utf8')) as Recording;
      expect(steps).toMatchObject({ symbol: 'mj_step', tid: State.Pid, worlds: 1, timedBy: 'memory' });
      const [during] = steps?.phases ?? [];
      // Either end may lie in the middle of a step.
      const simulated = (during?.simulatedS ?? 0) / (steps?.timestepS ?? 1);
      expect(during?.steps).toBeGreaterThan(100);
      expect(Math.abs(simulated - (during?.steps ?? 0))).toBeLessThanOrEqual(2);
      const after = await inspect('bridge');
      expect([after.State.Pid, after.RestartCount]).toEqual([State.Pid, RestartCount]);
      rmSync(folder, { recursive: true });
    },
  );

  it('is unhealthy while it does not step', async () => {
    const { Id, State } = await inspect('bridge');
    const check = (ring: string) => docker('exec', Id, 'python3', '-I', '-S', '/opt/rover/healthy.py', ring);
    expect((await check(RING)).exitCode).toBe(0);
    process.kill(State.Pid, 'SIGSTOP');
    try {
      await vi.waitUntil(() => readStat(State.Pid)?.state === 'T');
      const stopped = await check(RING);
      expect([stopped.exitCode, stopped.stderr]).toEqual([1, 'no step in 0.2 s']);
    } finally {
      process.kill(State.Pid, 'SIGCONT');
    }
    expect((await check('/dev/shm/none')).stderr).toMatch(/^no step yet: /);
  });
});

/** In a process group of its own, as a terminal gives it. */
function demo(seconds: string) {
  const child = spawn(join(ROOT, 'scripts/demo'), ['--containers', seconds], {
    env: {
      ...process.env,
      ...engine.env,
      ROVER_IMAGE: IMAGE,
      PROFILER_BIN: process.env['PROFILER_BIN'] ?? BIN,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text));
  return { child, said, ended: once(child, 'close') };
}

describeWhere(whyNoV2 === undefined, whyNoV2 ?? '')('scripts/demo --containers', (it) => {
  const made: string[] = [];
  afterEach(() => {
    for (const folder of made.splice(0)) rmSync(join(ROOT, folder), { recursive: true, force: true });
  });

  it('answers, and takes everything down', async () => {
    const { said, ended } = demo('3');
    const [code] = await ended;
    const recording = /^ {2}Recording: (recordings\/\S+)/m.exec(said.out)?.[1];
    if (recording !== undefined) made.push(recording);
    expect([code, said.err]).toEqual([0, expect.stringContaining('taking the stack down')]);
    expect(said.out).toMatch(
      /^\$ profiler attach --compose compose\/compose\.yaml --service bridge( --project \S+)? -d 3$/m,
    );
    expect(said.out).toMatch(/route: host/);
    expect(said.out).toMatch(/\n\$ profiler hot --top 5\n(?:.*\n)+?.*Pacer\.wait/);
    expect(await containersOf('rover-demo-')).toEqual([]);
  });

  const heavy = onlyWithAll(it);

  heavy('takes everything down after Ctrl-C too', async () => {
    const { child, said, ended } = demo('60');
    await vi.waitUntil(() => said.err.includes('Sampling process') || child.exitCode !== null, 120_000);
    process.kill(-(child.pid ?? 0), 'SIGINT');
    const [code] = await ended;
    const recording = /(recordings\/demo-container-\S+)/.exec(said.out + said.err)?.[1];
    if (recording !== undefined) made.push(recording);
    expect([code, said.err]).toEqual([130, expect.stringContaining('taking the stack down')]);
    expect(await containersOf('rover-demo-')).toEqual([]);
  });
});
