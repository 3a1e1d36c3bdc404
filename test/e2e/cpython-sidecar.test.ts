import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { KIND_LABEL, TARGET_LABEL } from '../../src/target/index.js';
import { startPodman, whyNoPodman } from '../docker/podman.js';
import { startDocker, type TestDocker, whyNoDocker } from '../docker/daemon.js';
import {
  LIGHT_LOAD,
  type SimulationContainer,
  type SimulationOptions,
  startSimulation,
  whyNoSimulation,
} from '../docker/simulation-container.js';
import { describeWhere, itWhere, onlyWithAll } from '../only-where.js';
import { BIN, profiler } from './demo-simulation.js';
import { AS_NOBODY, NO_NOBODY } from './live-targets.js';
import { NOBODY, readableCopy } from './readable-copy.js';

const why = whyNoDocker ?? whyNoSimulation;
const OWN_SIDECAR = ['--via', 'sidecar', '--backend', 'cpython'];

interface Answer {
  readonly findings: readonly { readonly id: string }[];
  readonly threads: readonly {
    readonly tid: number;
    readonly nsTid?: number;
    readonly role: string;
    readonly buckets: readonly { readonly id: string; readonly share: number }[];
  }[];
}
interface Recorded {
  readonly backend: string;
  readonly route: string;
  readonly ended: string;
  readonly target: { readonly pid: number; readonly nsPid: number };
  readonly slices: readonly {
    readonly file: string;
    readonly exit: number;
    readonly accounting: readonly { readonly tid: number; readonly states?: { readonly looks: number } }[];
  }[];
}

const recorded = (out: string): Recorded =>
  JSON.parse(readFileSync(join(out, 'recording.json'), 'utf8')) as Recorded;

/** The kernel's files of its threads belong to another user than the sampler's, which has no right to spare. */
const HARD: Partial<SimulationOptions> = {
  user: '1000:1000',
  readOnly: true,
  noexecTmp: true,
  capDrop: ['ALL'],
  noNewPrivileges: true,
  pidsLimit: 64,
  flags: ['--pacing', 'realtime', '--hz', '200', '--load', LIGHT_LOAD],
};

describeWhere(why === undefined, why ?? '')('our own sampler in a container beside the target', (test) => {
  let engine: TestDocker;
  let folder: string;
  let sim: SimulationContainer | undefined;
  let count = 0;

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

  const begin = async (options: Partial<SimulationOptions> = {}): Promise<SimulationContainer> => {
    count += 1;
    sim = await startSimulation(engine.docker, { name: `e2e-own-${process.pid}-${count}`, ...options });
    return sim;
  };
  const environment = (): Record<string, string> => ({
    ...engine.env,
    XDG_STATE_HOME: join(folder, 'state'),
  });
  const run = (...args: readonly string[]): ReturnType<typeof profiler> =>
    profiler(args, { cwd: folder, env: environment() });
  const journals = (state = join(folder, 'state')): readonly string[] => {
    const path = join(state, 'sim-profiler/journal');
    return existsSync(path) ? readdirSync(path) : [];
  };
  /** States of the containers that were made for the target. */
  const sidecars = async (): Promise<readonly string[]> =>
    (await engine.docker.listContainers({ all: true }))
      .filter(({ Labels }) => Labels[TARGET_LABEL] === sim?.id)
      .map(({ State }) => State);
  const images = async (): Promise<readonly string[]> =>
    (await engine.docker.listImages({ filters: { label: [`${KIND_LABEL}=image`] } })).flatMap(
      ({ RepoTags }) => RepoTags ?? [],
    );

  /** What a recording has to be that was made so, and that nothing but the image is left of it. */
  async function expectWhole(target: SimulationContainer, out: string, text: string): Promise<Answer> {
    const answer = JSON.parse(text) as Answer;
    const recording = recorded(out);
    expect(recording).toMatchObject({
      backend: 'cpython',
      route: 'sidecar',
      ended: 'complete',
      target: { nsPid: target.nsPid },
    });
    const { pid } = recording.target;
    const [physics] = answer.threads;
    // The numbers of this machine, although the sampler knew only those inside.
    expect(physics).toMatchObject({ role: 'physics', tid: pid, nsTid: target.nsPid });
    expect(physics?.buckets.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 5);
    expect(physics?.buckets.find(({ id }) => id === 'physics')?.share).toBeGreaterThan(0);
    for (const { file, exit, accounting } of recording.slices) {
      expect(exit).toBe(0);
      expect(accounting.find(({ tid }) => tid === pid)?.states?.looks).toBeGreaterThan(100);
      const lines = readFileSync(join(out, file), 'utf8').split('\n');
      expect(lines[0]).toBe('sim-profiler cpython samples 1');
      expect(lines.at(-2)).toMatch(/^e \{"rateHz":/);
      expect(lines.filter((line) => !/^(?:[hdcft] .*|e \{.*\}|)$/.test(line))).toEqual([lines[0]]);
    }
    const ids = answer.findings.map(({ id }) => id);
    expect(ids).not.toContain('thread-ids-unmapped');
    expect(ids).not.toContain('gil-address-unknown');
    expect(await sidecars()).toEqual([]);
    return answer;
  }

  test('reads a target of another user without rights, as it says before; the engine keeps only the image', async () => {
    const target = await begin(HARD);
    const plan = await run('attach', '--container', target.name, ...OWN_SIDECAR, '--dry-run');
    expect({ code: plan.code, err: plan.err }).toEqual({ code: 0, err: '' });
    expect(plan.out).toMatch(
      /^docker run --rm --interactive --pid container:\S+ --cap-drop ALL --cap-add SYS_PTRACE .*--cap-add DAC_OVERRIDE --read-only .* sim-profiler\/node:by-hand \S*node \S*cpython-sidecar-main\.js 1 - 500 \d+/m,
    );
    expect({ sidecars: await sidecars(), journals: journals() }).toEqual({ sidecars: [], journals: [] });
    const out = join(folder, 'hard');
    const flags = ['-d', '2', '--no-baseline', '--json', '-o', out];
    const {
      code,
      err,
      out: text,
    } = await run('attach', '--container', target.name, ...OWN_SIDECAR, ...flags);
    expect({ code, err }).toMatchObject({ code: 0 });
    const { findings } = await expectWhole(target, out, text);
    expect(findings.map(({ id }) => id)).not.toContain('cpython-permission');
    expect(journals()).toEqual([]);
    // Another build's may be there too.
    expect((await images()).filter((tag) => tag.startsWith('sim-profiler/node:'))).not.toEqual([]);
  });

  onlyWithAll(test)(
    'keeps what it has when the container is stopped meanwhile, and after kill -9 cleanup takes the rest back',
    async () => {
      const target = await begin();
      const out = join(folder, 'stopped');
      const watch = setInterval(() => {
        if (
          existsSync(join(out, 'slices/000.samples')) &&
          readFileSync(join(out, 'slices/000.samples')).length > 20_000
        )
          void target.container.stop({ t: 1 }).catch(() => undefined);
      }, 100);
      const flags = ['-d', '30', '--no-baseline', '--json', '-o', out];
      const stopped = await run('attach', '--container', target.name, ...OWN_SIDECAR, ...flags);
      clearInterval(watch);
      const { findings, threads } = JSON.parse(stopped.out) as Answer;
      expect(findings.map(({ id }) => id)).toContain('target-ended');
      expect(threads[0]).toMatchObject({ role: 'physics' });
      // The sampler was killed with the target: its only slice counts all the same.
      expect(recorded(out)).toMatchObject({ ended: 'target-ended', slices: [{ exit: 137 }] });
      expect({ sidecars: await sidecars(), journals: journals() }).toEqual({ sidecars: [], journals: [] });

      await target.container.start();
      const again = join(folder, 'killed');
      const args = [
        'attach',
        '--container',
        target.name,
        ...OWN_SIDECAR,
        '-d',
        '60',
        '--no-baseline',
        '-o',
        again,
      ];
      const child = spawn(process.execPath, [BIN, ...args], {
        cwd: folder,
        env: { ...process.env, ...environment() },
        stdio: 'ignore',
      });
      await vi.waitUntil(() => existsSync(join(again, 'slices/000.samples')), 30_000);
      expect(await sidecars()).toEqual(['running']);
      child.kill('SIGKILL');
      await once(child, 'exit');
      // Nobody talks to it any more.
      await vi.waitFor(async () => expect(await sidecars()).toEqual(['exited']), 30_000);
      expect(journals()).toHaveLength(1);
      const cleanup = await run('cleanup', '--json');
      expect({ code: cleanup.code, err: cleanup.err }).toEqual({ code: 0, err: '' });
      const { items } = JSON.parse(cleanup.out) as { readonly items: readonly { readonly what: string }[] };
      const node = new RegExp(
        `^image sim-profiler/node:${process.versions.node.replaceAll('.', '\\.')}-[0-9a-f]{12} at `,
      );
      expect(items.map(({ what }) => what)).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^container sim-profiler-/),
          expect.stringMatching(node),
        ]),
      );
      expect({ sidecars: await sidecars(), journals: journals() }).toEqual({ sidecars: [], journals: [] });
      expect((await images()).filter((tag) => tag.startsWith('sim-profiler/node:'))).toEqual([]);
    },
  );

  const asNobody = onlyWithAll(itWhere(AS_NOBODY, NO_NOBODY));
  asNobody('is what a user who may talk to the engine gets, and is not root', async () => {
    const target = await begin();
    const copy = await readableCopy();
    const socket = engine.host.replace(/^unix:\/\//, '');
    chmodSync(dirname(socket), 0o755);
    chmodSync(socket, 0o666);
    const cwd = copy.scratch();
    const out = join(cwd, 'nobody');
    const flags = ['-d', '3', '--no-baseline', '--json', '-o', out];
    const env = { ...engine.env, XDG_STATE_HOME: join(cwd, 'state') };
    const options = { cwd, user: NOBODY, env };
    const {
      code,
      err,
      out: text,
    } = await copy.run(['attach', '--container', target.name, ...flags], options);
    expect({ code, err }).toMatchObject({ code: 0 });
    const { findings } = await expectWhole(target, out, text);
    expect(findings.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['cpython-permission', 'sampler-normal-priority']),
    );
    expect(journals(join(cwd, 'state'))).toEqual([]);

    const doctor = await copy.run(['doctor', '--container', target.name, '--json'], options);
    const { checks } = JSON.parse(doctor.out) as { readonly checks: readonly { readonly id: string }[] };
    expect(checks.find(({ id }) => id === 'backend-cpython')).toMatchObject({
      state: 'works',
      what: expect.stringContaining('from a container of ours'),
    });

    // Where no such container can be made, py-spy goes there.
    rmSync(join(copy.folder, 'dist/capture/cpython-sidecar-main.js'));
    const other = join(cwd, 'py-spy');
    const second = await copy.run(
      ['attach', '--container', target.name, ...flags.slice(0, -1), other],
      options,
    );
    expect({ code: second.code, err: second.err }).toMatchObject({ code: 0 });
    expect(recorded(other)).toMatchObject({ backend: 'py-spy', route: 'sidecar' });
    expect((JSON.parse(second.out) as Answer).findings.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['cpython-permission', 'cpython-sidecar']),
    );
    expect({ sidecars: await sidecars(), journals: journals(join(cwd, 'state')) }).toEqual({
      sidecars: [],
      journals: [],
    });
    rmSync(copy.folder, { recursive: true, force: true });
  });
});

const whyNot = whyNoPodman ?? whyNoSimulation;
describeWhere(whyNot === undefined, whyNot ?? '')("our own sampler by Podman's Docker socket", (test) => {
  onlyWithAll(test)('is told of its window, samples, and leaves no container', async () => {
    const podman = await startPodman();
    const folder = mkdtempSync(join(tmpdir(), 'profiler-e2e-'));
    const sim = await startSimulation(podman.docker, { name: 'e2e-own-podman', user: '1000' });
    try {
      const out = join(folder, 'r');
      const flags = ['-d', '2', '--no-baseline', '--json', '-o', out];
      const env = { ...podman.env, XDG_STATE_HOME: join(folder, 'state') };
      const args = ['attach', '--container', sim.name, ...OWN_SIDECAR, ...flags];
      const { code, err } = await profiler(args, { cwd: folder, env });
      expect({ code, err }).toMatchObject({ code: 0 });
      expect(recorded(out)).toMatchObject({ backend: 'cpython', route: 'sidecar', ended: 'complete' });
      const left = await podman.docker.listContainers({ all: true });
      expect(left.map(({ Id }) => Id)).toEqual([sim.id]);
    } finally {
      await sim.remove();
      rmSync(folder, { recursive: true, force: true });
      await podman.stop();
    }
  });
});
