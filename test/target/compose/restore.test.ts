import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { expect } from 'vitest';
import { overrideLines } from '../../../src/cli/override-text.js';
import {
  adoptOverride,
  listOverrides,
  openJournal,
  type OverrideUndo,
  readJournals,
  type RestoredOverride,
  restoreOverride,
} from '../../../src/target/index.js';
import { whyNoComposeV2 } from '../../docker/daemon.js';
import { describeWhere, onlyWithAll } from '../../only-where.js';
import { applyPlan, loopService, stacksOfSuite, planFor, type Stack, thrownBy } from './stack.js';

describeWhere(whyNoComposeV2 === undefined, whyNoComposeV2 ?? '')('an override', (it) => {
  const heavy = onlyWithAll(it);
  const suite = stacksOfSuite();
  let stack: Stack;

  async function up(services: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
    stack = await suite.make('c-undo');
    stack.write('compose.yaml', `services:\n${services}`);
    await stack.compose(['up', '-d'], env);
  }

  async function apply(service = 'bridge'): Promise<OverrideUndo> {
    const { undo } = await applyPlan(stack, await planFor(stack, service));
    if (undo === undefined) throw new Error('nothing was applied');
    return undo;
  }

  function restore(
    undo: OverrideUndo,
    env: Readonly<Record<string, string>> = {},
  ): Promise<RestoredOverride> {
    return restoreOverride(undo, { docker: stack.docker, env: { ...stack.env, ...env } });
  }

  /** Nothing of ours is left, neither on disk nor in the engine. */
  async function expectNoTrace(undo: Pick<OverrideUndo, 'folder'>): Promise<void> {
    expect(existsSync(undo.folder)).toBe(false);
    expect(readJournals(stack.env)).toEqual([]);
    const filters = { label: ['com.docker.compose.project=c-undo'] };
    for (const { Names, Labels } of await stack.docker.listContainers({ all: true, filters })) {
      expect(Names[0]).not.toMatch(/^\/[0-9a-f]{12}_/);
      expect(Labels['com.docker.compose.project.config_files']).not.toContain('sim-profiler-override');
    }
  }

  it('is written down before it is applied, in a folder for its owner alone', async () => {
    await up(loopService('bridge'));
    const base = join(stack.folder, 'compose.yaml');
    const text = readFileSync(base);
    const state = await stack.state('bridge');
    const undo = await apply();
    expect(listOverrides(stack.env)).toMatchObject([{ undo: { ...undo, settled: true }, inUse: true }]);
    expect(statSync(undo.folder).mode & 0o777).toBe(0o700);
    expect(undo.folder.startsWith(stack.folder)).toBe(false);
    const info = await stack.docker.getContainer(await stack.id('bridge')).inspect();
    expect(info.HostConfig.CapAdd).toEqual(['SYS_PTRACE']);
    const bounding = /^CapBnd:\s*(\S+)/m.exec(readFileSync(`/proc/${info.State.Pid}/status`, 'utf8'))?.[1];
    expect((BigInt(`0x${bounding}`) >> 19n) & 1n).toBe(1n);
    expect(await restore(undo)).toEqual({ outcome: 'restored', findings: [] });
    expect(await stack.state('bridge')).toEqual(state);
    expect(readFileSync(base)).toEqual(text);
    await expectNoTrace(undo);
    expect(await restore(undo)).toEqual({ outcome: 'untouched', findings: [] });
  });

  it('comes back as it was although another shell restores it', async () => {
    await up(loopService('bridge', '    environment: { MODE: "${MODE:-slow}", PASSED: }\n'), { PASSED: 'x' });
    const state = await stack.state('bridge');
    const plan = await planFor(stack, 'bridge', { env: { ...stack.env, PASSED: 'x' } });
    expect(plan.obstacles).toEqual([]);
    const { undo } = await applyPlan(stack, plan);
    expect(await restore(undo!, { MODE: 'fast', PASSED: 'y' })).toEqual({
      outcome: 'restored',
      findings: [],
    });
    expect(await stack.state('bridge')).toEqual(state);
  });

  heavy('starts nothing when the project was taken down', async () => {
    await up(loopService('bridge'));
    const undo = await apply();
    await stack.compose(['down', '-t', '1']);
    const { outcome, findings } = await restore(undo);
    expect({ outcome, ids: findings.map(({ id }) => id) }).toEqual({
      outcome: 'gone',
      ids: ['override-gone'],
    });
    expect(await stack.state('bridge')).toEqual([]);
    await expectNoTrace(undo);
  });

  it('leaves a service stopped that somebody stopped, with its original settings', async () => {
    await up(loopService('bridge'));
    const [before] = await stack.state('bridge');
    const undo = await apply();
    await stack.compose(['stop', '-t', '1', 'bridge']);
    const { outcome, findings } = await restore(undo);
    expect({ outcome, ids: findings.map(({ id }) => id) }).toEqual({
      outcome: 'stopped',
      ids: ['override-stopped'],
    });
    expect(await stack.state('bridge')).toEqual([{ ...before, running: false }]);
    await expectNoTrace(undo);
  });

  heavy('is gone already when somebody brought the project up by themselves', async () => {
    await up(loopService('bridge'));
    const undo = await apply();
    await stack.compose(['up', '-d', '-t', '1']);
    const id = await stack.id('bridge');
    expect(await restore(undo)).toEqual({ outcome: 'untouched', findings: [] });
    expect(await stack.id('bridge')).toBe(id);
    await expectNoTrace(undo);
  });

  heavy('leaves a newer service alone', async () => {
    await up(loopService('bridge'));
    const undo = await apply();
    stack.write('compose.yaml', `services:\n${loopService('bridge', '    hostname: newer\n')}`);
    await stack.compose(['up', '-d', '-t', '1']);
    const id = await stack.id('bridge');
    const { outcome, findings } = await restore(undo);
    expect({ outcome, ids: findings.map((one) => one.id) }).toEqual({
      outcome: 'changed',
      ids: ['override-replaced'],
    });
    expect(await stack.id('bridge')).toBe(id);
    await expectNoTrace(undo);
  });

  it('says what is not as before when a file was edited meanwhile', async () => {
    await up(loopService('bridge'));
    const undo = await apply();
    stack.write('compose.yaml', `services:\n${loopService('bridge', '    hostname: newer\n')}`);
    const { outcome, findings } = await restore(undo);
    expect(outcome).toBe('restored');
    expect(findings.map(({ what }) => what)).toEqual([
      'Container c-undo-bridge-1 is not as it was before the override: configuration hash.',
    ]);
  });

  it('is taken back when the program does not start with it', async () => {
    stack = await suite.make('c-undo');
    stack.write(
      'app/loop.py',
      `import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
bounding = [line for line in open("/proc/self/status") if line.startswith("CapBnd")][0].split()[1]
if int(bounding, 16) >> 19 & 1:
    sys.exit("who gave me that?")
while True:
    time.sleep(0.005)
`,
    );
    stack.write('compose.yaml', `services:\n${loopService('bridge')}`);
    await stack.compose(['up', '-d']);
    const state = await stack.state('bridge');
    const plan = await planFor(stack, 'bridge');
    expect(await thrownBy(applyPlan(stack, plan))).toMatchObject({
      id: 'override-start-failed',
      what: 'Container c-undo-bridge-1 ended with 1 when it was started with the override.',
      list: ['who gave me that?'],
    });
    expect(await stack.state('bridge')).toEqual(state);
    await expectNoTrace(plan.undo);
  });

  it('is taken back when Compose cannot make the container, and its words are kept', async () => {
    await up(loopService('bridge'));
    const [state, id] = [await stack.state('bridge'), await stack.id('bridge')];
    const plan = await planFor(stack, 'bridge');
    const text = plan.file.text.replace('SYS_PTRACE', 'NO_SUCH_THING');
    const finding = await thrownBy(applyPlan(stack, { ...plan, file: { ...plan.file, text } }));
    expect(finding.id).toBe('override-apply-failed');
    expect(finding.list?.join(' ')).toContain('NO_SUCH_THING');
    expect(await stack.state('bridge')).toEqual(state);
    expect(await stack.id('bridge')).toBe(id);
    await expectNoTrace(plan.undo);
  });

  it('is taken back on Ctrl-C, whether Compose works or the simulation is waited for', async () => {
    await up(loopService('bridge'));
    const state = await stack.state('bridge');
    for (const moment of ['recreating', 'waiting'] as const) {
      const plan = await planFor(stack, 'bridge');
      const controller = new AbortController();
      const events: string[] = [];
      const work = applyPlan(stack, plan, {
        signal: controller.signal,
        onEvent: (event) => {
          events.push(event);
          if (event === moment) controller.abort();
        },
      });
      expect((await thrownBy(work)).id).toBe('override-interrupted');
      expect(events.at(-1)).toBe('restoring');
      expect(await stack.state('bridge')).toEqual(state);
      await expectNoTrace(plan.undo);
    }
  });

  heavy('waits for the health check', async () => {
    const check = `    healthcheck:
      test: [CMD, /usr/bin/test, -e, /proc/1/ns]
      interval: 1s
      start_period: 1s
`;
    await up(loopService('bridge', check));
    const { container, findings } = await applyPlan(stack, await planFor(stack, 'bridge'));
    const { State } = await stack.docker.getContainer(container.id).inspect();
    expect([State.Health?.Status, findings]).toEqual(['healthy', []]);
  });

  heavy('says so when the new container does not step as the old one did', async () => {
    stack = await suite.make('c-undo');
    stack.write(
      'app/loop.py',
      `import os, time
# 200 Hz, and once the file is there still warming up.
while True:
    time.sleep(0.5 if os.path.exists("/app/warming-up") else 0.005)
`,
    );
    stack.write('compose.yaml', `services:\n${loopService('bridge', '    stop_grace_period: 0s\n')}`);
    await stack.compose(['up', '-d']);
    const { findings } = await applyPlan(stack, await planFor(stack, 'bridge'), {
      stepsWithinS: 3,
      onEvent: (event) => void (event === 'recreating' && stack.write('app/warming-up', '')),
    });
    expect(findings).toMatchObject([{ level: 'warning', id: 'override-not-stepping' }]);
    expect(findings[0]?.what).toMatch(/Its loop sleeps \d times a second, before it was \d\d+\.$/);
  });

  it('is refused where the way back cannot be written down', async () => {
    await up(loopService('bridge'));
    const id = await stack.id('bridge');
    const plan = await planFor(stack, 'bridge');
    const journal = openJournal({ XDG_STATE_HOME: stack.write('no-folder', '') }, 'now');
    expect(await thrownBy(applyPlan(stack, plan, { journal }))).toMatchObject({ id: 'override-no-journal' });
    expect(await stack.id('bridge')).toBe(id);
    expect(existsSync(plan.undo.folder)).toBe(false);
  });

  it('is refused when the service changed while somebody thought about it', async () => {
    await up(loopService('bridge'));
    const plan = await planFor(stack, 'bridge');
    await stack.compose(['up', '-d', '-t', '1', '--force-recreate']);
    expect((await thrownBy(applyPlan(stack, plan))).id).toBe('override-changed-meanwhile');
  });

  heavy('covers every container of a scaled service', async () => {
    stack = await suite.make('c-undo');
    stack.write('compose.yaml', `services:\n${loopService('bridge')}`);
    await stack.compose(['up', '-d', '--scale', 'bridge=2']);
    const state = await stack.state('bridge');
    const undo = await apply();
    expect((await stack.state('bridge')).map(({ capAdd }) => capAdd)).toEqual([
      ['SYS_PTRACE'],
      ['SYS_PTRACE'],
    ]);
    expect(await restore(undo)).toEqual({ outcome: 'restored', findings: [] });
    expect(await stack.state('bridge')).toEqual(state);
  });

  it('can be applied by hand with the lines that are printed, and be undone without a journal', async () => {
    stack = await suite.make('c-undo', 'v2', "it's my $robot-");
    stack.write('compose.yaml', `services:\n${loopService('bridge')}`);
    await stack.compose(['up', '-d']);
    const state = await stack.state('bridge');
    const plan = await planFor(stack, 'bridge');
    const lines = overrideLines(plan);
    const type = (typed: readonly string[]): Promise<unknown> =>
      execa('sh', ['-e', '-c', typed.join('\n')], { env: stack.env, extendEnv: false, cwd: '/' });
    await type(lines.apply);
    expect((await stack.state('bridge'))[0]?.capAdd).toEqual(['SYS_PTRACE']);
    const adopted = await adoptOverride(stack.engine, await stack.id('bridge'), stack.env);
    expect(adopted).toMatchObject({ folder: dirname(plan.file.path), restore: plan.commands.restore });
    expect(await restore(adopted!)).toEqual({ outcome: 'restored', findings: [] });
    expect(await stack.state('bridge')).toEqual(state);
    await expectNoTrace(plan.undo);
    await type(lines.apply);
    await type(lines.undo);
    expect(await stack.state('bridge')).toEqual(state);
    await expectNoTrace(plan.undo);
  });
});
