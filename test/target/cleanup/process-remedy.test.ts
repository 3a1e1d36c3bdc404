import { once } from 'node:events';
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isSampler, samplerRemedy, stoppedRemedy } from '../../../src/target/cleanup/process-remedy.js';
import { orphans } from '../../../src/target/cleanup/owned-processes.js';
import { OWNER_VARIABLE, ownerMark, ownerState } from '../../../src/target/cleanup/owner.js';
import { readStat } from '../../../src/target/index.js';
import { procTree } from '../proc-tree.js';

const running: ChildProcess[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

interface Live {
  readonly pid: number;
  readonly startTicks: number;
  readonly ended: Promise<readonly unknown[]>;
}

/** Says when it has started, so that its handlers are in place. */
async function live(script: string, args: readonly string[] = [], env = {}): Promise<Live> {
  const child = spawn('sh', ['-c', `${script}`, 'sh', ...args], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  });
  running.push(child);
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  const pid = child.pid ?? 0;
  return { pid, startTicks: readStat(pid)?.startTicks ?? 0, ended };
}

function refuse(): never {
  throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
}

const SAMPLER = ['record', '--pid', '1'];
const state = (pid: number): string | undefined => readStat(pid)?.state;

describe('a sampler that outlived its profiler', () => {
  it('is asked to finish', async () => {
    const sampler = await live('trap "exit 7" INT; echo; read x', SAMPLER);
    const remedy = samplerRemedy(sampler);
    expect(await remedy.look()).toBe('there');
    expect(await remedy.take()).toBeUndefined();
    expect(await sampler.ended).toEqual([7, null]);
    expect(await remedy.look()).toBe('gone');
  });

  it('is killed when it does not', async () => {
    const sampler = await live('trap "" INT; echo; read x', SAMPLER);
    expect(await samplerRemedy(sampler, { patienceMs: 200 }).take()).toBeUndefined();
    expect(await sampler.ended).toEqual([null, 'SIGKILL']);
  });

  it('is left alone when its pid is that of another process now', async () => {
    const other = await live('echo; read x', SAMPLER);
    const kill = vi.fn();
    const remedy = samplerRemedy({ pid: other.pid, startTicks: other.startTicks - 1 }, { kill });
    expect(await remedy.look()).toBe('gone');
    expect(await remedy.take()).toBeUndefined();
    expect(kill).not.toHaveBeenCalled();
  });

  it('is left alone when it is none', async () => {
    const other = await live('echo; read x', ['my', 'work']);
    expect(await samplerRemedy(other).look()).toEqual({
      because: 'it is no sampler: it runs sh -c echo; read x sh my work',
    });
  });

  it('that may not be signalled is said so', async () => {
    const other = await live('echo; read x', SAMPLER);
    expect(await samplerRemedy(other, { kill: refuse }).take()).toEqual({
      because: 'it may not be signalled (EPERM)',
      fix: 'sudo profiler cleanup',
    });
  });

  it('is known by its program or its arguments', () => {
    const proc = procTree([
      { pid: 1, ppid: 0, args: ['/proc/self/fd/3', 'dump'], exe: '/opt/py-spy' },
      { pid: 2, ppid: 0, args: ['x'], exe: '/memfd:py-spy (deleted)' },
      {
        pid: 3,
        ppid: 0,
        args: ['nsenter', '-t', '9', '-p', 'fd', 'record', '--pid', '1'],
        exe: '/bin/nsenter',
      },
      { pid: 4, ppid: 0, args: ['vlc', '--pid', '1', 'record'], exe: '/bin/vlc' },
      { pid: 5, ppid: 0, args: ['record', '--pid', '1'], exe: '/bin/record' },
      { pid: 7, ppid: 0, args: ['perf', 'record', '-N', '-p', '9', '-o', 'f'], exe: '/usr/bin/perf' },
      { pid: 8, ppid: 0, args: ['perf', 'stat', '-p', '9'], exe: '/usr/bin/perf' },
      { pid: 9, ppid: 0, args: ['tape', 'record', '-p', '9'], exe: '/usr/bin/tape' },
      { pid: 10, ppid: 0, args: ['python3', '-c', 'x', 'sim-profiler-clock-0a1b'], exe: '/bin/python3' },
      { pid: 11, ppid: 0, args: ['kill', 'sim-profiler-clock-0a1b', 'KILL'], exe: '/bin/kill' },
    ]);
    const samplers = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].filter((pid) => isSampler(pid, proc));
    expect(samplers).toEqual([1, 2, 3, 7, 10]);
  });
});

describe('a target that was left stopped', () => {
  it('is resumed', async () => {
    const target = await live('echo; read x');
    process.kill(target.pid, 'SIGSTOP');
    await vi.waitUntil(() => state(target.pid) === 'T');
    const remedy = stoppedRemedy(target);
    expect(await remedy.look()).toBe('there');
    expect(await remedy.take()).toBeUndefined();
    expect(state(target.pid)).toMatch(/[RS]/);
    expect(await remedy.look()).toBe('gone');
  });

  it.each([
    [20, { because: 'signal 20 stopped it, which no sampler sends', fix: 'kill -CONT 9' }],
    [19, 'there'],
    [0, 'there'],
  ])('is told from one that signal %i stopped', async (signal, found) => {
    const proc = procTree([{ pid: 9, ppid: 1, args: ['sim'], state: 'T', startTicks: 5 }]);
    const path = join(proc, '9/stat');
    const [head = '', rest = ''] = readFileSync(path, 'utf8').split(') ');
    const fields = rest.trim().split(' ');
    const padded = Array.from({ length: 50 }, (_, index) => (index === 49 ? signal : (fields[index] ?? 0)));
    writeFileSync(path, `${head}) ${padded.join(' ')}\n`);
    expect(await stoppedRemedy({ pid: 9, startTicks: 5 }, { proc }).look()).toEqual(found);
  });

  it('is left alone where a debugger holds it', async () => {
    const proc = procTree([
      { pid: 9, ppid: 1, args: ['sim'], state: 'T', startTicks: 5, status: 'TracerPid:\t77\n' },
    ]);
    expect(await stoppedRemedy({ pid: 9, startTicks: 5 }, { proc }).look()).toEqual({
      because: 'process 77 holds it, as a debugger does',
      fix: 'kill -CONT 9',
    });
  });

  it('needs nothing where it runs, has ended, or its pid is another one now', async () => {
    const target = await live('echo; read x');
    expect(await stoppedRemedy(target).look()).toBe('gone');
    process.kill(target.pid, 'SIGSTOP');
    await vi.waitUntil(() => state(target.pid) === 'T');
    expect(await stoppedRemedy({ ...target, startTicks: 1 }).look()).toBe('gone');
    process.kill(target.pid, 'SIGKILL');
    await target.ended;
    expect(await stoppedRemedy(target).look()).toBe('gone');
  });
});

describe('the mark of a profiler', () => {
  it('tells whether it still runs', async () => {
    const other = await live('echo; read x');
    const [, , home] = ownerMark().split(':');
    const mark = `${other.pid}:${other.startTicks}:${home}`;
    expect(ownerState(ownerMark())).toBe('lives');
    expect(ownerState(mark)).toBe('lives');
    expect(ownerState(`${other.pid}:1:${home}`)).toBe('ended');
    expect(ownerState(`${other.pid}:1:4026531836-00000000`)).toBe('unknown');
    for (const wrong of [undefined, '', 'x', '1:2']) expect(ownerState(wrong)).toBe('unknown');
    process.kill(other.pid, 'SIGKILL');
    await other.ended;
    expect(ownerState(mark)).toBe('ended');
  });

  it('finds the samplers of one that has ended', async () => {
    const [, , home] = ownerMark().split(':');
    const orphan = await live('echo; read x', [], { [OWNER_VARIABLE]: `1:99:${home}` });
    const owned = await live('echo; read x', [], { [OWNER_VARIABLE]: ownerMark() });
    const pids = new Set(orphans().map(({ pid }) => pid));
    expect([pids.has(orphan.pid), pids.has(owned.pid)]).toEqual([true, false]);
  });
});
