import { expect } from 'vitest';
import { byOverride } from '../../src/cli/attach-override.js';
import { whyNoComposeV2 } from '../docker/daemon.js';
import { describeWhere } from '../only-where.js';
import { loopService, stacksOfSuite, type Stack, thrownBy } from '../target/compose/stack.js';
import { userWith } from './user.js';

const work = (): Promise<never> => Promise.reject(new Error('was made anew'));

describeWhere(whyNoComposeV2 === undefined, whyNoComposeV2 ?? '')('attach --via override', (it) => {
  const suite = stacksOfSuite();
  let stack: Stack;

  it('names its own line, not that of another command, where nobody can be asked', async () => {
    stack = await suite.make('e-consent');
    stack.write('compose.yaml', `services:\n${loopService('bridge')}`);
    await stack.compose(['up', '-d']);
    const id = await stack.id('bridge');
    const { io } = userWith({ env: stack.env, cwd: stack.folder });
    expect(await thrownBy(byOverride(io, { service: 'bridge', project: 'e-consent' }, work))).toMatchObject({
      id: 'needs-yes',
      fix: 'profiler attach --service bridge --project e-consent … --via override --yes',
    });
    expect(await stack.id('bridge')).toBe(id);
  });

  it('is ended by no signal while the service is another, and tells the work of it', async () => {
    stack = await suite.make('e-held');
    stack.write('compose.yaml', `services:\n${loopService('bridge')}`);
    await stack.compose(['up', '-d']);
    const before = await stack.state('bridge');
    const { io } = userWith({ env: stack.env, cwd: stack.folder });
    const flags = { service: 'bridge', project: 'e-held', yes: true } as const;
    const seen = await byOverride(io, flags, (_found, came) => {
      const heard = process.emit('SIGINT');
      return Promise.resolve([heard, came.aborted]);
    });
    expect(seen).toEqual([true, true]);
    expect(await stack.state('bridge')).toEqual(before);
    expect(process.emit('SIGINT')).toBe(false);
  });
});
