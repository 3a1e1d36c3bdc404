import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { OWNER_VARIABLE } from '../../src/target/cleanup/owner.js';
import { readCommand, readStat } from '../../src/target/index.js';
import { startDocker, whyNoDocker, type TestDocker } from '../docker/daemon.js';
import {
  startSimulation,
  whyNoSimulation,
  type SimulationContainer,
} from '../docker/simulation-container.js';
import { BIN as BUILT, PYSPY } from '../e2e/demo-simulation.js';
import { describeWhere, onlyWithAll } from '../only-where.js';
import { scratch } from '../target/scratch.js';

const BIN = process.env['PROFILER_BIN'] ?? BUILT;
const why = whyNoDocker ?? whyNoSimulation;

/** A profiler with a state folder of its own, so that nothing of other runs is found. */
interface Bench {
  readonly journals: string;
  readonly attach: (via: string, ...flags: readonly string[]) => Recording;
  readonly cleanup: (
    ...flags: readonly string[]
  ) => Promise<{ readonly code?: number; readonly out: string }>;
}

/** The samplers that a profiler has started and that record, wherever they run. */
function recordingSamplers(profiler: number): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || !readCommand(pid).includes('record')) return [];
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`${OWNER_VARIABLE}=${profiler}:`)
        ? [pid]
        : [];
    } catch {
      return [];
    }
  });
}

/** What was taken back. The image stays while anybody's sidecar lives, so it has a test of its own. */
function kinds(json: string): readonly string[] {
  const { items } = JSON.parse(json) as { readonly items: readonly { readonly kind: string }[] };
  return items.map(({ kind }) => kind).filter((kind) => kind !== 'image');
}

type Reached = (journals: string, profiler: number) => boolean;

const MOMENTS: readonly (readonly [string, Reached])[] = [
  ['as soon as anything is written down', (journals) => readdirSync(journals).length > 0],
  ['while it samples', (_journals, profiler) => recordingSamplers(profiler).length > 0],
];

async function until(reached: Reached, journals: string, recording: Recording): Promise<void> {
  await vi.waitUntil(() => reached(journals, recording.pid ?? 0), { timeout: 60_000, interval: 2 });
}

type Recording = ReturnType<typeof run>;

function run(args: readonly string[], folder: string, env: Readonly<Record<string, string>>) {
  return execa(process.execPath, [BIN, ...args], { cwd: folder, env, reject: false, stdin: 'ignore' });
}

describeWhere(why === undefined, why ?? '')('cleanup after a recording that was killed', (it) => {
  let engine: TestDocker;
  let target: SimulationContainer;

  beforeAll(async () => {
    if (why !== undefined) return;
    engine = await startDocker();
    target = await startSimulation(engine.docker, { name: 'd-killed', drop: true });
  });
  afterAll(async () => {
    await target?.remove();
    await engine?.stop();
  });

  function bench(): Bench {
    const folder = scratch();
    const env = { ...engine.env, PROFILER_PY_SPY: PYSPY, XDG_STATE_HOME: folder };
    const journals = join(folder, 'sim-profiler/journal');
    mkdirSync(journals, { recursive: true });
    return {
      journals,
      attach: (via, ...flags) =>
        run(
          ['attach', '--container', target.name, '--via', via, '--no-baseline', '-d', '60', ...flags],
          folder,
          env,
        ),
      cleanup: async (...flags) => {
        const { exitCode, stdout } = await run(['cleanup', ...flags], folder, env);
        return { ...(exitCode === undefined ? {} : { code: exitCode }), out: stdout };
      },
    };
  }

  /** Whatever of the container a user could see, and every process in it. */
  async function state(journals: string) {
    const { Id, State, HostConfig, Config, RestartCount } = await target.container.inspect();
    const changes = (await target.container.changes().catch(() => null)) as
      | readonly { readonly Path: string }[]
      | null;
    const { Processes } = (await target.container.top({ ps_args: '-eo pid,args' })) as {
      readonly Processes: readonly (readonly string[])[];
    };
    const sidecars = await engine.docker.listContainers({
      all: true,
      filters: { label: ['sim-profiler.kind=sidecar', `sim-profiler.target=${Id}`] },
    });
    const here = readStat(State.Pid);
    return {
      id: Id,
      pid: State.Pid,
      startedAt: State.StartedAt,
      restarts: RestartCount,
      capAdd: HostConfig.CapAdd,
      labels: Config.Labels,
      changes: (changes ?? []).map(({ Path }) => Path).sort(),
      processes: Processes,
      sidecars: sidecars.map(({ Names }) => Names),
      stopped: here?.state === 'T' || here?.state === 't',
      journals: readdirSync(journals),
    };
  }

  const heavy = onlyWithAll(it);
  for (const via of ['nsenter', 'sidecar', 'exec', 'host']) {
    for (const [moment, reached] of MOMENTS) {
      const isMany = via === 'sidecar' || via === 'exec';
      (isMany || moment === MOMENTS[1]?.[0] ? it : heavy)(
        `brings back the state before: ${via}, ${moment}`,
        async () => {
          const { journals, attach, cleanup } = bench();
          const before = await state(journals);
          const recording = attach(via);
          try {
            await until(reached, journals, recording);
          } finally {
            recording.kill('SIGKILL');
            await recording;
          }
          const left = readdirSync(journals);
          expect(await cleanup('--dry-run')).toMatchObject({ code: 0 });
          expect(readdirSync(journals)).toEqual(left);
          expect(await cleanup()).toMatchObject({ code: 0 });
          expect(await state(journals)).toEqual(before);
          expect(kinds((await cleanup('--json')).out)).toEqual([]);
        },
      );
    }
  }

  it('touches nothing of a recording that runs', async () => {
    const { journals, attach, cleanup } = bench();
    const recording = attach('sidecar', '-d', '4');
    await until(MOMENTS[1]?.[1] ?? (() => false), journals, recording);
    const { code, out } = await cleanup();
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^Nothing is left of earlier runs\.\n\d things? of a profiler that still runs/),
    ]);
    expect((await recording).exitCode).toBe(0);
    expect(readdirSync(journals)).toEqual([]);
  });

  it('removes the image of the sidecars', async () => {
    const { attach, cleanup } = bench();
    await attach('sidecar', '-d', '1');
    const said: string[] = [];
    // Others may use the same engine, and an image that their sidecars are made from stays.
    await vi.waitUntil(
      async () => {
        said.push((await cleanup()).out);
        const filters = { label: ['sim-profiler.kind=image'] };
        return (await engine.docker.listImages({ filters })).length === 0;
      },
      { timeout: 60_000, interval: 200 },
    );
    // They may also have removed it themselves.
    if (process.env['PROFILER_TEST_DOCKER'] === undefined)
      expect(said.join('\n')).toMatch(/^removed {4}image sim-profiler\/py-spy:0\.4\.\d-[0-9a-f]{12} at /m);
  });
});
