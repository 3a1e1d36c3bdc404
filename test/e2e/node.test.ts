import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { probeRealtime } from '../../src/target/index.js';
import { describeWhere, onlyWithAll } from '../only-where.js';
import { BIN } from './demo-simulation.js';
import { NODE_PACK, type NodeTarget, portsOf, startNode, statusOf } from './node-targets.js';
import { IS_ROOT, isThere } from './readable-copy.js';
import { type Truth, truthOver } from './truth-loop.js';

interface Answer {
  readonly threads: readonly {
    readonly tid: number;
    readonly name?: string;
    readonly buckets: readonly { readonly id: string; readonly share: number }[];
  }[];
  readonly findings: readonly { readonly id: string; readonly level: string; readonly what: string }[];
}

interface Written {
  readonly backend: string;
  readonly rateHz: number;
  readonly policy: string;
  readonly route: string;
  readonly slices: readonly { readonly file: string; readonly startNs: string; readonly endNs: string }[];
}

const heavy = onlyWithAll(it);

const running: NodeTarget[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) {
    await one.stop('SIGKILL');
    one.remove();
  }
});

async function start(...args: Parameters<typeof startNode>): Promise<NodeTarget> {
  const target = await startNode(...args);
  running.push(target);
  return target;
}

function profiler(target: NodeTarget, ...args: readonly string[]) {
  return execa(process.execPath, [BIN, ...args], {
    reject: false,
    env: { XDG_STATE_HOME: target.folder },
    cwd: target.folder,
  });
}

function attach(target: NodeTarget, ...args: readonly string[]) {
  return profiler(target, 'attach', '--pid', String(target.pid), '--no-baseline', '--json', ...args);
}

function recordingIn(folder: string): Written {
  return JSON.parse(readFileSync(join(folder, 'recording.json'), 'utf8')) as Written;
}

function journals(target: NodeTarget): readonly string[] {
  const found: string[] = [];
  for (const path of readdirSync(target.folder, { recursive: true, encoding: 'utf8' }))
    if (/journal.*\.json$/.test(path)) found.push(path);
  return found;
}

const BUCKETS = ['physics', 'raycast', 'publishing'] as const satisfies readonly (keyof Truth)[];

async function holdsAgainstTruth(target: NodeTarget, out: string, args: readonly string[]): Promise<Answer> {
  const ran = await attach(target, '-o', out, '--rules', NODE_PACK, '--thread', String(target.pid), ...args);
  expect({ code: ran.exitCode, err: ran.stderr }).toMatchObject({ code: 0 });
  const answer = JSON.parse(ran.stdout) as Answer;
  const recording = recordingIn(out);
  expect(recording).toMatchObject({ backend: 'node', rateHz: 3984 });
  expect(await target.stop()).toBe('0');
  const windows = recording.slices.map((one) => [BigInt(one.startNs), BigInt(one.endNs)] as const);
  const shares = new Map(answer.threads[0]?.buckets.map(({ id, share }) => [id, share]));
  // What waited for a CPU stands in a row of its own, unless there is so much of it that it could not be told from the functions.
  const kind = shares.has('cpu-wait') ? 'truth' : 'truth.wall';
  const truth = truthOver(join(target.folder, kind), windows);
  const errors = BUCKETS.map((id) => 100 * Math.abs((shares.get(id) ?? 0) - truth[id]));
  for (const error of errors) expect(error).toBeLessThan(4);
  return answer;
}

/** Other work of the machine would come between: what waits for a CPU cannot be told from work to better than some points. */
const UNDISTURBED = (await probeRealtime()).allowed ? ['chrt', '-f', '10'] : [];
const LOOP = ['{folder}/truth', '3', '900', '500', '300'] as const;

describe('a Node that knows its own truth', () => {
  it('is sampled by its inspector, which is closed again, and the shares hold', async () => {
    const target = await start('truth_loop.mjs', LOOP, { before: UNDISTURBED });
    const before = statusOf(target.pid).match(/^Sig.*$/gm);
    expect(portsOf(target.pid)).toEqual([]);
    const out = join(target.folder, 'r');
    const watched = execa(process.execPath, [BIN, 'doctor', '--pid', String(target.pid)], { reject: false });
    expect((await watched).stdout).toMatch(/node +.*\bSIGUSR1 opens its inspector/);
    const ran = attach(target, '-o', join(target.folder, 'first'), '-d', '1');
    expect((await ran).exitCode).toBe(0);
    expect(portsOf(target.pid)).toEqual([]);
    expect(statusOf(target.pid).match(/^Sig.*$/gm)).toEqual(before);
    expect(journals(target)).toEqual([]);
    const answer = await holdsAgainstTruth(target, out, ['-d', '6']);
    expect(answer.findings.map(({ id }) => id)).toContain('node-event-loop');
    expect(readdirSync(join(out, 'slices')).sort().slice(0, 3)).toEqual([
      '000.cpuprofile',
      '000.json',
      '000.log',
    ]);
  });

  heavy('is sampled with its worker threads, each by its own name and thread id', async () => {
    const target = await start('truth_loop.mjs', [...LOOP, 'worker']);
    const out = join(target.folder, 'r');
    const ran = await attach(target, '-o', out, '--rules', NODE_PACK, '-d', '3');
    expect({ code: ran.exitCode, err: ran.stderr }).toMatchObject({ code: 0 });
    const { threads } = JSON.parse(ran.stdout) as Answer;
    const worker = threads.find(({ name = '' }) => name.includes('lidar'));
    const render = worker?.buckets.find(({ id }) => id === 'render')?.share ?? 0;
    expect(render).toBeGreaterThan(0.6);
    expect(existsSync(`/proc/${target.pid}/task/${worker?.tid}`)).toBe(true);
    expect(worker?.tid).not.toBe(target.pid);
  });

  heavy('keeps an inspector open that was open before', async () => {
    const target = await start('truth_loop.mjs', LOOP, { node: ['--inspect=127.0.0.1:0'] });
    const [port] = portsOf(target.pid);
    expect(port).toBeGreaterThan(0);
    const ran = await attach(target, '-o', join(target.folder, 'r'), '-d', '1');
    expect({ code: ran.exitCode, err: ran.stderr }).toMatchObject({ code: 0 });
    expect(portsOf(target.pid)).toEqual([port]);
  });
});

describe('an interrupted recording', () => {
  heavy('keeps what there is, and closes the inspector', async () => {
    const target = await start('truth_loop.mjs', LOOP);
    const out = join(target.folder, 'r');
    const ran = attach(target, '-o', out, '-d', '60');
    await expect.poll(() => existsSync(join(out, 'slices/001.log')), { timeout: 20_000 }).toBe(true);
    expect(portsOf(target.pid)).toEqual([9229]);
    expect(journals(target)).toHaveLength(1);
    ran.kill('SIGINT');
    expect((await ran).exitCode).toBe(130);
    expect(portsOf(target.pid)).toEqual([]);
    expect(journals(target)).toEqual([]);
  });

  it('of a profiler that was killed is taken back by cleanup', async () => {
    const target = await start('truth_loop.mjs', LOOP);
    const out = join(target.folder, 'r');
    const ran = attach(target, '-o', out, '-d', '60');
    await expect.poll(() => existsSync(join(out, 'slices/000.log')), { timeout: 20_000 }).toBe(true);
    ran.kill('SIGKILL');
    await ran;
    expect(portsOf(target.pid)).toEqual([9229]);
    const cleaned = await profiler(target, 'cleanup', '--yes');
    expect(cleaned.stdout).toMatch(/closed.*inspector of process|inspector of process.*closed/);
    expect(portsOf(target.pid)).toEqual([]);
    expect(journals(target)).toEqual([]);
    expect(await target.stop()).toBe('0');
  });
});

/** What the profiler says against a target; it must live on, untouched. */
async function refusal(target: NodeTarget, ...args: readonly string[]): Promise<unknown> {
  const ran = await attach(target, '--backend', 'node', '-d', '1', ...args);
  expect(ran.exitCode).toBe(1);
  expect(portsOf(target.pid)).not.toContain(9229);
  expect(existsSync(`/proc/${target.pid}`)).toBe(true);
  return (JSON.parse(ran.stdout) as Pick<Answer, 'findings'>).findings[0]?.id;
}

describe('a Node that SIGUSR1 does not open', () => {
  it('handles it itself: never sent', async () => {
    const target = await start('signal_usr1.mjs', ['handles']);
    expect(await refusal(target)).toBe('node-signal-handled');
    expect(target.said()).toBe('ready\n');
  });

  it('would die of it: never sent', async () => {
    const target = await start('signal_usr1.mjs', ['dies']);
    expect(await refusal(target)).toBe('node-signal-kills');
    expect(await refusal(target, '--dry-run')).toBe('node-signal-kills');
  });

  heavy('has its port taken by another process', async () => {
    const other = createServer().listen(9229, '127.0.0.1');
    await once(other, 'listening');
    try {
      expect(await refusal(await start('signal_usr1.mjs', ['nothing']))).toBe('inspector-port-taken');
    } finally {
      other.close();
    }
  });

  heavy('is in native code that does not return', async () => {
    const target = await start('signal_usr1.mjs', ['blocked']);
    expect(await refusal(target)).toBe('node-silent');
    // It may still open: that is written down.
    expect(journals(target)).toHaveLength(1);
  });
});

describe('programs that are no Node', () => {
  it('are told apart', async () => {
    const target = await start('signal_usr1.mjs', ['nothing'], { before: ['env'] });
    expect((await attach(target, '-d', '1')).exitCode).toBe(0);
    const sleep = execa('sleep', ['60']);
    const ran = await execa(
      process.execPath,
      [BIN, 'attach', '--pid', String(sleep.pid), '--backend', 'node', '-d', '1', '--json'],
      { reject: false, cwd: target.folder },
    );
    sleep.kill('SIGKILL');
    await sleep.catch(() => undefined);
    expect(JSON.parse(ran.stdout)).toMatchObject({ findings: [{ id: 'not-node' }] });
  });
});

const canUnshare = IS_ROOT && (await isThere('unshare', ['-n', 'true']));
describeWhere(canUnshare, 'needs root and network namespaces')('a Node in a network of its own', (test) => {
  let target: NodeTarget | undefined;
  beforeEach(async () => {
    target = await startNode('truth_loop.mjs', LOOP, {
      before: ['unshare', '-n', 'sh', '-c', 'ip link set lo up; exec "$@"', 'sh'],
    });
  });
  afterEach(async () => {
    await target?.stop('SIGKILL');
    if (target !== undefined) rmSync(target.folder, { recursive: true, force: true });
  });

  test('is reached through it, without a port of ours', async () => {
    if (target === undefined) throw new Error('not started');
    const out = join(target.folder, 'r');
    const ran = await attach(target, '-o', out, '-d', '2');
    expect({ code: ran.exitCode, err: ran.stderr }).toMatchObject({ code: 0 });
    expect(recordingIn(out).route).toBe('nsenter');
    expect(portsOf(target.pid)).toEqual([]);
    expect(
      execFileSync('nsenter', ['-t', String(target.pid), '-n', 'cat', '/proc/net/tcp'], { encoding: 'utf8' }),
    ).not.toMatch(/:240D 00000000:0000 0A/);
  });
});
