import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findService, openEngine, type ServiceQuery } from '../../../src/target/index.js';
import { startDocker, whyNoComposeV1, whyNoComposeV2, type TestDocker } from '../../docker/daemon.js';
import { describeWhere } from '../../only-where.js';
import { loopService, makeStack, type Generation, type Stack } from '../compose/stack.js';
import { failureOf } from './failure.js';
import { fakeEngine } from './fake-engine.js';

/** Two projects with a service `bridge`, and one with a scaled `lidar` beside it. */
const SERVICES = `services:\n${loopService('bridge')}${loopService('lidar')}`;

const GENERATIONS: readonly (readonly [Generation, string | undefined, string])[] = [
  ['v2', whyNoComposeV2, '-'],
  ['v1', whyNoComposeV1, '_'],
];

for (const [generation, why, joint] of GENERATIONS)
  describeWhere(why === undefined, why ?? '')(`--service with Compose ${generation}`, (test) => {
    let daemon: TestDocker;
    let robot: Stack;
    let cart: Stack;
    const names = { robot: `a-robot-${generation}`, cart: `a-cart-${generation}` };
    const find = (query: ServiceQuery) => findService(robot.engine, { cwd: robot.folder, ...query });
    const failure = (query: ServiceQuery) => failureOf(() => find(query));
    const container = (stack: string, service: string, number = 1): string =>
      [names[stack as 'robot' | 'cart'], service, number].join(joint);
    beforeAll(async () => {
      if (why !== undefined) return;
      daemon = await startDocker();
      robot = await makeStack(daemon, names.robot, generation);
      cart = await makeStack(daemon, names.cart, generation);
      robot.write('compose.yaml', SERVICES);
      robot.write('more.yaml', 'services: { bridge: { environment: { A: "1" } } }');
      robot.write('other.yaml', 'services: {}');
      // What is typed is relative, and version 1 writes it down as it was typed.
      await robot.compose(['-f', 'compose.yaml', '-f', 'more.yaml', 'up', '-d', '--scale', 'lidar=2']);
      cart.write('compose.yaml', SERVICES);
      await cart.compose(['-f', 'compose.yaml', 'up', '-d', 'bridge']);
    });
    afterAll(async () => {
      await robot?.remove();
      await cart?.remove();
      await daemon?.stop();
    });

    test('takes the project from its flag', async () => {
      for (const stack of ['robot', 'cart'] as const)
        expect(await find({ service: 'bridge', project: names[stack] })).toMatchObject({
          name: container(stack, 'bridge'),
          state: 'running',
          labels: { 'com.docker.compose.project': names[stack] },
        });
    });

    test('takes the project from its files, however they are written', async () => {
      const link = join(cart.folder, 'link.yaml');
      symlinkSync(join(robot.folder, 'more.yaml'), link);
      for (const composeFiles of [
        ['compose.yaml'],
        [join(robot.folder, 'compose.yaml'), 'more.yaml'],
        [link],
        // Not one of its files, but beside them.
        ['other.yaml'],
      ])
        expect(await find({ service: 'bridge', composeFiles })).toMatchObject({
          name: container('robot', 'bridge'),
        });
      expect(
        await find({ service: 'bridge', composeFiles: ['compose.yaml'], cwd: cart.folder }),
      ).toMatchObject({
        name: container('cart', 'bridge'),
      });
    });

    test('does not choose between projects', async () => {
      const { list, ...rest } = await failure({ service: 'bridge' });
      expect(rest).toMatchObject({
        id: 'service-ambiguous',
        fix: 'profiler attach --project NAME --service bridge',
      });
      expect(await failure({ service: 'bridge', command: ['override', '--restore'] })).toMatchObject({
        fix: 'profiler override --restore --project NAME --service bridge',
      });
      const files = [join(robot.folder, 'compose.yaml'), join(robot.folder, 'more.yaml')].join(' and ');
      expect(list).toContain(`${names.robot}: 1 container (running), from ${files}`);
      expect(list).toContain(
        `${names.cart}: 1 container (running), from ${join(cart.folder, 'compose.yaml')}`,
      );
    });

    test('does not choose between the containers of a scaled service', async () => {
      await daemon.docker.getContainer(await robot.id('lidar', 2)).pause();
      const list = [
        `1: ${container('robot', 'lidar', 1)}, running`,
        `2: ${container('robot', 'lidar', 2)}, paused`,
      ];
      expect(await failure({ service: 'lidar', composeFiles: ['compose.yaml'] })).toMatchObject({
        id: 'service-scaled',
        what: `Service lidar of project ${names.robot} has 2 containers.`,
        list,
        fix: 'profiler attach --compose compose.yaml --service lidar --index N',
      });
      expect(await find({ service: 'lidar', project: names.robot, index: 1 })).toMatchObject({
        name: container('robot', 'lidar', 1),
      });
      expect(await failure({ service: 'lidar', project: names.robot, index: 2 })).toMatchObject({
        id: 'container-paused',
        fix: `docker unpause ${container('robot', 'lidar', 2)}`,
      });
      expect(await failure({ service: 'lidar', project: names.robot, index: 3 })).toMatchObject({
        id: 'no-such-index',
        what: `Service lidar of project ${names.robot} has no container number 3.`,
        list,
      });
      await daemon.docker.getContainer(await robot.id('lidar', 2)).unpause();
    });

    test('says that the service is in another project', async () => {
      expect(await failure({ service: 'lidar', composeFiles: ['compose.yaml'], cwd: cart.folder })).toEqual({
        level: 'blocker',
        id: 'service-elsewhere',
        what: `Service lidar is not in Compose project ${names.cart}.`,
        list: [expect.stringMatching(new RegExp(`^${names.robot}: 2 containers \\(running\\), from `))],
        why: 'These projects have a service of that name.',
        fix: `profiler attach --project ${names.robot} --service lidar`,
      });
    });

    test('names the nearest service and project', async () => {
      expect(await failure({ service: 'birdge', project: names.robot })).toEqual({
        level: 'blocker',
        id: 'no-such-service',
        what: `There is no container of a service birdge in the Compose project ${names.robot}.`,
        list: ['bridge'],
        why: 'These have a name like it.',
        fix: `profiler attach --project ${names.robot} --service bridge`,
      });
      const far = await failure({ service: 'kitchen', project: names.robot });
      expect({ ...far, list: [...(far.list ?? [])].sort() }).toMatchObject({
        list: ['bridge', 'lidar'],
        why: 'These are the ones with containers.',
      });
      expect(await failure({ service: 'bridge', project: `${names.robot}x` })).toMatchObject({
        id: 'no-such-project',
        list: expect.arrayContaining([names.robot]),
      });
    });

    test('says that no project comes from a file, or that there is no such file', async () => {
      const folder = join(robot.folder, 'elsewhere');
      robot.write('elsewhere/compose.yaml', SERVICES);
      expect(await failure({ service: 'bridge', composeFiles: ['compose.yaml'], cwd: folder })).toMatchObject(
        {
          id: 'service-elsewhere',
          what: `No project was started from ${join(folder, 'compose.yaml')}.`,
          fix: 'profiler attach --project NAME --service bridge',
        },
      );
      expect(await failure({ service: 'zzzz', composeFiles: ['compose.yaml'], cwd: folder })).toMatchObject({
        id: 'no-such-project',
        fix: 'docker compose ls --all',
      });
      expect(await failure({ service: 'bridge', composeFiles: ['nonesuch.yaml'] })).toMatchObject({
        id: 'compose-file-missing',
        what: 'There is no compose file nonesuch.yaml.',
      });
    });

    test('leaves out what was made for a single command, and tells the state of the rest', async () => {
      await cart.compose(['run', '-d', '--name', `${names.cart}-once`, 'bridge']);
      await cart.compose(['stop', '-t', '0', 'bridge']);
      expect(await failure({ service: 'bridge', project: names.cart })).toMatchObject({
        id: 'container-exited',
        what: expect.stringContaining(`Container ${container('cart', 'bridge')} does not run`),
      });
    });

    test('prefers the container that lives to one that an interrupted recreation left', async () => {
      const live = daemon.docker.getContainer(await robot.id('bridge'));
      const { Config, HostConfig } = await live.inspect();
      const left = await daemon.docker.createContainer({
        name: `${live.id.slice(0, 12)}_${container('robot', 'bridge')}`,
        Image: Config.Image,
        Cmd: Config.Cmd,
        Labels: Config.Labels,
        HostConfig,
      });
      expect(await find({ service: 'bridge', project: names.robot })).toMatchObject({ id: live.id });
      await left.remove();
    });
  });

const label = (more: object): object => ({
  'com.docker.compose.project': 'robot',
  'com.docker.compose.service': 'bridge',
  ...more,
});
const listed = (...labels: readonly object[]): Promise<string> =>
  fakeEngine({
    'GET /version': { Version: '24.0', ApiVersion: '1.43' },
    'GET /containers/json': labels.map((Labels, index) => ({
      Id: String(index).repeat(64),
      Names: [`/c${index}`],
      State: 'running',
      Created: index,
      Labels,
    })),
  });
const failureAt = async (socket: string, query: ServiceQuery) => {
  const engine = await openEngine({ DOCKER_HOST: `unix://${socket}` });
  return failureOf(() => findService(engine, query));
};

describe('labels', () => {
  it('may hold anything: what is typed is quoted', async () => {
    const odd = await listed(label({ 'com.docker.compose.service': '$(reboot)' }));
    expect(await failureAt(odd, { service: '$(rebot)' })).toMatchObject({
      fix: "profiler attach --service '$(reboot)'",
    });
  });

  it('may be missing', async () => {
    const socket = await listed({ 'com.docker.compose.project': 'robot' }, {});
    expect(await failureAt(socket, { service: 'bridge' })).toMatchObject({
      id: 'no-such-project',
      what: `The engine at unix://${socket} has no container that Compose made.`,
      fix: 'docker compose up -d  (or: docker context ls)',
    });
    const numbers = await listed(
      label({ 'com.docker.compose.container-number': '-1' }),
      label({
        'com.docker.compose.container-number': '2',
      }),
    );
    expect(await failureAt(numbers, { service: 'bridge' })).toMatchObject({
      id: 'service-scaled',
      list: ['1: c0, running', '2: c1, running'],
    });
  });
});
