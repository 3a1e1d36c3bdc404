import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Container } from 'dockerode';
import { expect } from 'vitest';
import { untilIdle } from '../../src/target/compose/work.js';
import { listOverrides, readJournals, restoreOverride } from '../../src/target/index.js';
import { whyNoComposeV1, whyNoComposeV2 } from '../docker/daemon.js';
import { describeWhere, onlyWithAll } from '../only-where.js';
import { type Generation, loopService, stacksOfSuite, type Stack } from '../target/compose/stack.js';

const PROGRAM = fileURLToPath(new URL('targets/override.mjs', import.meta.url));
const DIST = process.env['PROFILER_DIST'] ?? fileURLToPath(new URL('../../dist', import.meta.url));
const whyNoBuild = existsSync(join(DIST, 'cli/override.js'))
  ? undefined
  : 'no build: run npm run build first';

/** Events of the engine in the order in which each generation makes a container anew. */
const MOMENTS: Readonly<Record<Generation, readonly string[]>> = {
  v2: ['create', 'kill', 'die', 'destroy', 'rename', 'start'],
  v1: ['kill', 'die', 'rename', 'create', 'start', 'destroy'],
};

/** Longer than it takes to begin a restore, also on a busy machine. */
const LONG_GRACE_S = 6;

/** In every run: the moment that leaves the most behind. The others take minutes. */
const ALWAYS: Readonly<Record<'v1' | 'v2', readonly string[]>> = { v2: ['rename'], v1: [] };

/** Waits until a container has ended and removes it, also where the killed Compose has asked for that just before. */
async function untilRemoved(container: Container): Promise<void> {
  try {
    await container.wait();
    await container.remove().catch((error: { readonly statusCode?: number }) => {
      if (error.statusCode !== 409) throw error;
      return container.wait({ condition: 'removed' });
    });
  } catch (error) {
    // No such container: what Compose asked for was done meanwhile.
    if ((error as { readonly statusCode?: number }).statusCode !== 404) throw error;
  }
}

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  readonly text: () => string;
}

for (const [generation, whyNot] of [
  ['v2', whyNoComposeV2],
  ['v1', whyNoComposeV1],
] as const) {
  const why = whyNot ?? whyNoBuild;
  describeWhere(why === undefined, why ?? '')(`a killed profiler (Compose ${generation})`, (it) => {
    const project = `c-kill-${generation}`;
    const suite = stacksOfSuite();
    let stack: Stack;

    async function up(graceS = 1): Promise<void> {
      stack = await suite.make(project, generation);
      // A first process that ignores SIGTERM gives each moment its time.
      const more = `    stop_grace_period: ${graceS}s\n`;
      const text = `version: "2.4"\nservices:\n${loopService('bridge', more, 'stubborn')}${loopService('viz')}`;
      stack.write('docker-compose.yml', generation === 'v1' ? text : text.replace('version: "2.4"\n', ''));
      await stack.compose(['up', '-d']);
    }

    function run(...args: readonly string[]): Run {
      const child = spawn(process.execPath, [PROGRAM, ...args], {
        env: { ...stack.env, PROFILER_DIST: DIST },
        cwd: stack.folder,
      });
      let text = '';
      for (const end of [child.stdout, child.stderr])
        end.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      return { child, ended: once(child, 'exit'), text: () => text };
    }

    /** Resolves when the engine says that this has happened to a container of the service from now on. */
    async function happening(
      moment: string,
    ): Promise<{ readonly seen: Promise<void>; readonly end: () => void }> {
      const stream = (await stack.docker.getEvents({
        filters: { type: ['container'], event: [moment], label: [`com.docker.compose.project=${project}`] },
      })) as NodeJS.ReadableStream & { readonly destroy: () => void };
      const seen = new Promise<void>((resolve) => {
        stream.once('data', () => resolve());
      });
      return { seen, end: () => stream.destroy() };
    }

    /** Starts the program and kills it, and Compose too unless that is to go on, once the engine has said so. */
    async function killAt(moment: string, args: readonly string[], andCompose = true): Promise<void> {
      const { seen, end } = await happening(moment);
      const { child, ended, text } = run(...args);
      const first = await Promise.race([seen.then(() => 'seen'), ended.then(() => 'ended')]);
      if (first === 'ended') throw new Error(`it ended before ${moment}: ${text()}`);
      child.kill('SIGKILL');
      const [left] = listOverrides(stack.env);
      if (andCompose)
        for (const pid of await untilIdle(left?.undo.folder ?? '', 0)) process.kill(pid, 'SIGKILL');
      await ended;
      end();
    }

    async function restore(): Promise<string> {
      const { child, ended, text } = run('--restore');
      await ended;
      expect([child.exitCode, text()]).toEqual([0, expect.stringContaining('bridge')]);
      return text();
    }

    async function expectNoTrace(): Promise<void> {
      expect(readJournals(stack.env)).toEqual([]);
      const filters = { label: [`com.docker.compose.project=${project}`] };
      const names = (await stack.docker.listContainers({ all: true, filters })).map(({ Names }) => Names[0]);
      const glue = generation === 'v1' ? '_' : '-';
      expect(names.sort()).toEqual(
        ['bridge', 'viz'].map((service) => `/${[project, service, 1].join(glue)}`),
      );
    }

    const heavy = onlyWithAll(it);
    const at = (moment: string): typeof it =>
      ALWAYS[generation].some((always) => always === moment) ? it : heavy;
    const apply = ['--service', 'bridge', '--project', project, '--apply', '--yes'];

    for (const moment of MOMENTS[generation]) {
      at(moment)(`leaves nothing behind that --restore does not repair: applying, ${moment}`, async () => {
        await up();
        const [state, viz] = [await stack.state('bridge'), await stack.id('viz')];
        await killAt(moment, apply);
        const [left] = listOverrides(stack.env);
        expect(left?.inUse).toBe(false);
        await restore();
        expect(await stack.state('bridge')).toEqual(state);
        expect(await stack.id('viz')).toBe(viz);
        expect(existsSync(left?.undo.folder ?? '')).toBe(false);
        await expectNoTrace();
      });
    }

    for (const moment of ['create', 'die', 'rename']) {
      at(moment)(`leaves nothing behind that --restore does not repair: restoring, ${moment}`, async () => {
        await up();
        const state = await stack.state('bridge');
        const { child, ended, text } = run(...apply);
        await ended;
        expect([child.exitCode, text()]).toEqual([0, expect.stringContaining('SYS_PTRACE')]);
        await killAt(moment, ['--restore']);
        await restore();
        expect(await stack.state('bridge')).toEqual(state);
        await expectNoTrace();
      });
    }

    if (generation === 'v2')
      for (const phase of ['applying', 'restoring'] as const) {
        (phase === 'applying' ? it : heavy)(
          `finds its way when only the new container is left, not yet renamed: ${phase}`,
          async () => {
            await up();
            const state = await stack.state('bridge');
            if (phase === 'restoring') await run(...apply).ended;
            const old = await stack.id('bridge');
            await killAt('die', phase === 'applying' ? apply : ['--restore']);
            // As Compose does next. The engine says "die" a little before the container may be removed.
            await untilRemoved(stack.docker.getContainer(old));
            const name = `${old.slice(0, 12)}_${project}-bridge-1`;
            expect(await stack.state('bridge')).toMatchObject([{ name, running: false }]);
            await restore();
            expect(await stack.state('bridge')).toEqual(state);
            await expectNoTrace();
          },
        );
      }

    heavy('lets Compose finish, and --restore waits for it', async () => {
      await up(LONG_GRACE_S);
      const [state, id] = [await stack.state('bridge'), await stack.id('bridge')];
      await killAt('kill', apply, false);
      // In this process, so that it begins while Compose still waits for the stop.
      const [left] = listOverrides(stack.env);
      expect(await restoreOverride(left!.undo, { env: stack.env })).toEqual({
        outcome: 'restored',
        findings: [],
      });
      expect(await untilIdle(left!.undo.folder, 0)).toEqual([]);
      expect(await stack.state('bridge')).toEqual(state);
      // It was made anew with the override, and once more without.
      expect(await stack.id('bridge')).not.toBe(id);
      await expectNoTrace();
    });

    heavy('is followed by a restore that waits for the stop which the engine still carries out', async () => {
      await up(LONG_GRACE_S);
      const [state, id] = [await stack.state('bridge'), await stack.id('bridge')];
      await killAt('kill', apply);
      const [left] = listOverrides(stack.env);
      expect((await stack.state('bridge')).some(({ running }) => running)).toBe(true);
      expect(await restoreOverride(left!.undo, { env: stack.env })).toEqual({
        outcome: 'restored',
        findings: [],
      });
      expect(await stack.state('bridge')).toEqual(state);
      expect(await stack.id('bridge')).toBe(id);
      await expectNoTrace();
    });

    (generation === 'v2' ? it : heavy)('puts the original back itself on SIGINT', async () => {
      await up();
      const state = await stack.state('bridge');
      const { seen, end } = await happening('kill');
      const { child, ended, text } = run(...apply);
      await seen;
      child.kill('SIGINT');
      await ended;
      end();
      expect([child.exitCode, text()]).toEqual([130, expect.stringContaining('the original is in place')]);
      expect(await stack.state('bridge')).toEqual(state);
      await expectNoTrace();
    });
  });
}
