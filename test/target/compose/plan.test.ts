import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { execa } from 'execa';
import { expect } from 'vitest';
import { whyNoComposeV2 } from '../../docker/daemon.js';
import { EMPTY_IMAGE, startSimulation, whyNoSimulation } from '../../docker/simulation-container.js';
import { describeWhere } from '../../only-where.js';
import { overrideLines } from '../../../src/cli/override-text.js';
import { planOverride } from '../../../src/target/index.js';
import { loopService, stacksOfSuite, planFor, type Stack, thrownBy } from './stack.js';

const why = whyNoComposeV2 ?? whyNoSimulation;

describeWhere(why === undefined, why ?? '')('the plan of an override', (it) => {
  const suite = stacksOfSuite();
  let stack: Stack;

  async function up(
    services: string,
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    stack = await suite.make('c-plan');
    stack.write('compose.yaml', `services:\n${services}`);
    await stack.compose([...args, 'up', '-d'], env);
  }

  it('touches nothing, and gives lines to type that do and undo it', async () => {
    await up(loopService('bridge') + loopService('viz', '    depends_on: [bridge]\n'));
    const [bridge, viz] = [await stack.id('bridge'), await stack.id('viz')];
    const plan = await planFor(stack, 'bridge');
    const base = join(stack.folder, 'compose.yaml');
    const options = ['docker', 'compose', '-p', 'c-plan', '--project-directory', stack.folder, '-f', base];
    const rest = ['--no-deps', '--no-build', '--pull', 'never', 'bridge'];
    expect(plan.commands).toEqual({
      predict: [...options, '-f', plan.file.path, 'up', '-d', '--dry-run', ...rest],
      apply: [...options, '-f', plan.file.path, 'up', '-d', ...rest],
      restore: [...options, 'up', '-d', ...rest],
    });
    expect(plan).toMatchObject({
      recreated: ['c-plan-bridge-1'],
      obstacles: [],
      sharers: [],
      capabilities: ['SYS_PTRACE'],
    });
    expect([await stack.id('bridge'), await stack.id('viz')]).toEqual([bridge, viz]);
  });

  it('refuses when a variable of the shell has changed, and names it without its value', async () => {
    await up(loopService('bridge', '    environment: { MODE: "${MODE:-slow}" }\n'), [], { MODE: 'fast' });
    const [obstacle] = (await planFor(stack, 'bridge', { env: { ...stack.env, MODE: 'secret' } })).obstacles;
    expect(obstacle).toMatchObject({
      id: 'override-drifted',
      list: [
        'Compose would set MODE otherwise now: a variable of the shell, an env file, or --env-file has changed.',
      ],
    });
    expect(JSON.stringify(obstacle)).not.toContain('secret');
    expect((await planFor(stack, 'bridge', { env: { ...stack.env, MODE: 'fast' } })).obstacles).toEqual([]);
  });

  it('sees that an env_file has not changed, and that it has', async () => {
    stack = await suite.make('c-plan');
    const file = stack.write('robot.env', 'GAIN=1\n');
    stack.write('compose.yaml', `services:\n${loopService('bridge', '    env_file: [robot.env]\n')}`);
    await stack.compose(['up', '-d']);
    expect((await planFor(stack, 'bridge')).obstacles).toEqual([]);
    writeFileSync(file, 'GAIN=2\n');
    expect((await planFor(stack, 'bridge')).obstacles[0]?.list?.[0]).toContain('would set GAIN otherwise');
  });

  it('passes the --env-file on that the project was brought up with', async () => {
    stack = await suite.make('c-plan');
    const file = stack.write('prod.env', 'GAIN=3\n');
    stack.write(
      'compose.yaml',
      `services:\n${loopService('bridge', '    environment: { GAIN: "${GAIN:-0}" }\n')}`,
    );
    await stack.compose(['--env-file', 'prod.env', 'up', '-d']);
    const plan = await planFor(stack, 'bridge');
    expect(plan.obstacles).toEqual([]);
    expect(plan.commands.restore).toEqual(expect.arrayContaining(['--env-file', file]));
    rmSync(file);
    expect(await thrownBy(planFor(stack, 'bridge'))).toMatchObject({
      id: 'override-files-missing',
      list: [file],
    });
  });

  it('refuses when the file was edited or the image was built again', async () => {
    stack = await suite.make('c-plan');
    const image = 'sim-profiler-test/again:latest';
    const build = async (comment: string): Promise<void> => {
      const stream = await suite.engine().docker.importImage(Readable.from([Buffer.alloc(10_240)]), {
        repo: 'sim-profiler-test/again',
        tag: 'latest',
        changes: `LABEL comment=${comment}`,
      });
      await new Promise((resolve) => {
        suite.engine().docker.modem.followProgress(stream, resolve);
      });
    };
    try {
      await build('one');
      const service = loopService('bridge').replace(EMPTY_IMAGE, image);
      const base = stack.write('compose.yaml', `services:\n${service}`);
      await stack.compose(['up', '-d']);
      await build('two');
      expect((await planFor(stack, 'bridge')).obstacles[0]?.list?.[0]).toMatch(
        /^Image sim-profiler-test\/again:latest was built or pulled again: [0-9a-f]{12} now, [0-9a-f]{12} in the/,
      );
      writeFileSync(base, `services:\n${service}    hostname: other\n`);
      expect((await planFor(stack, 'bridge')).obstacles[0]?.list).toContain(
        `${base} was written after the container was made.`,
      );
    } finally {
      await stack.remove();
      await suite.engine().docker.getImage(image).remove({ force: true });
    }
  });

  it('refuses when other containers live in its namespaces', async () => {
    await up(loopService('bridge') + loopService('tools', '    pid: "service:bridge"\n'));
    const { obstacles, sharers } = await planFor(stack, 'bridge');
    expect(sharers).toEqual([{ name: 'c-plan-tools-1', service: 'tools', shares: ['pid'] }]);
    expect(obstacles).toHaveLength(1);
    expect(obstacles[0]).toMatchObject({
      id: 'override-shares-namespace',
      list: ['c-plan-tools-1  (pid)'],
    });
    expect(obstacles[0]?.fix).toContain(' stop tools ');
  });

  it('asks for PERFMON only where the engine knows it, and for SYS_ADMIN only by name', async () => {
    await up(loopService('bridge'));
    const known = await suite
      .engine()
      .docker.createContainer({
        Image: 'sim-profiler.invalid/none:none',
        HostConfig: { CapAdd: ['PERFMON'] },
      })
      .catch(({ statusCode }: { statusCode?: number }) => statusCode === 404);
    const plain = await planFor(stack, 'bridge', { perf: true });
    expect(plain.capabilities).toEqual(known === true ? ['SYS_PTRACE', 'PERFMON'] : ['SYS_PTRACE']);
    expect(plain.findings.map(({ level, id }) => `${level} ${id}`)).toEqual(
      known === true ? [] : ['warning perfmon-unknown'],
    );
    const admin = await planFor(stack, 'bridge', { perf: true, sysAdmin: true });
    expect(admin.capabilities.at(-1)).toBe('SYS_ADMIN');
    expect(admin.file.text).toContain('      - SYS_ADMIN\n');
  });

  it('does nothing where the right is there', async () => {
    await up(loopService('named', '    cap_add: [CAP_SYS_PTRACE]\n'));
    const plan = await planFor(stack, 'named');
    expect(plan).toMatchObject({ capabilities: [], recreated: [], obstacles: [] });
    expect(plan.findings).toMatchObject([
      {
        id: 'override-needless',
        what: 'Container c-plan-named-1 has SYS_PTRACE already.',
        why: 'Nothing has to be changed or made anew.',
      },
    ]);
  });

  it('says what is lost: files, tmpfs, and time where the first process ignores the stop signal', async () => {
    const more = '    tmpfs: [/scratch]\n    stop_grace_period: 3s\n';
    await up(loopService('bridge', more, 'stubborn'));
    const exec = await stack.docker
      .getContainer(await stack.id('bridge'))
      .exec({ Cmd: ['/usr/bin/touch', '/calibration.bin'] });
    const stream = await exec.start({});
    for await (const _ of stream) void _;
    expect((await planFor(stack, 'bridge')).lost.slice(2)).toEqual([
      'Files written inside c-plan-bridge-1: /calibration.bin.',
      'What lies in its tmpfs: /scratch.',
      'Time: the first process of c-plan-bridge-1 ignores SIGTERM, so each stop takes 3 s.',
    ]);
  });

  it('gives lines to type that a variable of the shell cannot turn', async () => {
    await up(loopService('bridge'));
    const env = { ...stack.env, COMPOSE_REMOVE_ORPHANS: '1', COMPOSE_FILE: '/no/such.yaml' };
    const plan = await planFor(stack, 'bridge', { env });
    expect(plan.obstacles).toEqual([]);
    expect(overrideLines(plan).apply.at(-1)).toMatch(
      /^env -u COMPOSE_FILE -u COMPOSE_REMOVE_ORPHANS docker compose -p c-plan /,
    );
  });

  it('keeps the number of a scaled service', async () => {
    stack = await suite.make('c-plan');
    stack.write('compose.yaml', `services:\n${loopService('bridge')}`);
    await stack.compose(['up', '-d', '--scale', 'bridge=2']);
    const plan = await planFor(stack, 'bridge');
    expect(plan).toMatchObject({ obstacles: [], recreated: ['c-plan-bridge-1', 'c-plan-bridge-2'] });
    expect(plan.commands.restore).toEqual(expect.arrayContaining(['--scale', 'bridge=2']));
  });

  it('refuses what it cannot bring back, in words that say why', async () => {
    await up(loopService('bridge'));
    const base = join(stack.folder, 'compose.yaml');
    writeFileSync(base, 'services: [a\n');
    expect(await thrownBy(planFor(stack, 'bridge'))).toMatchObject({
      id: 'compose-failed',
      what: "Compose says: yaml: line 1: did not find expected ',' or ']'.",
    });
    writeFileSync(base, `services:\n${loopService('renamed')}`);
    expect(await thrownBy(planFor(stack, 'bridge'))).toMatchObject({
      id: 'override-service-unknown',
      list: ['renamed'],
    });
    rmSync(base);
    expect(await thrownBy(planFor(stack, 'bridge'))).toMatchObject({
      id: 'override-files-missing',
      list: [base],
    });
  });

  it('says which Compose to install where the one that made the project is not there', async () => {
    await up(loopService('bridge'));
    const bin = join(stack.folder, 'bin');
    stack.write('bin/docker', '#!/bin/sh\necho "docker: unknown command: docker compose" >&2\nexit 1\n');
    chmodSync(join(bin, 'docker'), 0o755);
    const found = await thrownBy(planFor(stack, 'bridge', { env: { ...stack.env, PATH: bin } }));
    expect(found.id).toBe('compose-missing');
    expect(found.what).toMatch(
      /^Project c-plan was made by Compose 2\.\S+, and docker compose is not here\.$/,
    );
    expect(found.fix).toContain('docker-compose-plugin');
  });

  it('refuses a container that does not run, or that Compose did not make', async () => {
    await up(loopService('bridge'));
    const container = stack.docker.getContainer(await stack.id('bridge'));
    await container.pause();
    expect(await thrownBy(planFor(stack, 'bridge'))).toMatchObject({
      id: 'override-not-running',
      fix: 'docker unpause c-plan-bridge-1',
    });
    await container.unpause();
    const plain = await startSimulation(suite.engine().docker, {
      name: 'c-plain',
      program: 'plain',
      start: false,
    });
    try {
      const query = { engine: stack.engine, env: stack.env, container: plain.id };
      expect((await thrownBy(planOverride(query))).id).toBe('override-not-compose');
    } finally {
      await plain.remove();
    }
    const { exitCode } = await execa('docker', ['inspect', 'c-plain'], { env: stack.env, reject: false });
    expect(exitCode).not.toBe(0);
  });
});
