import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readManifest } from '../../src/recording/index.js';
import { onlyWithAll } from '../only-where.js';
import { BIN } from './demo-simulation.js';
import { type NodeTarget, startNode } from './node-targets.js';

let folder = '';
let target: NodeTarget | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'profiler-0x-'));
});
afterEach(async () => {
  await target?.stop('SIGKILL');
  target?.remove();
  target = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const APP = `
const burn = (ms) => { const end = performance.now() + ms; while (performance.now() < end); };
function physics() { burn(2); }
let steps = 0;
const timer = setInterval(() => {
  physics();
  if (++steps === 1) console.log('ready');
  if (steps === Number(process.argv[2])) { clearInterval(timer); process.exitCode = 7; }
}, 4);
`;

function profiler(...args: readonly string[]) {
  return execa(process.execPath, [BIN, ...args], { reject: false, cwd: folder });
}

function runZeroX(...args: readonly string[]) {
  writeFileSync(join(folder, 'app.mjs'), APP);
  const hostile = '</script><b>';
  return profiler('run', '--0x', '-o', 'r', '--json', 'out.json', '--', 'node', 'app.mjs', ...args, hostile);
}

/** What a run left: its answer, its page, and nothing beside the recording. */
async function leavesPage(): Promise<void> {
  const recording = await readManifest(join(folder, 'r'));
  expect(recording).toMatchObject({ backend: '0x', backendVersion: '6.0.0', rateHz: 1000 });
  const page = readFileSync(join(folder, 'r/0x/out/flamegraph.html'), 'utf8');
  expect(page).toContain('physics');
  expect(page).toContain('‹/script›‹b›');
  expect(page.match(/<\/script>/g)).toHaveLength(1);
  const answer = JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8')) as {
    readonly threads: readonly { readonly samples: number }[];
    readonly findings: readonly { readonly id: string }[];
  };
  expect(answer.threads[0]?.samples).toBeGreaterThan(100);
  expect(answer.findings.map(({ id }) => id)).toEqual(expect.arrayContaining(['0x-whole-run', '0x-page']));
  expect(readdirSync(folder).toSorted()).toEqual(['app.mjs', 'out.json', 'r', 'recordings']);
  expect((await profiler('hot', 'r', '--folded')).stdout).toMatch(/physics \(\S*app\.mjs:3\)/);
}

describe('run --0x', () => {
  it('has 0x start the program, waits for its page on a signal, and answers from what it left', async () => {
    const ran = runZeroX('1000000');
    ran.stdout.once('data', () => setTimeout(() => ran.kill('SIGINT'), 1000));
    const { stdout } = await ran;
    expect(stdout).toBe('ready');
    await leavesPage();
  });

  onlyWithAll(it)('passes on how the program ended', async () => {
    expect(await runZeroX('200')).toMatchObject({ exitCode: 7, stdout: 'ready' });
    await leavesPage();
  });

  onlyWithAll(it)(
    'tells a program that a signal ended, and takes no word of the program for its end',
    async () => {
      const code = 'setTimeout(() => process.kill(process.pid, "SIGKILL"), 300)';
      const killed = await profiler('run', '--0x', '-o', 'k', '--', 'node', '-e', code);
      expect(killed.exitCode).toBe(1);
      expect(killed.stderr).toContain('the program was ended by a signal; 0x does not tell which.');
      const word = 'console.error("Target subprocess error, code: 7"); setTimeout(() => {}, 300)';
      expect((await profiler('run', '--0x', '-o', 'w', '--', 'node', '-e', word)).exitCode).toBe(0);
    },
  );

  it('refuses what 0x cannot start, and logs that it would remove', async () => {
    const shell = await profiler('run', '--0x', '--', 'bash', '-c', 'node app.mjs');
    expect({ code: shell.exitCode, err: shell.stderr }).toMatchObject({
      code: 2,
      err: expect.stringContaining('0x starts node by itself, and bash is another program.'),
    });
    const percent = await profiler('run', '--0x', '-o', 'a%p', '--', 'node', 'app.mjs');
    expect({ code: percent.exitCode, err: percent.stderr }).toMatchObject({
      code: 2,
      err: expect.stringContaining('V8 takes the % in it for a placeholder.'),
    });
    expect(existsSync(join(folder, 'a%p'))).toBe(false);
    const missing = await profiler('run', '--0x', '--', '/nonexistent/node', 'app.mjs');
    expect({ code: missing.exitCode, err: missing.stderr }).toMatchObject({
      code: 127,
      err: expect.stringContaining('There is no program called /nonexistent/node.'),
    });
    const log = 'isolate-0x5e3a2b0-4711-4711-v8.log';
    writeFileSync(join(folder, log), 'mine');
    const refused = await runZeroX('1');
    expect({ code: refused.exitCode, err: refused.stderr }).toMatchObject({
      code: 1,
      err: expect.stringContaining(`mv ${log} /tmp/`),
    });
    expect(readFileSync(join(folder, log), 'utf8')).toBe('mine');
    expect(existsSync(join(folder, 'r'))).toBe(false);
  });
});

describe('attach --backend 0x', () => {
  it('says that 0x cannot attach, samples through the inspector, and has 0x draw the result', async () => {
    target = await startNode('truth_loop.mjs', ['{folder}/truth', '3', '900', '500', '300']);
    const pid = String(target.pid);
    const ran = await profiler(
      'attach',
      '--pid',
      pid,
      '--backend',
      '0x',
      '-d',
      '1',
      '--no-baseline',
      '-o',
      'r',
    );
    expect({ code: ran.exitCode, err: ran.stderr }).toMatchObject({ code: 0 });
    expect(ran.stdout.replaceAll(/\s+/g, ' ')).toContain(
      'Note: 0x 6.0.0 drew its flame graph page: r/flamegraph.html. 0x cannot attach to a running process',
    );
    expect(readFileSync(join(folder, 'r/flamegraph.html'), 'utf8')).toContain('burnPhysics');
    const exported = await profiler('export', 'r', '--to', '0x', '-o', 'page.html');
    expect(exported.exitCode).toBe(0);
    expect(readFileSync(join(folder, 'page.html'), 'utf8')).toContain('burnPhysics');
  });
});
