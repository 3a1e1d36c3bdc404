import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, onTestFinished, vi } from 'vitest';
import {
  cleanUp,
  learnWorlds,
  openJournal,
  openStepProbe,
  simulatedS,
  type StepHit,
  type StepProbe,
} from '../../../src/target/index.js';
import { findTracefs } from '../../../src/target/tracing/tracefs.js';
import { describeWhere } from '../../only-where.js';
import { NO_MUJOCO, VENV, hasMujoco } from '../../sim/simulation.js';

const MUJOCO = [{ file: 'libmujoco', symbols: ['mj_step', 'mj_step2'] }];
const tracefs = findTracefs();
const why = !hasMujoco ? NO_MUJOCO : 'because' in tracefs ? tracefs.because : undefined;
const clock = (): bigint => process.hrtime.bigint();
const signal = new AbortController().signal;

/** A program that steps when it is told to. */
async function stepping() {
  const program = execa(VENV, [fileURLToPath(new URL('stepping.py', import.meta.url))], { reject: false });
  onTestFinished(async () => {
    program.kill('SIGKILL');
    await program;
  });
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value);
  expect(await next()).toBe('ready');
  const { pid } = program;
  if (pid === undefined) throw new Error('the program was not started');
  return {
    pid,
    step: async (order: string): Promise<string> => {
      program.stdin.write(`${order}\n`);
      return next();
    },
  };
}

function journalOf() {
  const env = { XDG_STATE_HOME: mkdtempSync(join(tmpdir(), 'profiler-steps-')) };
  return { env, journal: openJournal(env, '2026-11-30T00:00:00.000Z') };
}

function opened(pid: number, symbols?: readonly string[]): StepProbe {
  const { journal } = journalOf();
  const probe = openStepProbe({ pid, journal, steps: symbols === undefined ? MUJOCO : [{ symbols }] });
  if ('because' in probe) throw new Error(probe.because);
  onTestFinished(() => {
    probe.close();
    expect(journal.traces()).toEqual([]);
  });
  return probe;
}

/** All that come until there are as many; one more would be seen by the next look. */
async function hitsOf(probe: StepProbe, count: number): Promise<readonly StepHit[]> {
  const hits: StepHit[] = [];
  await vi.waitUntil(() => hits.push(...probe.read()) >= count, 10_000);
  return [...hits, ...probe.read()];
}

const eventsNow = (): string =>
  'path' in tracefs ? readFileSync(join(tracefs.path, 'uprobe_events'), 'utf8') : '';
const instancesNow = (): readonly string[] =>
  'path' in tracefs ? readdirSync(join(tracefs.path, 'instances')) : [];

describeWhere(why === undefined, why ?? '')('a probe on the step of a running program', (test) => {
  test('sees every step of it, of threads that came later too, and of no other process', async () => {
    const [one, other] = await Promise.all([stepping(), stepping()]);
    const probe = opened(one.pid);
    expect(probe.functions.map(({ symbol }) => symbol)).toEqual(['mj_step', 'mj_step2']);
    await Promise.all([one.step('400 3'), other.step('500 1')]);
    const hits = await hitsOf(probe, 1200);
    expect(hits).toHaveLength(1200);
    expect(new Set(hits.map(({ tid }) => tid)).size).toBe(3);
    expect(new Set(hits.map(({ second }) => second)).size).toBe(3);
    expect(hits.every(({ event }) => event === 0)).toBe(true);
    expect(probe.lost()).toBe(0);
  });

  test('counts halves of a step once, and nothing while it is off', async () => {
    const program = await stepping();
    const probe = opened(program.pid);
    await program.step('50 1 halves');
    const hits = await hitsOf(probe, 50);
    expect(hits.map(({ event }) => event)).toEqual(Array.from({ length: 50 }, () => 1));
    probe.turn(false);
    await program.step('50 1');
    probe.turn(true);
    await program.step('1 1');
    expect(await hitsOf(probe, 1)).toHaveLength(1);
  });

  test('finds the time step and the simulated time in the memory of the program', async () => {
    const program = await stepping();
    const probe = opened(program.pid);
    const stop = new AbortController();
    const learnt = learnWorlds(probe, { pid: program.pid, signal, clock, seconds: 30 });
    let said = '';
    const busy = (async () => {
      while (!stop.signal.aborted) said = await program.step('10 2');
    })();
    const { worlds } = await learnt;
    stop.abort();
    await busy;
    const [time, data, model] = said.split(' ');
    expect(worlds).toHaveLength(2);
    const world = worlds.find((one) => one.data === BigInt(data ?? ''));
    expect(world).toMatchObject({ model: BigInt(model ?? ''), timestepS: 0.0015, event: 0 });
    expect(simulatedS(program.pid, world ?? worlds[0]!)).toBe(Number(time));
  });

  test('takes the trial of a model that is compiled for no world', async () => {
    const program = await stepping();
    const probe = opened(program.pid);
    const learnt = learnWorlds(probe, { pid: program.pid, signal, clock, seconds: 2 });
    const [, data] = (await program.step('100 1 compile')).split(' ');
    const { worlds, hits } = await learnt;
    expect(hits[0]?.second).not.toBe(BigInt(data ?? ''));
    expect(worlds.map((one) => one.data)).toEqual([BigInt(data ?? '')]);
  });

  test('stands on any function that is named; its arguments are then nothing', async () => {
    const program = await stepping();
    const probe = opened(program.pid, ['mj_step1']);
    const learnt = learnWorlds(probe, { pid: program.pid, signal, clock, seconds: 30 });
    await program.step('100 1 halves');
    const { worlds } = await learnt;
    expect(worlds).toHaveLength(1);
    expect(worlds[0]).toMatchObject({ data: 0n });
    expect(worlds[0]).not.toHaveProperty('timestepS');
    expect(worlds[0]).not.toHaveProperty('timeAt');
  });

  test('is refused with the reason where there is no such function', async () => {
    const { journal } = journalOf();
    expect(openStepProbe({ pid: process.pid, journal, steps: MUJOCO })).toMatchObject({
      because: expect.stringMatching(/has loaded no file that shows mj_step$/),
    });
    const program = await stepping();
    expect(openStepProbe({ pid: program.pid, journal, steps: [{ symbols: ['no_such'] }] })).toMatchObject({
      because: expect.stringMatching(/ that shows no_such$/),
    });
    expect(journal.traces()).toEqual([]);
  });

  test('is refused where it could not be written down first', async () => {
    const program = await stepping();
    const journal = openJournal({ XDG_STATE_HOME: '/proc/none' }, '2026-11-30T00:00:00.000Z');
    const before = eventsNow();
    expect(openStepProbe({ pid: program.pid, journal, steps: MUJOCO })).toMatchObject({
      because: expect.stringMatching(/^what is put into the kernel could not be written/),
    });
    expect(eventsNow()).toBe(before);
  });

  test('of a profiler that was killed is taken back by cleanup', async () => {
    const program = await stepping();
    const { env } = journalOf();
    const code = `
      import { openJournal, openStepProbe } from ${JSON.stringify(new URL('../../../dist/target/index.js', import.meta.url).href)};
      const probe = openStepProbe({ pid: ${program.pid}, journal: openJournal(process.env, '2026-11-30T00:00:00.000Z'), steps: ${JSON.stringify(MUJOCO)} });
      if ('because' in probe) throw new Error(probe.because);
      process.kill(process.pid, 'SIGKILL');`;
    const killed = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      env: { ...process.env, ...env },
    });
    expect(killed.signal, String(killed.stderr)).toBe('SIGKILL');
    const group = `sim_profiler_${killed.pid}_`;
    expect(eventsNow()).toContain(group);
    expect(instancesNow().some((name) => name.startsWith(group))).toBe(true);
    const choices = {
      env,
      consent: async () => true,
      openEngine: async () => Promise.reject(new Error('none')),
      findOrphans: () => [],
    };
    const planned = await cleanUp({ ...choices, dryRun: true });
    expect(planned.items).toMatchObject([{ kind: 'uprobe', verb: 'removed', state: 'planned' }]);
    const done = await cleanUp({ ...choices, dryRun: false });
    expect(done.items).toMatchObject([{ kind: 'uprobe', verb: 'removed', state: 'done' }]);
    expect(eventsNow()).not.toContain(group);
    expect(instancesNow().some((name) => name.startsWith(group))).toBe(false);
    expect((await cleanUp({ ...choices, dryRun: false })).items).toEqual([]);
    // The target steps on.
    expect(await program.step('10 1')).toMatch(/^0\.01/);
  });
});
