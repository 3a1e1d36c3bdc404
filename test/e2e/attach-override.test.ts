import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { whyNoComposeV2 } from '../docker/daemon.js';
import { describeWhere, onlyWithAll } from '../only-where.js';
import { listOverrides } from '../../src/target/index.js';
import { loopService, stacksOfSuite, type Stack } from '../target/compose/stack.js';
import { BIN, PYSPY } from './demo-simulation.js';

const why = whyNoComposeV2 ?? (existsSync(PYSPY) ? undefined : 'no .cache/sim-venv: run scripts/test');
const PROJECT = 'e2e-override';

interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

describeWhere(why === undefined, why ?? '')('attach --via override', (test) => {
  const suite = stacksOfSuite();
  let stack: Stack;

  async function up(): Promise<void> {
    stack = await suite.make(PROJECT);
    stack.write('compose.yaml', `services:\n${loopService('bridge')}${loopService('viz')}`);
    await stack.compose(['up', '-d']);
  }

  /** Sends SIGINT when `at` first stands on standard error. */
  function attach(at?: string): Promise<Run> {
    const args = ['attach', '--service', 'bridge', '--project', PROJECT, '--via', 'override', '--yes'];
    const child = spawn(process.execPath, [BIN, ...args, '-d', '3', '--no-baseline', '-o', 'r', '--json'], {
      cwd: stack.folder,
      env: { ...stack.env, PROFILER_PY_SPY: PYSPY },
    });
    let out = '';
    let err = '';
    let sent = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
      if (sent || at === undefined || !err.includes(at)) return;
      sent = true;
      child.kill('SIGINT');
    });
    return new Promise((resolve) => {
      child.on('close', (code) => resolve({ code, out, err }));
    });
  }

  test('makes the service anew, samples it, and leaves it as it was, beside an untouched one', async () => {
    await up();
    const before = { state: await stack.state('bridge'), viz: await stack.id('viz') };
    const id = await stack.id('bridge');
    const { code, out, err } = await attach();
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(JSON.parse(out)).toMatchObject({ kind: 'breakdown' });
    const recording = JSON.parse(readFileSync(join(stack.folder, 'r/recording.json'), 'utf8')) as {
      readonly route: string;
      readonly target: { readonly container: string };
    };
    expect(recording.route).toMatch(/^override, then /);
    expect(id.startsWith(recording.target.container)).toBe(false);
    expect({ state: await stack.state('bridge'), viz: await stack.id('viz') }).toEqual(before);
    expect(listOverrides(stack.env)).toEqual([]);
  });

  for (const [moment, at] of [
    ['while the service is made anew', 'Making it anew'],
    ['while it is sampled', 'Sampling process'],
    ['while the original is put back', 'Putting the original back'],
  ] as const) {
    // They are those of `override --apply`, of any attach, and of `override --restore`.
    onlyWithAll(test)(`leaves it as it was when Ctrl-C comes ${moment}`, async () => {
      await up();
      const before = await stack.state('bridge');
      const { code } = await attach(at);
      // Once the original is put back, the recording is whole: its answer is given.
      expect(code).toBe(at === 'Putting the original back' ? 0 : 130);
      expect(await stack.state('bridge')).toEqual(before);
      expect(listOverrides(stack.env)).toEqual([]);
    });
  }
});
