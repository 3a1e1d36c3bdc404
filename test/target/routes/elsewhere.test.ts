import type Docker from 'dockerode';
import { afterAll, beforeAll, expect } from 'vitest';
import { isSampler } from '../../../src/target/cleanup/process-remedy.js';
import {
  readCommand,
  ROUTE_KINDS,
  type Engine,
  type Route,
  type RouteContext,
} from '../../../src/target/index.js';
import { listIds } from '../../../src/target/proc/file.js';
import { lifeOf, untilCatchingInterrupt } from '../../../src/target/routes/running.js';
import { startDocker, whyNoDocker, type TestDocker } from '../../docker/daemon.js';
import {
  startSimulation,
  whyNoSimulation,
  type SimulationContainer,
} from '../../docker/simulation-container.js';
import { describeWhere } from '../../only-where.js';
import { CHEAP, changedPaths, contextOf, NO_PYSPY, pyspy, recordArgs, watch } from './beside.js';

const why = whyNoDocker ?? whyNoSimulation ?? (pyspy === undefined ? NO_PYSPY : undefined);

/** A pid of this machine that is in no container: what another machine's numbers may hit. */
const STRANGER = 2;

function method(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === 'function' ? value.bind(target) : value;
}

/** The container as an engine of another machine shows it: its pids are not ours. */
function far(container: Docker.Container): Docker.Container {
  return new Proxy(container, {
    get: (target, name) => {
      if (name === 'inspect') {
        return async () => {
          const facts = await target.inspect();
          return { ...facts, State: { ...facts.State, Pid: STRANGER } };
        };
      }
      if (name !== 'exec') return method(target, name);
      return async (options: Docker.ExecCreateOptions) => {
        const exec = await target.exec(options);
        return new Proxy(exec, {
          get: (one, key) =>
            key === 'inspect'
              ? async () => {
                  const facts = await one.inspect();
                  return { ...facts, Pid: facts.Pid === 0 ? 0 : STRANGER };
                }
              : method(one, key),
        });
      };
    },
  });
}

function elsewhere(context: RouteContext): RouteContext {
  const { engine, target } = context;
  if (engine === undefined) throw new Error('no engine');
  const docker = new Proxy(engine.docker, {
    get: (one, name) => {
      if (name === 'getContainer') return (id: string) => far(one.getContainer(id));
      if (name !== 'createContainer') return method(one, name);
      return async (options: Docker.ContainerCreateOptions) => far(await one.createContainer(options));
    },
  });
  const remote: Engine = { ...engine, docker, host: 'tcp://robot:2375', local: false };
  // Its pid here means another process, or none.
  return { ...context, engine: remote, target: { ...target, startTicks: 1 } };
}

/** Found again by its command line. */
const SECONDS = 617;

/** py-spy says that it samples a moment before it catches the signal. */
async function untilItListens(): Promise<void> {
  const pid = listIds('/proc').find((one) => isSampler(one) && readCommand(one).includes(String(SECONDS)));
  const life = lifeOf(pid ?? 0);
  if (life === undefined) throw new Error('no sampler is at work');
  await untilCatchingInterrupt(life);
}

async function routeBy(id: string, context: RouteContext): Promise<Route> {
  const probe = await ROUTE_KINDS.find((kind) => kind.id === id)?.probe(context);
  if (probe?.works !== true) throw new Error(`${id}: ${probe?.finding.what}`);
  return probe.route;
}

describeWhere(why === undefined, why ?? '')('an engine on another machine', (it) => {
  let engine: TestDocker;
  let simulation: SimulationContainer;
  beforeAll(async () => {
    if (why !== undefined) return;
    engine = await startDocker();
    simulation = await startSimulation(engine.docker, { ...CHEAP, name: 'b-far', user: '1000', cpus: 0.9 });
  });
  afterAll(async () => {
    await simulation?.remove();
    await engine?.stop();
  });

  it('leaves out the ways that need its processes', async () => {
    const context = elsewhere(await contextOf(engine, simulation));
    const closed = ROUTE_KINDS.flatMap((kind) => kind.obstacle(context)?.id ?? []);
    expect(closed).toEqual(['direct-not-here', 'nsenter-not-here', 'host-not-here']);
  });

  for (const [id, limits] of [
    ['sidecar', ['sampler-normal-priority']],
    ['exec', ['sampler-normal-priority', 'exec-cpu-quota']],
  ] as const) {
    it(`is sampled by ${id}, at normal priority, and interrupted without a signal of ours`, async () => {
      const before = await changedPaths(simulation);
      const context = elsewhere(await contextOf(engine, simulation));
      const route = await routeBy(id, context);
      expect(route.findings.map((finding) => finding.id)).toEqual(limits);
      expect(route.findings[0]?.what).toContain('tcp://robot:2375');
      const sampler = route.start(recordArgs(route, SECONDS, ''));
      const done = await watch(sampler, () => void untilItListens().then(sampler.interrupt));
      expect(await sampler.pid).toBeUndefined();
      expect(done.exit).toBe(0);
      expect(done.talk).toContain('Wrote raw flamegraph data');
      expect(await route.undo()).toEqual([]);
      expect(await changedPaths(simulation)).toEqual(before);
      expect(context.journal.traces()).toEqual([]);
    });
  }
});
