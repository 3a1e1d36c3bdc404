import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import { engineRemedy } from '../../../src/target/cleanup/engine-remedy.js';
import { isSampler, processRemedy } from '../../../src/target/cleanup/process-remedy.js';
import { apply } from '../../../src/target/cleanup/remedy.js';
import { TARGET_LABEL } from '../../../src/target/docker/labels.js';
import { isInUse, openEngine, readJournals, readStat, type Trace } from '../../../src/target/index.js';
import { startDocker, whyNoDocker, type TestDocker } from '../../docker/daemon.js';
import {
  startSimulation,
  whyNoSimulation,
  type SimulationContainer,
} from '../../docker/simulation-container.js';
import { describeWhere } from '../../only-where.js';
import { scratch } from '../scratch.js';
import { CHEAP, changedPaths, NO_PYSPY, pyspy } from './beside.js';

const compiled = fileURLToPath(new URL('../../../dist/target/routes/choose-route.js', import.meta.url));
const why =
  whyNoDocker ??
  whyNoSimulation ??
  (pyspy === undefined ? NO_PYSPY : undefined) ??
  (existsSync(compiled) ? undefined : 'no dist (npm run build)');

describeWhere(why === undefined, why ?? '')('a profiler that is killed while it samples', (it) => {
  let engine: TestDocker;
  let simulation: SimulationContainer;
  beforeAll(async () => {
    if (why !== undefined) return;
    engine = await startDocker();
    simulation = await startSimulation(engine.docker, { ...CHEAP, name: 'b-killed', user: '1000' });
  });
  afterAll(async () => {
    await simulation?.remove();
    await engine?.stop();
  });

  /** Samples by a route in a process of its own, kills that, and answers the folder of its journal. */
  async function killWhileSampling(id: string): Promise<{ readonly XDG_STATE_HOME: string }> {
    const state = { XDG_STATE_HOME: scratch() };
    const script = fileURLToPath(new URL('hold-route.mjs', import.meta.url));
    const what = [id, simulation.name, String(simulation.hostPid), pyspy?.path ?? '', pyspy?.version ?? ''];
    const child = spawn(process.execPath, [script, ...what], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...engine.env, ...state },
    });
    const ended = once(child, 'exit');
    await once(createInterface({ input: child.stdout }), 'line');
    expect(readJournals(state).map(isInUse)).toEqual([true]);
    child.kill('SIGKILL');
    await ended;
    return state;
  }

  async function sidecars(): Promise<number> {
    const filters = { label: [`${TARGET_LABEL}=${simulation.id}`] };
    return (await engine.docker.listContainers({ all: true, filters })).length;
  }

  async function takeBack(trace: Trace): Promise<string> {
    if (trace.kind === 'override' || trace.kind === 'inspector' || trace.kind === 'uprobe')
      throw new Error('there was none');
    const remedy =
      trace.kind === 'process' || trace.kind === 'probed'
        ? processRemedy(trace)
        : engineRemedy(trace, () => openEngine(engine.env));
    return (await apply(remedy, { dryRun: false, consent: () => Promise.resolve(true) })).state;
  }

  for (const [id, kinds] of [
    ['nsenter', ['process']],
    ['host', ['process']],
    ['sidecar', ['image', 'container']],
    ['exec', ['file', 'process']],
  ] as const) {
    it(`by ${id} has written down all that it leaves`, async () => {
      const before = await changedPaths(simulation);
      const state = await killWhileSampling(id);
      expect(readJournals(state).map(isInUse)).toEqual([false]);
      const all = readJournals(state).flatMap((entry) => entry.traces);
      expect(all.map(({ kind }) => kind)).toEqual(kinds);
      // Others may use the image at this moment.
      const traces = all.filter(({ kind }) => kind !== 'image');
      const samplers = traces.flatMap((trace) => (trace.kind === 'process' ? [trace.pid] : []));
      expect(samplers.filter((pid) => !isSampler(pid))).toEqual([]);
      expect(await sidecars()).toBe(id === 'sidecar' ? 1 : 0);

      // The process first, so that it lets go of its file.
      const states: string[] = [];
      for (const trace of traces.toReversed()) states.push(await takeBack(trace));
      expect(states).toEqual(traces.map(() => 'done'));
      expect(samplers.filter((pid) => (readStat(pid)?.state ?? 'Z') !== 'Z')).toEqual([]);
      expect(await sidecars()).toBe(0);
      expect(await changedPaths(simulation)).toEqual(before);
    });
  }
});
