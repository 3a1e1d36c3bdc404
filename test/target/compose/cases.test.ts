import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect } from 'vitest';
import { restoreOverride } from '../../../src/target/index.js';
import { whyNoComposeV2 } from '../../docker/daemon.js';
import { TEST_LABEL, testOwner } from '../../docker/leftovers.js';
import { EMPTY_IMAGE } from '../../docker/simulation-container.js';
import { describeWhere } from '../../only-where.js';
import { applyPlan, stacksOfSuite, planFor, type Stack } from './stack.js';

const FIXTURES = fileURLToPath(new URL('../../fixtures/compose/', import.meta.url));

/** A file of the collection, with an image that this engine has. */
function caseText(name: string): string {
  return readFileSync(join(FIXTURES, `${name}.yml`), 'utf8').replaceAll('example/sim:1', EMPTY_IMAGE);
}

/** What the empty image needs to run, for a second file that Compose lays over the first. */
function running(...services: readonly string[]): string {
  const each = services.map(
    (service) => `  ${JSON.stringify(service)}:
    network_mode: none
    labels: { ${TEST_LABEL}: "${testOwner()}" }
    volumes: [/usr:/usr:ro, /usr/lib:/lib:ro, /usr/lib64:/lib64:ro, ./app:/app:ro]
    command: [/usr/bin/python3, /app/loop.py]
`,
  );
  return `services:\n${each.join('')}`;
}

describeWhere(whyNoComposeV2 === undefined, whyNoComposeV2 ?? '')('a compose file', (it) => {
  const suite = stacksOfSuite();
  let stack: Stack;

  /** Brings a file up with the commands that its services need. */
  async function up(
    name: string,
    services: readonly string[],
    args: readonly string[] = [],
  ): Promise<readonly string[]> {
    const base = stack.write('compose.yaml', caseText(name));
    const run = stack.write('compose.override.yaml', running(...services));
    await stack.compose([...args, 'up', '-d']);
    return [base, run];
  }

  it('with lists keeps both of its security options and every capability', async () => {
    stack = await suite.make('c-case-01');
    stack.write('seccomp.json', '{"defaultAction":"SCMP_ACT_ALLOW"}');
    const files = await up('01-security-opt-union', ['bridge']);
    const texts = files.map((file) => readFileSync(file));
    const before = await stack.docker.getContainer(await stack.id('bridge')).inspect();
    const applied = await applyPlan(stack, await planFor(stack, 'bridge'));
    const { HostConfig } = await stack.docker.getContainer(applied.container.id).inspect();
    expect(HostConfig.CapAdd).toEqual(['SYS_NICE', 'SYS_PTRACE']);
    expect(HostConfig.CapDrop).toEqual(['ALL']);
    expect(HostConfig.SecurityOpt).toHaveLength(2);
    expect(HostConfig.SecurityOpt).toEqual(before.HostConfig.SecurityOpt);
    await restoreOverride(applied.undo!, { docker: stack.docker, env: stack.env });
    expect(files.map((file) => readFileSync(file))).toEqual(texts);
  });

  it('keeps an override of its own, which -f alone would switch off', async () => {
    stack = await suite.make('c-case-02');
    const [base, own] = await up('02-auto-override-lost', ['bridge']);
    const { commands, file } = await planFor(stack, 'bridge');
    const files = commands.apply.flatMap((argument, index) =>
      commands.apply[index - 1] === '-f' ? [argument] : [],
    );
    expect(files).toEqual([base, own, file.path]);
    expect(commands.restore).not.toContain(file.path);
  });

  it('with dollar signs gives the container the same command and environment', async () => {
    stack = await suite.make('c-case-04');
    await up('04-dollar-signs', ['bridge']);
    const { place, commands, file, tool } = await planFor(stack, 'bridge');
    const shown = async (input: string, ...more: readonly string[]): Promise<unknown> => {
      const args = [
        '-p',
        'x',
        '-f',
        join(stack.folder, 'compose.yaml'),
        ...more,
        'config',
        '--format',
        'json',
      ];
      const { stdout } = await execa('docker', ['compose', ...args], { ...place, extendEnv: false, input });
      return (JSON.parse(stdout) as { services: { bridge: { cap_add?: unknown } } }).services.bridge;
    };
    const plain = (await shown('')) as { readonly command: readonly string[] };
    expect(plain.command[2]).toContain('--pid $$$$ --rate $${RATE:-100}');
    expect(await shown(file.text, '-f', '-')).toEqual({ ...plain, cap_add: ['SYS_PTRACE'] });
    expect(tool.argv).toEqual(['docker', 'compose']);
    expect(commands.apply.join(' ')).not.toContain('$');
  });

  it('may have services with odd names', async () => {
    stack = await suite.make('c-case-05');
    await up('05-odd-service-names', ['on', '123', 'sim.bridge-1_x']);
    for (const service of ['on', '123', 'sim.bridge-1_x']) {
      const plan = await planFor(stack, service);
      expect(plan).toMatchObject({ service, obstacles: [] });
      expect(plan.recreated).toEqual([`c-case-05-${service}-1`]);
    }
    const applied = await applyPlan(stack, await planFor(stack, 'on'));
    expect((await stack.state('on'))[0]?.capAdd).toEqual(['SYS_PTRACE']);
    await restoreOverride(applied.undo!, { docker: stack.docker, env: stack.env });
  });

  it('with a service beside it leaves that alone, and makes nothing anew when the right is there', async () => {
    stack = await suite.make('c-case-07');
    await up('07-recreate-is-destructive', ['sim', 'bridge']);
    const ids = async (): Promise<readonly string[]> => [await stack.id('sim'), await stack.id('bridge')];
    const [sim, bridge] = await ids();
    const state = await stack.state('bridge');
    const plan = await planFor(stack, 'bridge');
    expect(plan.lost.length).toBeGreaterThan(1);
    const { undo, container } = await applyPlan(stack, plan);
    expect(await ids()).toEqual([sim, container.id]);
    expect(container.id).not.toBe(bridge);
    const again = await planFor(stack, 'bridge');
    expect(again).toMatchObject({ capabilities: [], recreated: [] });
    expect((await applyPlan(stack, again)).undo).toBeUndefined();
    expect(await ids()).toEqual([sim, container.id]);
    const restored = await restoreOverride(undo!, { docker: stack.docker, env: stack.env });
    expect(restored).toEqual({ outcome: 'restored', findings: [] });
    expect(await stack.state('bridge')).toEqual(state);
    expect(await stack.id('sim')).toBe(sim);
  });

  it('with include, extends, anchors and profiles is read by Compose alone', async () => {
    stack = await suite.make('c-case-08');
    stack.write('common/compose.yaml', `services:\n  other: { image: ${EMPTY_IMAGE}, profiles: [never] }\n`);
    stack.write('common/base.yaml', 'services:\n  py: { environment: { FROM_BASE: "1" } }\n');
    await up('08-extends-include-profiles', ['bridge'], ['--profile', 'sim']);
    const plan = await planFor(stack, 'bridge');
    expect(plan.obstacles).toEqual([]);
    expect(plan.commands.apply).toEqual(expect.arrayContaining(['--profile', 'sim']));
    expect(plan.findings.map(({ id, what }) => [id, what])).toEqual([
      ['override-profile', 'Profile sim is switched on: without it Compose does not see service bridge.'],
    ]);
    const chosen = await planFor(stack, 'bridge', { env: { ...stack.env, COMPOSE_PROFILES: 'sim' } });
    expect(chosen.commands.apply).not.toContain('--profile');
    expect(chosen.findings).toEqual([]);
    const applied = await applyPlan(stack, plan);
    const { Config } = await stack.docker.getContainer(applied.container.id).inspect();
    expect(Config.Env).toContain('FROM_BASE=1');
  });

  it('may have a version key, which the throwaway has not', async () => {
    stack = await suite.make('c-case-09');
    expect(caseText('09-version-key')).toContain('version: "2.4"');
    await up('09-version-key', ['bridge']);
    const plan = await planFor(stack, 'bridge');
    expect(plan.file.text).not.toContain('version');
    expect(plan.obstacles).toEqual([]);
  });
});
