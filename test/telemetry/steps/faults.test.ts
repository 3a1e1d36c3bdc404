import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTables } from '../../../src/simulator/index.js';
import { StepProfiler } from '../../../src/telemetry/steps/index.js';
import { startWorker, WorkerWriter, type WritingWorker } from '../../../src/telemetry/steps/trace-writer.js';
import type { WriteRequest } from '../../../src/telemetry/steps/trace-writer.js';
import { ManualHost } from './manual-host.js';

const folder = mkdtempSync(join(tmpdir(), 'steps-'));
const program = (name: string): string => fileURLToPath(new URL(`programs/${name}`, import.meta.url));
const DIST = fileURLToPath(new URL('../../../dist', import.meta.url));

/** Steps by their names, of a text that must be whole. */
function stepsOf(path: string): readonly { readonly name: string; readonly dur: number }[] {
  const { traceEvents } = JSON.parse(readFileSync(path, 'utf8')) as {
    traceEvents: { name: string; cat?: string; dur: number }[];
  };
  return traceEvents.filter(({ cat }) => cat === 'step').map(({ name, dur }) => ({ name, dur }));
}

/** Events of an append. */
function events(from: number, many: number): string {
  const all = Array.from({ length: many }, (_, at) => ({
    name: `e${from + at}`,
    cat: 'step',
    ph: 'X',
    dur: 1,
  }));
  return all.map((event) => JSON.stringify(event)).join(',\n');
}

const TURNS = Array.from({ length: 1000 }, (_, at) => `turn(${at})`);

describe('a program that ends inside a step', () => {
  for (const [how, exitCode] of [
    ['exit', 3],
    ['throw', 1],
    ['wait', 13],
  ] as const)
    for (const defer of ['defer', 'at once'])
      it(`(${how}, ${defer}) leaves a whole trace and a report, and ends as ever`, async () => {
        const path = join(folder, `${how} ${defer}.json`);
        const run = await execa(process.execPath, [program('ends.mjs'), how, path, defer], { reject: false });
        expect(run.exitCode).toBe(exitCode);
        const steps = stepsOf(path);
        expect(steps.map(({ name }) => name)).toEqual([...TURNS, 'last']);
        expect(steps.filter(({ dur }) => dur === 0).map(({ name }) => name)).toEqual(
          how === 'throw' ? [] : ['last'],
        );
        expect(run.stdout).toContain('  leaf steps executed         : 1001\n');
        expect(run.stdout).toContain(`  Chrome trace written: ${path}\n`);
        const findings = readTables(readFileSync(path, 'utf8')).flatMap((table) => table.findings);
        expect(findings.map(({ id }) => id).filter((id) => id !== 'lag-not-measured')).toEqual(
          how === 'throw' ? [] : ['steps-not-ended'],
        );
        expect(run.stderr.includes('sim-profiler')).toBe(false);
      });

  it('(with a rejection that nobody handles) fails as it would without', async () => {
    const path = join(folder, 'reject.json');
    const run = await execa(process.execPath, [program('ends.mjs'), 'reject', path, 'defer'], {
      reject: false,
    });
    expect(run.exitCode).toBe(1);
    expect(run.stderr.match(/Error: the mission failed/g)?.length).toBe(1);
    expect(stepsOf(path).map(({ name }) => name)).toEqual([...TURNS, 'last', 'last']);
  });

  it('(with nobody who reads what it prints) goes on', async () => {
    const run = execa(process.execPath, [program('unread.mjs')], {
      reject: false,
      buffer: { stdout: false },
    });
    run.stdout.destroy();
    await once(run.stdout, 'close');
    run.stdin.end();
    const { exitCode, stderr } = await run;
    expect([exitCode, stderr]).toEqual([0, 'went on']);
  });

  it('(killed) leaves a trace that is whole as far as it goes', async () => {
    const path = join(folder, 'killed.json');
    const run = await execa(process.execPath, [program('ends.mjs'), 'kill', path], { reject: false });
    expect(run.signal).toBe('SIGKILL');
    const [where, bySignature] = readTables(readFileSync(path, 'utf8'));
    const names = bySignature?.rows.filter((row) => row.path.length === 0).map(({ name }) => name) ?? [];
    expect(new Set(names)).toEqual(new Set(TURNS.slice(0, names.length)));
    expect(names.length).toBeGreaterThan(0);
    expect(where?.findings.filter(({ id }) => id !== 'trace-cut-off')).toEqual([]);
  });
});

describe('a worker that is killed while it writes', () => {
  it('is replaced, and what it wrote half-way is written again', async () => {
    const workers: WritingWorker[] = [];
    const writer = new WorkerWriter((code, shared) => {
      const worker = startWorker(code, shared);
      workers.push(worker);
      return worker;
    });
    const path = join(folder, 'worker.json');
    const first: WriteRequest = { path, at: 0, text: events(0, 10) };
    await writer.append(first);
    // Long enough to be in it still.
    const second: WriteRequest = { path, at: first.result as number, text: events(10, 200_000) };
    const writing = writer.append(second);
    await workers[0]?.terminate();
    await writing;
    const third: WriteRequest = { path, at: second.result as number, text: events(200_010, 1) };
    await writer.append(third);
    writer.rest();
    expect(workers.length).toBe(2);
    expect(stepsOf(path).map(({ name }) => name)).toEqual(
      Array.from({ length: 200_011 }, (_, at) => `e${at}`),
    );
  });

  it('again and again is given up, and the main thread writes', async () => {
    let started = 0;
    const writer = new WorkerWriter((_, shared) => {
      started += 1;
      return startWorker('process.exit(0)', shared);
    });
    const request: WriteRequest = {
      path: join(folder, 'given-up.json'),
      at: 0,
      text: JSON.stringify({ name: 'e', cat: 'step', dur: 1 }),
    };
    await writer.append(request);
    expect(stepsOf(request.path)).toEqual([{ name: 'e', dur: 1 }]);
    expect(started).toBe(3);
  });

  it('or may not be started is done without', async () => {
    const writer = new WorkerWriter(() => {
      throw new Error('ERR_ACCESS_DENIED');
    });
    const request: WriteRequest = {
      path: join(folder, 'denied.json'),
      at: 0,
      text: JSON.stringify({ name: 'e', cat: 'step', dur: 1 }),
    };
    await writer.append(request);
    expect(stepsOf(request.path)).toEqual([{ name: 'e', dur: 1 }]);
  });

  it('and is taken over in the middle leaves nothing twice', async () => {
    for (let at = 0; at < 20; at += 1) {
      const host = new ManualHost(new WorkerWriter());
      const path = join(folder, `taken-${at}.json`);
      const prof = new StepProfiler({ host, tracePath: path, deferTrace: false, printReport: false });
      for (let step = 0; step < 1000; step += 1) prof.step(`turn(${step})`, () => host.pass(125));
      // At another moment of the writing each time.
      for (let turns = 0; turns < at; turns += 1)
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      for (const exit of host.exits) exit();
      expect(stepsOf(path).map(({ name }) => name)).toEqual(TURNS);
      expect(host.warnings).toEqual([]);
      expect(host.exits.size).toBe(0);
    }
  });
});

describe('a disk', () => {
  const mounted = mkdtempSync(join(tmpdir(), 'small-'));
  let isMounted = false;
  beforeAll(async () => {
    const mount = await execa('mount', ['-t', 'tmpfs', '-o', 'size=400k', 'none', mounted], {
      reject: false,
    });
    isMounted = mount.exitCode === 0;
  });
  afterAll(async () => {
    if (isMounted) await execa('umount', [mounted], { reject: false });
  });

  it('that is full costs the events that do not fit, and says so', async ({ skip }) => {
    if (!isMounted) skip('needs root, for a small tmpfs');
    const host = new ManualHost(new WorkerWriter());
    const path = join(mounted, 'full.json');
    const prof = new StepProfiler({ host, tracePath: path, deferTrace: false, printReport: false });
    // An append is of 1024 events, and the disk has room for one.
    const names = Array.from({ length: 4000 }, (_, at) => `turn(${at})`);
    for (const name of names) prof.step(name, () => host.pass(1));
    await prof.close();
    // The first 1024, and the last, which are fewer: what fails in between leaves no trace.
    const written = stepsOf(path).map(({ name }) => name);
    expect(written.slice(0, 1024)).toEqual(names.slice(0, 1024));
    expect(written.length).toBeLessThan(names.length);
    expect(host.warnings.length).toBe(1);
    expect(host.warnings[0]).toMatch(
      /^The trace .*full\.json is not whole: \d+ events are missing \(ENOSPC: no space left on device, write\)\.$/,
    );
    expect(prof.formatReport()).toContain(`  Chrome trace not whole: ${path}\n`);
  });

  it('that takes nothing is told, and the other traces are written', async () => {
    const host = new ManualHost(new WorkerWriter());
    for (const tracePath of [
      '/dev/full',
      join(folder, 'one.json'),
      join(folder, 'one.json', 'x.json'),
      join(folder, 'two.json'),
    ]) {
      const prof = new StepProfiler({ host, tracePath, printReport: false });
      prof.step('a', () => host.pass(125));
      await prof.close();
    }
    writeFileSync(join(folder, 'one.json'), '');
    const all = [host.traces.flush(), host.traces.flush()];
    expect(await Promise.all(all)).toEqual([[join(folder, 'one.json'), join(folder, 'two.json')], []]);
    expect(await host.traces.flush()).toEqual([]);
    expect(host.warnings).toEqual([
      'The trace /dev/full is not whole: 1 events are missing (ENOSPC: no space left on device, write).',
      `The trace ${join(folder, 'one.json', 'x.json')} is not whole: 1 events are missing (EEXIST: file already exists, mkdir '${join(folder, 'one.json')}').`,
    ]);
  });
});

describe('memory', () => {
  it('of traces that are kept is bounded: the one that passes the bound is written during the run', async () => {
    const host = new ManualHost(new WorkerWriter(), 100_000);
    const path = join(folder, 'bounded.json');
    const prof = new StepProfiler({ host, tracePath: path, printReport: false });
    for (const name of TURNS) prof.step(name, () => host.pass(1));
    expect(prof.formatReport()).toContain(`  Chrome trace not finished: ${path}\n`);
    await prof.close();
    expect(await host.traces.flush()).toEqual([path]);
    expect(stepsOf(path).map(({ name }) => name)).toEqual(TURNS);
  });
});

describe('two copies of the package', () => {
  it('measure one program, each its own steps, and leave it as it was', async () => {
    const copy = mkdtempSync(join(tmpdir(), 'copy-'));
    cpSync(join(DIST, 'telemetry'), copy, { recursive: true });
    writeFileSync(join(copy, 'package.json'), '{"type":"module"}');
    const run = await execa(process.execPath, [
      program('two-copies.mjs'),
      join(copy, 'steps', 'index.js'),
      join(copy, 'p.json'),
    ]);
    expect(JSON.parse(run.stdout)).toEqual({
      isOther: true,
      said: [
        [
          ['outer', 'one', 'sleep', 'acquire'],
          ['alone', 'one', 'sleep'],
        ],
        [['inner', 'two', 'sleep', 'acquire']],
      ],
      traces: [1, 1],
      isBack: true,
    });
    expect(run.stderr).toBe('');
  });
});

describe('deliberate sleep', () => {
  it('is seen whatever way the timers are imported, but not where a program kept them from before', async () => {
    const run = await execa(process.execPath, [program('sleeps.mjs')]);
    expect(JSON.parse(run.stdout)).toEqual({
      'import { setTimeout }': 1,
      'import { setImmediate }': 1,
      'import { setInterval }': 3,
      'scheduler.wait': 1,
      'scheduler.yield': 1,
      'promisify(setTimeout)': 1,
      'a value that is resolved': 1,
      'an abort': 1,
      'kept from before': 0,
      'required from before': 0,
      'new Promise(setTimeout)': 0,
      'put back': true,
    });
    expect(run.stderr).toBe('');
  });
});

describe('what holds up the loop', () => {
  it('is the garbage collector or a call, as Node says', async () => {
    const run = await execa(process.execPath, ['--expose-gc', program('pauses.mjs')]);
    expect(JSON.parse(run.stdout)).toEqual({
      collects: 'gc',
      computes: 'blocked',
      pauses: true,
      delay: true,
      kept: 3_000_000,
    });
  });
});
