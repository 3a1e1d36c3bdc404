import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readJournals, restoreOverride } from '../../../src/target/index.js';
import { whyNoComposeV1 } from '../../docker/daemon.js';
import { describeWhere, onlyWithAll } from '../../only-where.js';
import { applyPlan, loopService, stacksOfSuite, planFor, type Stack, thrownBy } from './stack.js';

describeWhere(whyNoComposeV1 === undefined, whyNoComposeV1 ?? '')('a project of Compose v1', (it) => {
  const heavy = onlyWithAll(it);
  const suite = stacksOfSuite();
  let stack: Stack;

  /** With an override that is loaded by itself, a version key, and an env_file. */
  async function up(env: Readonly<Record<string, string>> = {}): Promise<void> {
    stack = await suite.make('c-one', 'v1');
    stack.write('robot.env', 'GAIN=1\n');
    const more = '    environment: { MODE: "${MODE:-slow}" }\n';
    stack.write(
      'docker-compose.yml',
      `version: "2.4"\nservices:\n${loopService('bridge', more)}${loopService('viz')}`,
    );
    stack.write(
      'docker-compose.override.yml',
      'version: "2.4"\nservices:\n  bridge:\n    env_file: [robot.env]\n    cap_add: [SYS_NICE]\n',
    );
    await stack.compose(['up', '-d'], env);
  }

  it('is changed and restored by v1, whose labels hold relative paths', async () => {
    await up();
    const files = ['docker-compose.yml', 'docker-compose.override.yml'].map((name) =>
      join(stack.folder, name),
    );
    const texts = files.map((file) => readFileSync(file));
    const [state, viz] = [await stack.state('bridge'), await stack.id('viz')];
    const plan = await planFor(stack, 'bridge');
    expect(plan).toMatchObject({
      tool: { argv: ['docker-compose'], generation: 'v1', version: '1.29.2' },
      obstacles: [],
    });
    const options = [
      '-p',
      'c-one',
      '--project-directory',
      stack.folder,
      ...files.flatMap((file) => ['-f', file]),
    ];
    expect(plan.commands).toEqual({
      apply: [
        'docker-compose',
        ...options,
        '-f',
        plan.file.path,
        'up',
        '-d',
        '--no-deps',
        '--no-build',
        'bridge',
      ],
      restore: ['docker-compose', ...options, 'up', '-d', '--no-deps', '--no-build', 'bridge'],
    });
    expect(plan.findings.map(({ id }) => id)).toEqual(['override-no-dry-run']);
    const { undo } = await applyPlan(stack, plan);
    expect((await stack.state('bridge'))[0]?.capAdd).toEqual(['SYS_NICE', 'SYS_PTRACE']);
    expect(await restoreOverride(undo!, { docker: stack.docker, env: stack.env })).toEqual({
      outcome: 'restored',
      findings: [],
    });
    // v1 writes absolute paths into the labels then; all else is as before.
    expect(await stack.state('bridge')).toEqual(state);
    expect(await stack.id('viz')).toBe(viz);
    expect(files.map((file) => readFileSync(file))).toEqual(texts);
    expect(readJournals(stack.env)).toEqual([]);
  });

  heavy('is refused when its hash has changed, with the variable that did it', async () => {
    await up({ MODE: 'fast' });
    expect((await planFor(stack, 'bridge', { env: { ...stack.env, MODE: 'fast' } })).obstacles).toEqual([]);
    const [obstacle] = (await planFor(stack, 'bridge')).obstacles;
    expect(obstacle?.id).toBe('override-drifted');
    expect(obstacle?.list?.[0]).toContain('Compose would set MODE otherwise now');
    stack.write('robot.env', 'GAIN=2\n');
    const edited = await planFor(stack, 'bridge', { env: { ...stack.env, MODE: 'fast' } });
    expect(edited.obstacles[0]?.list?.[0]).toContain('Compose would set GAIN otherwise now');
  });

  heavy('stays stopped when somebody stopped it, and away when somebody took it down', async () => {
    await up();
    const [before] = await stack.state('bridge');
    const restore = { docker: stack.docker, env: stack.env };
    const first = await applyPlan(stack, await planFor(stack, 'bridge'));
    await stack.compose(['stop', '-t', '1', 'bridge']);
    expect((await restoreOverride(first.undo!, restore)).outcome).toBe('stopped');
    expect(await stack.state('bridge')).toEqual([{ ...before, running: false }]);
    await stack.compose(['start', 'bridge']);
    const second = await applyPlan(stack, await planFor(stack, 'bridge'));
    await stack.compose(['down', '-t', '1']);
    expect((await restoreOverride(second.undo!, restore)).outcome).toBe('gone');
    expect(await stack.state('bridge')).toEqual([]);
  });

  it('is not touched by v2, which would make all of it anew', async () => {
    await up();
    const finding = await thrownBy(
      planFor(stack, 'bridge', { env: { ...stack.env, PATH: '/usr/bin:/bin' } }),
    );
    expect(finding).toMatchObject({
      id: 'compose-missing',
      what: 'Project c-one was made by Compose 1.29.2, and docker-compose v1 is not here.',
      fix: 'pip install docker-compose==1.29.2',
    });
  });
});
