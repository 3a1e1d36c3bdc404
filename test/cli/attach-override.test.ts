import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { byOverride } from '../../src/cli/attach-override.js';
import type { Io } from '../../src/cli/io.js';
import { startDocker, type TestDocker, whyNoComposeV2 } from '../docker/daemon.js';
import { describeWhere } from '../only-where.js';
import { loopService, makeStack, type Stack, thrownBy } from '../target/compose/stack.js';

const work = (): Promise<never> => Promise.reject(new Error('was made anew'));

describeWhere(whyNoComposeV2 === undefined, whyNoComposeV2 ?? '')('attach --via override', (it) => {
  let engine: TestDocker;
  let stack: Stack;
  beforeAll(async () => {
    engine = await startDocker();
  });
  afterEach(() => stack?.remove());
  afterAll(() => engine?.stop());

  it('names its own line, not that of another command, where nobody can be asked', async () => {
    stack = await makeStack(engine, 'e-consent');
    stack.write('compose.yaml', `services:\n${loopService('bridge')}`);
    await stack.compose(['up', '-d']);
    const id = await stack.id('bridge');
    const style = { width: 100, color: false };
    const io: Io = {
      out: () => Promise.resolve(),
      err: () => undefined,
      async *stdin() {},
      stdinIsTerminal: false,
      stdoutIsTerminal: false,
      stderrIsTerminal: false,
      style,
      errStyle: style,
      env: stack.env,
      cwd: stack.folder,
      setExitCode: () => undefined,
    };
    expect(await thrownBy(byOverride(io, { service: 'bridge', project: 'e-consent' }, work))).toMatchObject({
      id: 'needs-yes',
      fix: 'profiler attach --service bridge --project e-consent … --via override --yes',
    });
    expect(await stack.id('bridge')).toBe(id);
  });
});
