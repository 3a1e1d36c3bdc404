import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import {
  chooseRoute,
  findTarget,
  openJournal,
  planRoute,
  type RouteContext,
} from '../../../src/target/index.js';
import { ProfilerError } from '../../../src/model/index.js';
import { describeWhere } from '../../only-where.js';
import { startDocker, whyNoDocker, type TestDocker } from '../../docker/daemon.js';
import {
  startSimulation,
  whyNoSimulation,
  type SimulationContainer,
} from '../../docker/simulation-container.js';
import { findPythons, program, start } from '../pythons.js';
import { scratch } from '../scratch.js';
import { CHEAP, contextOf, NO_PYSPY, pyspy, watch, recordArgs } from './beside.js';

const why = whyNoDocker ?? whyNoSimulation ?? (pyspy === undefined ? NO_PYSPY : undefined);
const [python] = findPythons();

function localContext(pid: number): RouteContext {
  return {
    target: findTarget({ pid, selfPid: process.pid }),
    pyspy: { path: pyspy?.path ?? 'py-spy', version: pyspy?.version ?? '0' },
    native: false,
    journal: openJournal({ XDG_STATE_HOME: scratch() }, new Date().toISOString()),
    priority: [],
  };
}

async function refusalOf(choice: Promise<unknown>): Promise<ProfilerError> {
  const error = await choice.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ProfilerError) return error;
  throw new Error('it was no refusal', { cause: error });
}

afterEach(() => vi.unstubAllEnvs());

describeWhere(pyspy !== undefined && python !== undefined, NO_PYSPY)('a target in no container', (it) => {
  it('is read directly, with nothing to note', async () => {
    const target = await start(python?.path ?? '', [program('contended.py'), '--no-spin']);
    const { route, passedOver } = await chooseRoute(localContext(target.pid), 'auto');
    expect(route).toMatchObject({ id: 'direct', targetPid: target.pid, output: 'file', findings: [] });
    expect(passedOver).toEqual([]);
    await target.stop();
  });

  it('that is no Python is refused with what is wrong with it, not with ways round', async () => {
    const target = await start('sh', ['-c', 'echo ready; read wait']);
    const refusal = await refusalOf(chooseRoute(localContext(target.pid), 'auto'));
    expect(refusal.finding.id).toBe('pyspy-no-python');
    expect(refusal.exitCode).toBe(1);
    await target.stop();
  });

  it('has no container to go beside', async () => {
    const context = localContext(process.pid);
    expect((await refusalOf(chooseRoute(context, 'sidecar'))).finding.id).toBe('sidecar-no-engine');
    expect((await refusalOf(chooseRoute(context, 'exec'))).finding.id).toBe('exec-no-engine');
  });
});

describeWhere(true, '')('a target that is nowhere near', (it) => {
  it('has no route: the reason of each, and one line for the administrator', () => {
    const here = localContext(process.pid);
    const context = { ...here, target: { ...here.target, startTicks: 1 } };
    const plan = (): unknown => planRoute(context, 'auto');
    expect(plan).toThrow(ProfilerError);
    try {
      plan();
    } catch (error) {
      const { finding, exitCode } = error as ProfilerError;
      expect(exitCode).toBe(1);
      expect(finding.id).toBe('no-route');
      expect(finding.what).toBe(`No way leads to process ${process.pid}.`);
      expect(finding.list?.map((line) => line.slice(0, line.indexOf(':')))).toEqual([
        'direct',
        'nsenter',
        'sidecar',
        'exec',
      ]);
      expect(finding.fix?.split('\n')).toHaveLength(1);
      expect(finding.fix).toContain('administrator');
    }
  });
});

describeWhere(why === undefined, why ?? '')('a target in a container', (it) => {
  let engine: TestDocker;
  let simulation: SimulationContainer;
  beforeAll(async () => {
    if (why !== undefined) return;
    engine = await startDocker();
    simulation = await startSimulation(engine.docker, { ...CHEAP, name: 'b-choose', capAdd: ['SYS_NICE'] });
  });
  afterAll(async () => {
    await simulation?.remove();
    await engine?.stop();
  });

  it('is reached through its namespaces by root', async () => {
    const context = await contextOf(engine, simulation);
    const { route, passedOver } = await chooseRoute(context, 'auto');
    expect(route).toMatchObject({ id: 'nsenter', targetPid: 1, output: 'file', findings: [] });
    expect(passedOver).toEqual([]);
  });

  it('is reached by the next route when one fails, and the failed one is noted with its reason', async () => {
    const context = await contextOf(engine, simulation);
    const path = scratch();
    symlinkSync('/bin/cat', join(path, 'cat'));
    vi.stubEnv('PATH', path);
    const { route, passedOver } = await chooseRoute(context, 'auto');
    expect(route).toMatchObject({ id: 'sidecar', targetPid: 1, output: 'stderr' });
    // Without chrt nobody raises it.
    expect(route.findings).toMatchObject([
      {
        level: 'warning',
        id: 'sampler-normal-priority',
        what: 'The sampler runs at normal priority in its container: the program chrt was not found.',
      },
    ]);
    expect(passedOver).toEqual([
      {
        level: 'note',
        id: 'route-passed-over',
        what: 'The route nsenter was passed over: The program nsenter was not found.',
        why: 'It comes with util-linux.',
        fix: 'sudo apt-get install util-linux',
      },
    ]);
    expect(await route.undo()).toEqual([]);
  });

  it('is never reached by another route than the one that was asked for', async () => {
    const context = await contextOf(engine, simulation, { native: true });
    const { finding } = await refusalOf(chooseRoute(context, 'host'));
    expect(finding.id).toBe('host-native');
    expect((await refusalOf(chooseRoute(context, 'direct'))).finding.id).toBe('direct-namespaces');
  });

  it('is read from outside with a note about its thread ids', async () => {
    const { route } = await chooseRoute(await contextOf(engine, simulation), 'host');
    expect(route.findings).toMatchObject([{ level: 'note', id: 'host-thread-ids' }]);
    expect(route.targetPid).toBe(simulation.hostPid);
  });

  it('is reached with every capability only by name, where the engine may give them', async () => {
    const context = await contextOf(engine, simulation);
    const choice = chooseRoute(context, 'privileged');
    const outcome = await choice.then(
      async ({ route }) => ({ id: route.id, left: await route.undo() }),
      (error: ProfilerError) => error.finding.id,
    );
    expect([{ id: 'privileged', left: [] }, 'engine-lacks-capability']).toContainEqual(outcome);
    expect(context.journal.traces()).toEqual([]);
  });

  for (const id of ['nsenter', 'sidecar', 'exec'] as const) {
    it(`shows native frames by ${id}, with the libraries of the container`, async () => {
      const context = await contextOf(engine, simulation, { native: true });
      const { route } = await chooseRoute(context, id);
      const file = join(scratch(), 'native.raw');
      const args = recordArgs(route, 1, file).map((one) => (one === '--nonblocking' ? '--native' : one));
      const ran = await watch(route.start(args));
      const samples = route.output === 'file' ? readFileSync(file, 'utf8') : ran.samples;
      expect(ran.exit).toBe(0);
      expect(samples).toMatch(/\(\S*libc\S*\.so\.6\)/);
      expect(samples).not.toMatch(/^[^;]*;0x[0-9a-f]+ \(\?\)/m);
      expect(await route.undo()).toEqual([]);
      expect(context.journal.traces()).toEqual([]);
    });
  }

  it('that ends while a way is looked for is told as ended', async () => {
    const brief = await startSimulation(engine.docker, { ...CHEAP, name: 'b-brief' });
    const context = await contextOf(engine, brief);
    await brief.container.kill({ signal: 'SIGKILL' });
    await brief.container.wait();
    const { finding } = await refusalOf(chooseRoute(context, 'exec'));
    expect(finding.id).toBe('container-exited');
    await brief.remove();
    expect((await refusalOf(chooseRoute(context, 'sidecar'))).finding.id).toBe('no-such-container');
    expect(context.journal.traces()).toEqual([]);
  });

  it('can be planned for without touching it', async () => {
    const context = await contextOf(engine, simulation);
    const auto = planRoute(context, 'auto');
    expect(auto.passedOver).toEqual([]);
    expect(auto.route).toMatchObject({ id: 'nsenter', targetPid: 1, output: 'file' });
    const { route } = planRoute(context, 'exec');
    expect(route.commands(['dump', '--pid', '1'])).toEqual([
      ['docker', 'cp', context.pyspy.path, 'b-choose:/py-spy'],
      ['docker', 'exec', '-u', '0:0', 'b-choose', '/py-spy', 'dump', '--pid', '1'],
    ]);
  });

  it('is read by the very commands that a plan shows', async () => {
    const context = await contextOf(engine, simulation);
    for (const id of ['nsenter', 'sidecar', 'exec', 'host'] as const) {
      const { route } = planRoute(context, id);
      let last = '';
      for (const [file = '', ...args] of route.commands(['dump', '--pid', String(route.targetPid)]))
        last = (await execa(file, args, { env: engine.env })).stdout;
      expect(last).toContain('Loop._tick (plain_loop.py:');
    }
    await engine.docker.getImage('sim-profiler/py-spy:by-hand').remove();
  });
});
