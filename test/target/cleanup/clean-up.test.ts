import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { cleanUp, type Cleanup, type CleanupOptions } from '../../../src/target/cleanup/clean-up.js';
import { ProfilerError } from '../../../src/model/index.js';
import { openJournal, type OverrideUndo, readStat, type Trace } from '../../../src/target/index.js';
import { scratch } from '../scratch.js';

const DEAD = { pid: 1, startTicks: 987_654_321 };
const CREATED = '2026-01-02T03:04:05Z';

interface Bench {
  readonly env: { readonly XDG_STATE_HOME: string };
  readonly folder: string;
  readonly write: (name: string, traces: readonly Trace[], owner?: object) => string;
  readonly run: (more?: Partial<CleanupOptions>) => Promise<Cleanup>;
}

function bench(): Bench {
  const state = scratch();
  const folder = join(state, 'sim-profiler/journal');
  mkdirSync(folder, { recursive: true });
  const env = { XDG_STATE_HOME: state };
  return {
    env,
    folder,
    write: (name, traces, owner = DEAD) => {
      const path = join(folder, `${name}.json`);
      writeFileSync(path, JSON.stringify({ owner, createdAt: CREATED, traces }));
      return path;
    },
    run: (more = {}) =>
      cleanUp({
        env,
        dryRun: false,
        consent: () => Promise.resolve(false),
        openEngine: () => Promise.reject(new Error('no socket')),
        restore: () => Promise.resolve([]),
        // Those of this machine are another test's.
        findOrphans: () => [],
        findProbes: () => [],
        ...more,
      }),
  };
}

const undo: OverrideUndo = {
  engine: 'unix:///x',
  project: 'demo',
  service: 'bridge',
  folder: '/nowhere',
  capabilities: ['SYS_PTRACE'],
  before: [],
  settled: true,
  cwd: '/',
  restore: ['docker'],
  environment: {},
  unset: [],
};

async function sleeper(): Promise<{ pid: number; startTicks: number; ended: Promise<unknown> }> {
  const child = spawn('sh', ['-c', 'echo; read x', 'sh', 'record', '--pid', '1'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  const pid = child.pid ?? 0;
  return { pid, startTicks: readStat(pid)?.startTicks ?? 0, ended };
}

describe('cleanup', () => {
  it('finds nothing where there is nothing, and says that no engine was asked', async () => {
    const { items, inUse, findings } = await bench().run();
    expect([items, inUse]).toEqual([[], 0]);
    expect(findings).toEqual([
      {
        level: 'note',
        id: 'cleanup-no-engine',
        what: 'No container engine was asked for containers and images of ours.',
        why: 'Without one there are none: the engine does not answer (no socket).',
      },
    ]);
  });

  it('ends a sampler, and removes the journal that named it', async () => {
    const { write, run, folder } = bench();
    const { ended, ...life } = await sleeper();
    write('a', [{ kind: 'process', ...life }]);
    expect((await run({ dryRun: true })).items).toEqual([
      { kind: 'process', what: `sampler, process ${life.pid}`, verb: 'stopped', state: 'planned' },
    ]);
    expect(readdirSync(folder)).toEqual(['a.json']);
    expect((await run()).items.map(({ state }) => state)).toEqual(['done']);
    expect(await ended).toEqual([null, 'SIGINT']);
    expect(readdirSync(folder)).toEqual([]);
    expect((await run()).items).toEqual([]);
  });

  it('ends a sampler that nobody wrote down', async () => {
    const { run } = bench();
    const { ended, ...life } = await sleeper();
    const { items } = await run({ findOrphans: () => [life] });
    expect(items).toEqual([
      { kind: 'process', what: `sampler, process ${life.pid}`, verb: 'stopped', state: 'done' },
    ]);
    expect(await ended).toEqual([null, 'SIGINT']);
  });

  it('touches nothing of a profiler that runs', async () => {
    const { env, run } = bench();
    const { ended, ...life } = await sleeper();
    const journal = openJournal(env, CREATED);
    journal.add({ kind: 'process', ...life });
    const { items, inUse } = await run();
    expect([items, inUse, existsSync(journal.path)]).toEqual([[], 1, true]);
    expect(readStat(life.pid)?.startTicks).toBe(life.startTicks);
    process.kill(life.pid, 'SIGKILL');
    await ended;
  });

  it('takes a killed profiler that nobody has collected for ended', async () => {
    const { write, run, folder } = bench();
    // The shell replaces itself by a program that never collects its child.
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [text] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(text.toString().trim());
    const startTicks = readStat(pid)?.startTicks ?? 0;
    write('a', [{ kind: 'process', ...DEAD }], { pid, startTicks });
    expect((await run()).inUse).toBe(1);
    await vi.waitUntil(() => readStat(parent.pid ?? 0)?.comm === 'sleep');
    process.kill(pid, 'SIGKILL');
    await vi.waitUntil(() => readStat(pid)?.state === 'Z');
    const { items, inUse } = await run();
    parent.kill('SIGKILL');
    expect([inUse, items.map(({ kind }) => kind), readdirSync(folder)]).toEqual([0, ['journal'], []]);
  });

  it('says of a journal whose things are all gone that it was removed', async () => {
    const { write, run, folder } = bench();
    write('a', [{ kind: 'process', ...DEAD }]);
    expect((await run()).items).toEqual([
      {
        kind: 'journal',
        what: `journal of a run of ${CREATED} that left nothing`,
        verb: 'removed',
        state: 'done',
      },
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('restores an override only with consent, and keeps the journal until then', async () => {
    const { write, run, folder } = bench();
    write('a', [{ kind: 'override', undo }]);
    const asked: string[] = [];
    const refused = await run({ consent: async (question) => asked.push(question) === 0 });
    expect(asked).toEqual([
      'Restore service bridge of project demo? Its container is made anew, so the simulation in it starts anew.',
    ]);
    expect(refused.items).toEqual([
      {
        kind: 'override',
        what: 'override of service bridge in project demo',
        verb: 'restored',
        state: 'left',
        because: 'nobody agreed to it',
        fix: 'profiler cleanup --yes',
      },
    ]);
    expect(readdirSync(folder)).toEqual(['a.json']);
    const restored: OverrideUndo[] = [];
    const agreed = await run({
      consent: () => Promise.resolve(true),
      restore: async (one) => {
        restored.push(one);
        return [];
      },
    });
    expect([agreed.items.map(({ state }) => state), restored]).toEqual([['done'], [undo]]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps what could not be taken back, with the line to type', async () => {
    const { write, run, folder } = bench();
    write('a', [
      { kind: 'override', undo },
      { kind: 'container', engine: 'unix:///gone', name: 'sim-profiler-1' },
    ]);
    const failed = new ProfilerError({ id: 'x', what: 'It failed.', why: 'Disk.', fix: 'do it' });
    const { items } = await run({
      consent: () => Promise.resolve(true),
      restore: () => Promise.reject(failed),
    });
    expect(items).toMatchObject([
      {
        what: 'container sim-profiler-1 at unix:///gone',
        state: 'left',
        because: 'the engine does not answer (no socket)',
        fix: 'DOCKER_HOST=unix:///gone docker version',
      },
      { kind: 'override', state: 'left', because: 'It failed. Disk', fix: 'do it' },
    ]);
    expect(readdirSync(folder)).toEqual(['a.json']);
  });

  it('says of a journal that cannot be read where it is, and leaves it', async () => {
    const { run, folder } = bench();
    const path = join(folder, 'a.json');
    writeFileSync(path, '{');
    for (const dryRun of [true, false])
      expect((await run({ dryRun })).items).toEqual([
        {
          kind: 'journal',
          what: `journal ${path}`,
          verb: 'removed',
          state: 'left',
          because: 'it is damaged: no JSON, so what it names may be left too',
          fix: `head -c 2000 ${path}  (look at it, then remove it: rm ${path})`,
        },
      ]);
    expect(readdirSync(folder)).toEqual(['a.json']);
  });

  it('removes journals that were never finished', async () => {
    const { run, folder } = bench();
    writeFileSync(join(folder, '4194305-00000000.json.new'), '{');
    writeFileSync(join(folder, `${process.pid}-00000000.json.new`), '{');
    writeFileSync(join(folder, 'mine.txt'), '');
    await run({ dryRun: true });
    expect(readdirSync(folder)).toHaveLength(3);
    await run();
    expect(readdirSync(folder).sort()).toEqual([`${process.pid}-00000000.json.new`, 'mine.txt']);
  });
});
