import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect } from 'vitest';
import { listOverrides, readJournals } from '../../src/target/index.js';
import { whyNoComposeV2 } from '../docker/daemon.js';
import { describeWhere } from '../only-where.js';
import { loopService, stacksOfSuite, type Stack } from '../target/compose/stack.js';
import { cleanupCommand } from '../../src/cli/cleanup.js';
import { userWith } from './user.js';

const PROGRAM = fileURLToPath(new URL('targets/override.mjs', import.meta.url));
const DIST = process.env['PROFILER_DIST'] ?? fileURLToPath(new URL('../../dist', import.meta.url));
const PROJECT = 'd-override';
const why =
  whyNoComposeV2 ??
  (existsSync(join(DIST, 'cli/override.js')) ? undefined : 'no build: run npm run build first');

describeWhere(why === undefined, why ?? '')('cleanup of an override that was left', (it) => {
  const suite = stacksOfSuite();
  let stack: Stack;

  it('restores the service, once it may', async () => {
    stack = await suite.make(PROJECT);
    stack.write('docker-compose.yml', `services:\n${loopService('bridge')}${loopService('viz')}`);
    await stack.compose(['up', '-d']);
    const [before, viz] = [await stack.state('bridge'), await stack.id('viz')];
    await execa(
      process.execPath,
      [PROGRAM, '--service', 'bridge', '--project', PROJECT, '--apply', '--yes'],
      { env: { ...stack.env, PROFILER_DIST: DIST }, cwd: stack.folder },
    );
    const [left] = listOverrides(stack.env);
    const overridden = await stack.id('bridge');
    expect((await stack.state('bridge'))[0]?.capAdd).not.toEqual(before[0]?.capAdd);

    const refused = userWith({ env: stack.env, cwd: stack.folder });
    await cleanupCommand(refused.io).parseAsync([], { from: 'user' });
    expect([refused.said.code, refused.said.out]).toEqual([1, expect.stringContaining('cleanup --yes')]);
    expect(await stack.id('bridge')).toBe(overridden);

    const agreed = userWith({ env: stack.env, cwd: stack.folder });
    await cleanupCommand(agreed.io).parseAsync(['--yes'], { from: 'user' });
    expect([agreed.said.code, agreed.said.out]).toEqual([
      0,
      expect.stringContaining(`restored   override of service bridge in project ${PROJECT}\n`),
    ]);
    expect(await stack.state('bridge')).toEqual(before);
    expect(await stack.id('viz')).toBe(viz);
    expect(existsSync(left?.undo.folder ?? '/')).toBe(false);
    expect(readJournals(stack.env)).toEqual([]);
  });
});
