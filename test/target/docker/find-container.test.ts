import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findContainer, openEngine, runningContainer, type Engine } from '../../../src/target/index.js';
import { startDocker, whyNoDocker, type TestDocker } from '../../docker/daemon.js';
import {
  EMPTY_IMAGE,
  startSimulation,
  type SimulationContainer,
  type SimulationOptions,
} from '../../docker/simulation-container.js';
import { describeWhere } from '../../only-where.js';
import { failureOf } from './failure.js';
import { fakeEngine } from './fake-engine.js';

const shell = (script: string): readonly string[] => ['/bin/sh', '-c', script];
const SLEEP = ['/usr/bin/sleep', 'infinity'];

describeWhere(whyNoDocker === undefined, whyNoDocker ?? '')('--container', (test) => {
  let daemon: TestDocker;
  let engine: Engine;
  let bridge: SimulationContainer;
  const made: SimulationContainer[] = [];
  const make = async (options: SimulationOptions): Promise<SimulationContainer> => {
    const container = await startSimulation(daemon.docker, { command: SLEEP, ...options });
    made.push(container);
    return container;
  };
  beforeAll(async () => {
    if (whyNoDocker !== undefined) return;
    daemon = await startDocker();
    engine = await openEngine(daemon.env);
    bridge = await make({ name: 'a-mujoco-bridge', labels: { team: 'legs\n\u001B[31m' } });
  });
  afterAll(async () => {
    for (const container of made) await container.remove();
    await daemon?.stop();
  });

  test('finds it by name, id and the beginning of an id', async () => {
    for (const wanted of ['a-mujoco-bridge', '/a-mujoco-bridge', bridge.id, bridge.id.slice(0, 12)])
      expect(await findContainer(engine, wanted)).toMatchObject({ id: bridge.id, name: 'a-mujoco-bridge' });
  });

  test('describes what decides how to attach', async () => {
    const { State, Image, Config } = await bridge.container.inspect();
    expect(await findContainer(engine, bridge.id)).toEqual({
      id: bridge.id,
      name: 'a-mujoco-bridge',
      state: 'running',
      pid: bridge.hostPid,
      startedAt: State.StartedAt,
      restarts: 0,
      restartPolicy: 'no',
      image: EMPTY_IMAGE,
      imageId: Image,
      labels: Config.Labels,
      pidMode: '',
      user: '',
      privileged: false,
      readOnlyRoot: false,
      capAdd: [],
      capDrop: [],
      securityOpt: [],
      ulimits: [],
    });
    const tight = await make({
      name: 'a-tight',
      user: '1000:1000',
      readOnly: true,
      capDrop: ['ALL'],
      capAdd: ['SYS_PTRACE'],
      noNewPrivileges: true,
      cpus: 0.5,
      pidMode: `container:${bridge.id}`,
      restart: 'unless-stopped',
    });
    expect(await findContainer(engine, tight.name)).toMatchObject({
      user: '1000:1000',
      readOnlyRoot: true,
      capDrop: ['ALL'],
      capAdd: ['SYS_PTRACE'],
      securityOpt: ['no-new-privileges'],
      ulimits: [],
      cpus: 0.5,
      pidMode: `container:${bridge.id}`,
      restartPolicy: 'unless-stopped',
    });
  });

  test('knows a renamed one by its new name only', async () => {
    const cart = await make({ name: 'a-cart-before' });
    await cart.container.rename({ name: 'a-trolley' });
    expect(await findContainer(engine, 'a-trolley')).toMatchObject({ id: cart.id });
    expect(await failureOf(() => findContainer(engine, 'a-cart-before'))).toMatchObject({
      id: 'no-such-container',
    });
  });

  test('names the nearest when there is none, running ones first', async () => {
    await make({ name: 'a-quadruped-n', start: false });
    await make({ name: 'a-quadruped-s' });
    expect(await failureOf(() => findContainer(engine, 'a-quadurped-x'))).toEqual({
      level: 'blocker',
      id: 'no-such-container',
      what: `There is no container a-quadurped-x in the engine at ${daemon.host}.`,
      list: ['a-quadruped-s, running', 'a-quadruped-n, created'],
      why: 'These have a name like it.',
      fix: 'profiler attach --container NAME',
    });
    expect(await failureOf(() => findContainer(engine, '../../version?zzzzzzzz'))).toMatchObject({
      id: 'no-such-container',
      why: expect.stringMatching(/^None of its \d+ containers, of which \d+ run, has a name like it\.$/),
      fix: 'docker ps -a',
    });
  });

  test('says that it was never started', async () => {
    await make({ name: 'a-created', start: false });
    expect(await failureOf(() => findContainer(engine, 'a-created'))).toEqual({
      level: 'blocker',
      id: 'container-created',
      what: 'Container a-created was created and never started.',
      why: 'Nobody has started it yet.',
      fix: 'docker start a-created',
    });
    const broken = await make({ name: 'a-broken', command: ['/nonesuch'], start: false });
    await broken.container.start().catch(() => undefined);
    expect(await failureOf(() => findContainer(engine, 'a-broken'))).toMatchObject({
      id: 'container-created',
      why: expect.stringMatching(/^Its start failed: .*\/nonesuch/),
    });
  });

  for (const [script, end, why, fix] of [
    ['exit 0', 'exit code 0', 'Its program came to its end.', 'docker start a-ended'],
    ['exit 7', 'exit code 7', 'Its program failed.', 'docker logs --tail 20 a-ended'],
    ['kill -9 $$', 'exit code 137 (SIGKILL)', 'It was stopped or killed.', 'docker logs --tail 20 a-ended'],
  ] as const)
    test(`says how and when it ended: ${script}`, async () => {
      // Nobody can kill the first process of a namespace from inside: an init stands between.
      const ended = await make({ name: 'a-ended', command: shell(script), init: true, start: false });
      await ended.container.start();
      await ended.container.wait();
      const { FinishedAt } = (await ended.container.inspect()).State;
      expect(await failureOf(() => findContainer(engine, 'a-ended'))).toEqual({
        level: 'blocker',
        id: 'container-exited',
        what: `Container a-ended does not run: it ended with ${end} at ${FinishedAt.slice(0, 19)}Z.`,
        why,
        fix,
      });
      await ended.remove();
    });

  test('says that it is paused', async () => {
    const paused = await make({ name: 'a-paused' });
    await paused.container.pause();
    expect(await failureOf(() => findContainer(engine, 'a-paused'))).toEqual({
      level: 'blocker',
      id: 'container-paused',
      what: 'Container a-paused is paused.',
      why: 'All its processes are frozen, so there is nothing to measure.',
      fix: 'docker unpause a-paused',
    });
    await paused.container.unpause();
    expect(await findContainer(engine, 'a-paused')).toMatchObject({ state: 'running' });
  });

  test('waits for one that is being restarted, but not for ever', async () => {
    const flaky = await make({
      name: 'a-flaky',
      restart: 'always',
      command: shell('test -e /run/sim/go && exec sleep infinity; exit 3'),
      start: false,
    });
    await flaky.container.start();
    // From the fourth time on the engine waits longer than all that happens here.
    let restarts = 0;
    while (restarts < 4) {
      const { RestartCount, State } = await flaky.container.inspect();
      restarts = State.Restarting ? RestartCount : 0;
      await delay(20);
    }
    expect(await failureOf(() => runningContainer(engine, flaky.id, 0))).toMatchObject({
      id: 'container-restarting',
      what: expect.stringMatching(
        /^Container a-flaky keeps ending and being restarted, so far \d+ times \(policy always\)\.$/,
      ),
      why: 'Its program ends by itself, the last time with exit code 3.',
      fix: 'docker logs --tail 20 a-flaky',
    });
    writeFileSync(join(flaky.folder, 'go'), '');
    expect(await runningContainer(engine, flaky.id, 60_000)).toMatchObject({
      state: 'running',
      restartPolicy: 'always',
    });
  });
});

/** What an engine tells of a container, as far as it is read. */
function inspected(state: object, more: object = {}): object {
  return {
    Id: 'c'.repeat(64),
    Name: '/robot',
    Image: 'sha256:1',
    RestartCount: 0,
    State: {
      Status: 'exited',
      Pid: 0,
      ExitCode: 0,
      Error: '',
      OOMKilled: false,
      StartedAt: '',
      FinishedAt: '',
      ...state,
    },
    HostConfig: { RestartPolicy: { Name: '' }, ...more },
    Config: { Image: 'robot:1', User: '', Labels: null },
  };
}

describe('what only some engines have', () => {
  const listed = [
    { Id: 'c'.repeat(64), Names: ['/viz/robot', '/robot'], State: 'running', Labels: {} },
    { Id: `cc${'d'.repeat(62)}`, Names: ['/cart'], State: 'exited', Labels: {} },
  ];
  const opened = async (answer: object): Promise<Engine> => {
    const socket = await fakeEngine({
      'GET /version': { Version: '4.9.3', ApiVersion: '1.41' },
      'GET /containers/json': listed,
      [`GET /containers/${'c'.repeat(64)}/json`]: answer,
    });
    return openEngine({ DOCKER_HOST: `unix://${socket}` });
  };

  it('several ids with the same beginning', async () => {
    const engine = await opened(inspected({}));
    expect(await failureOf(() => findContainer(engine, 'cc'))).toMatchObject({
      id: 'container-ambiguous',
      what: 'The ids of 2 containers begin with cc.',
      list: ['cccccccccccc robot, running', 'ccdddddddddd cart, exited'],
    });
  });

  it.each([
    ['removing', 'container-removing', 'docker ps -a'],
    ['dead', 'container-dead', 'docker rm -f robot'],
    ['stopped', 'container-exited', 'docker start robot'],
    ['configured', 'container-created', 'docker start robot'],
  ])('the state %s', async (Status, id, fix) => {
    const engine = await opened(inspected({ Status }));
    expect(await failureOf(() => findContainer(engine, 'robot'))).toMatchObject({ id, fix });
  });

  it('a container that had no memory left', async () => {
    const engine = await opened(inspected({ ExitCode: 137, OOMKilled: true }));
    expect(await failureOf(() => findContainer(engine, 'robot'))).toMatchObject({
      why: 'It had no memory left and the kernel killed it.',
    });
  });

  it('a quota in periods, and a namespace that is called private', async () => {
    const more = { CpuQuota: 150_000, CpuPeriod: 50_000, PidMode: 'private' };
    const engine = await opened(inspected({ Status: 'running', Pid: 7 }, more));
    expect(await findContainer(engine, 'robot')).toMatchObject({ cpus: 3, pidMode: '', labels: {}, pid: 7 });
  });

  it('an engine that goes away', async () => {
    const socket = await fakeEngine({
      'GET /version': { Version: '1', ApiVersion: '1.41' },
      'GET /containers/json': 'hang up',
    });
    const engine = await openEngine({ DOCKER_HOST: `unix://${socket}` });
    expect(await failureOf(() => findContainer(engine, 'robot'))).toMatchObject({
      id: 'engine-unreachable',
      what: 'The container engine stopped answering: socket hang up.',
      why: 'It ended, or the connection to it broke, while it was asked to list its containers.',
    });
  });
});
