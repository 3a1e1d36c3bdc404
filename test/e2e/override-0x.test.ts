import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, vi } from 'vitest';
import { readManifest } from '../../src/recording/index.js';
import { listOverrides } from '../../src/target/index.js';
import { whyNoComposeV2 } from '../docker/daemon.js';
import { EMPTY_IMAGE } from '../docker/simulation-container.js';
import { TEST_LABEL, testOwner } from '../docker/leftovers.js';
import { describeWhere, onlyWithAll } from '../only-where.js';
import { type Stack, stacksOfSuite } from '../target/compose/stack.js';
import { BIN, profiler } from './demo-simulation.js';

/** The container sees the machine's own programs. */
const whyNot =
  whyNoComposeV2 ??
  (process.execPath.startsWith('/usr/') ? undefined : 'no node below /usr for the container');

const APP = `
const burn = (ms) => { const end = performance.now() + ms; while (performance.now() < end); };
function physics() { burn(2); }
setInterval(physics, 10);
console.log(process.argv.slice(2).join(' '));
`;

function node(...args: readonly string[]): string {
  return JSON.stringify([process.execPath, '/app/app.mjs', ...args]);
}

describeWhere(whyNot === undefined, whyNot ?? '')('override --0x', (test) => {
  const suite = stacksOfSuite();
  let stack: Stack;
  const run = (...args: readonly string[]) =>
    profiler(['override', '--0x', ...args], { cwd: stack.folder, env: stack.env });

  async function up(command: string): Promise<void> {
    stack = await suite.make('z-0x');
    stack.write('app/app.mjs', APP);
    stack.write(
      'compose.yaml',
      `services:
  bridge:
    image: ${EMPTY_IMAGE}
    network_mode: none
    user: "1000"
    read_only: true
    restart: always
    stop_grace_period: 1s
    labels: { ${TEST_LABEL}: "${testOwner()}" }
    volumes: [/usr:/usr:ro, /usr/lib:/lib:ro, /usr/lib64:/lib64:ro, ./app:/app:ro]
    command: ${command}
`,
    );
    await stack.compose(['up', '-d']);
  }

  const logOf = async (): Promise<string> =>
    (await stack.docker.getContainer(await stack.id('bridge')).logs({ stdout: true })).toString('latin1');

  onlyWithAll(test)(
    'has 0x start the service, draw it, and puts the original back with its dollar signs',
    async () => {
      await up(node('$$$$', '$${RATE:-100}'));
      const before = await stack.state('bridge');
      await vi.waitUntil(async () => (await logOf()).includes('$$ ${RATE:-100}'), 20_000);
      const id = await stack.id('bridge');
      const plan = await run('--service', 'bridge');
      expect(plan.code).toBe(0);
      expect(plan.out).toContain('init: true');
      expect(plan.out).toContain('"$$$$", "$${RATE:-100}"');
      expect(plan.out).toContain('0x cannot attach to a running program');
      expect(await stack.id('bridge')).toBe(id);
      const ran = await run('--service', 'bridge', '--apply', '--yes', '-d', '3', '-o', 'r');
      expect({ code: ran.code, err: ran.err }).toMatchObject({ code: 0 });
      const recording = await readManifest(join(stack.folder, 'r'));
      expect(recording).toMatchObject({
        backend: '0x',
        route: 'override',
        target: { command: [process.execPath, '/app/app.mjs', '$$', '${RATE:-100}'] },
      });
      expect(readFileSync(join(stack.folder, 'r/0x/out/flamegraph.html'), 'utf8')).toContain('physics');
      const hot = await profiler(['hot', 'r', '--folded'], { cwd: stack.folder });
      expect(hot.out).toMatch(/physics \(\S*app\.mjs:3\)/);
      expect(await stack.state('bridge')).toEqual(before);
      expect(await stack.id('bridge')).not.toBe(id);
      expect(listOverrides(stack.env)).toEqual([]);
      await vi.waitUntil(async () => (await logOf()).includes('$$ ${RATE:-100}'), 20_000);
    },
  );

  test('refuses a service that starts node by a shell, and says how it can be profiled', async () => {
    await up('["/usr/bin/sh", "-c", "exec node /app/app.mjs"]');
    const id = await stack.id('bridge');
    const refused = await run('--service', 'bridge', '--apply', '--yes');
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('Service bridge does not start node itself: it runs /usr/bin/sh -c');
    expect(await stack.id('bridge')).toBe(id);
    expect(existsSync(join(stack.folder, 'recordings'))).toBe(false);
  });

  onlyWithAll(test)('ends early on Ctrl-C, with what there is, and puts the original back', async () => {
    await up(node());
    const before = await stack.state('bridge');
    const args = ['override', '--0x', '--service', 'bridge', '--apply', '--yes', '-d', '600', '-o', 'r'];
    const ran = execa(process.execPath, [BIN, ...args], {
      reject: false,
      cwd: stack.folder,
      env: stack.env,
    });
    let said = '';
    ran.stderr.on('data', (chunk: Buffer) => {
      said += String(chunk);
    });
    await vi.waitUntil(() => said.includes('0x samples service bridge'), 60_000);
    ran.kill('SIGINT');
    expect((await ran).exitCode).toBe(130);
    expect(await readManifest(join(stack.folder, 'r'))).toMatchObject({ ended: 'interrupted' });
    expect(existsSync(join(stack.folder, 'r/0x/out/flamegraph.html'))).toBe(true);
    expect(await stack.state('bridge')).toEqual(before);
    expect(listOverrides(stack.env)).toEqual([]);
  });
});
