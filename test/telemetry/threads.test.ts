import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { createTelemetry } from '../../src/telemetry/index.js';
import type { Telemetry } from '../../src/telemetry/index.js';

const target = (name: string): string => fileURLToPath(new URL(`../targets/${name}.mjs`, import.meta.url));

let made = 0;
const telemetry = (options = {}): { readonly t: Telemetry; readonly name: string } => {
  const name = `threads ${++made}`;
  return { t: createTelemetry({ name, ...options }), name };
};

interface Told {
  readonly ends?: string;
  readonly calls?: number;
  readonly ms?: number;
  readonly category?: string;
  readonly flag?: Int32Array;
  readonly isHeld?: boolean;
  readonly endless?: boolean;
}

const start = (name: string, told: Told = {}): Worker =>
  new Worker(target('telemetry_worker'), { workerData: { name, ...told } });

async function ended(worker: Worker): Promise<number> {
  worker.on('error', () => {});
  return await new Promise((resolve) => worker.once('exit', resolve));
}

async function raised(flag: Int32Array): Promise<void> {
  while (Atomics.load(flag, 0) === 0) await new Promise((resolve) => setImmediate(resolve));
}

const shown = (t: Telemetry): unknown =>
  t
    .snapshot()
    .threads.map(({ hasEnded, categories }) => [
      hasEnded,
      Object.fromEntries(categories.map(({ name, calls, open }) => [name, [calls, open]])),
    ]);

describe('workers', () => {
  it('are told apart, and put together by category', async () => {
    const { t, name } = telemetry();
    t.record('work', 5);
    const ends = [start(name, { ms: 1 }), start(name, { ms: 2 })].map(ended);
    expect(await Promise.all(ends)).toEqual([0, 0]);
    expect(shown(t)).toEqual([
      [false, { work: [1, 0] }],
      [true, { work: [1000, 0] }],
      [true, { work: [1000, 0] }],
    ]);
    expect(t.snapshot().categories).toMatchObject([
      { name: 'work', threads: 3, calls: 2001, sumMs: 3005, minMs: 1, maxMs: 5, firstMs: 5, kept: 201 },
    ]);
  });

  it('that end inside of a span, or by an exception, have lost nothing', async () => {
    const { t, name } = telemetry();
    expect(await ended(start(name, { ends: 'exit in a span' }))).toBe(3);
    expect(await ended(start(name, { ends: 'exception' }))).toBe(1);
    expect(shown(t)).toEqual([
      [false, {}],
      [true, { work: [1000, 0], last: [0, 1] }],
      [true, { work: [1000, 0], last: [1, 0] }],
    ]);
    expect(t.snapshot().notes).toEqual(['last: 1 call begun and not ended.']);
  });

  it('are read by a main thread that never gives its event loop a turn', async () => {
    const { stdout } = await execa(process.execPath, [target('telemetry_blocked_main')]);
    expect(JSON.parse(stdout)).toEqual([{ threads: 2, calls: 2000, sumMs: 2000 }]);
  });

  it('that began before the main thread listened are found', async () => {
    const name = 'begun before';
    const flag = new Int32Array(new SharedArrayBuffer(8));
    const end = ended(start(name, { flag, isHeld: true }));
    await raised(flag);
    const t = createTelemetry({ name });
    expect(t.snapshot().categories).toEqual([]);
    Atomics.store(flag, 1, 1);
    Atomics.notify(flag, 1);
    await end;
    // It heard of it at a turn of its event loop, or when it ended.
    expect(t.snapshot().categories).toMatchObject([{ name: 'work', calls: 1000 }]);
  });

  it('that are killed in the middle of a write leave numbers that agree', async () => {
    const { t, name } = telemetry({ endedThreads: 100 });
    for (let i = 0; i < 25; i++) {
      const flag = new Int32Array(new SharedArrayBuffer(4));
      const worker = start(name, { flag, endless: true });
      await raised(flag);
      await worker.terminate();
    }
    const { threads } = t.snapshot();
    expect(threads).toHaveLength(26);
    for (const { hasEnded, categories } of threads.slice(1)) {
      const work = categories[0]!;
      expect([hasEnded, work.minMs, work.maxMs, work.p99Ms, work.keptP99Ms, work.open]).toEqual([
        true,
        1,
        1,
        1,
        1,
        0,
      ]);
      expect(work.calls).toBeGreaterThanOrEqual(1000);
      // At most the one that it was at.
      expect(Math.abs(work.sumMs - work.calls)).toBeLessThanOrEqual(work.torn);
    }
  });

  it('that came and went are each a life of their own, up to a bound; older ones are put together', async () => {
    const { t, name } = telemetry({ endedThreads: 2, capacity: 100 });
    for (const ms of [50, 2, 30, 4, 5]) await ended(start(name, { ms, calls: 60 }));
    const { threads, categories, bytes } = t.snapshot();
    expect(threads.map(({ thread }) => thread.replace(/\d+$/, 'N'))).toEqual([
      'main',
      'worker N',
      'worker N',
      '3 older threads',
    ]);
    expect(threads[3]?.categories).toMatchObject([
      { threads: 3, calls: 180, sumMs: 4920, minMs: 2, maxMs: 50, firstMs: 50, kept: 100 },
    ]);
    expect(threads[1]?.categories).toMatchObject([{ threads: 1, calls: 60, minMs: 4, maxMs: 4 }]);
    expect(categories).toMatchObject([
      { threads: 5, calls: 300, sumMs: 5460, minMs: 2, maxMs: 50, kept: 220 },
    ]);
    // Two apart, one for all others.
    expect(bytes).toBe(3 * (18 + 3008 + 2 * 100) * 8);
  });

  it('eight of them write a million durations while they are read: not one is lost, none is made up', async () => {
    const { t, name } = telemetry();
    const workers = Array.from({ length: 8 }, () => start(name, { calls: 125_000 }));
    const running = new Set(workers);
    const end = Promise.all(
      workers.map(async (worker) => {
        await ended(worker);
        running.delete(worker);
      }),
    );
    let seen = 0;
    while (running.size > 0) {
      const [work] = t.snapshot().categories;
      if (work !== undefined) {
        expect(work.calls).toBeGreaterThanOrEqual(seen);
        if (work.torn === 0) expect(work.sumMs).toBe(work.calls);
        if (work.calls > 0) expect([work.minMs, work.maxMs, work.p50Ms]).toEqual([1, 1, 1]);
        seen = work.calls;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    await end;
    expect(t.snapshot().categories).toMatchObject([
      { threads: 8, calls: 1_000_000, sumMs: 1_000_000, totalMs: 1_000_000, torn: 0, kept: 800 },
    ]);
  });

  it('do not keep the program alive, nor does listening to them', async () => {
    const script = `import { createTelemetry } from ${JSON.stringify(new URL('../../dist/telemetry/index.js', import.meta.url).href)};
createTelemetry().measure('x', () => {});`;
    const run = await execa(process.execPath, ['--input-type=module', '-e', script], { timeout: 60_000 });
    expect([run.exitCode, run.stdout, run.stderr]).toEqual([0, '', '']);
  });
});

describe('two copies of the package in one program', () => {
  it('share what they measure', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'telemetry-copy-'));
    const dist = fileURLToPath(new URL('../../dist/telemetry', import.meta.url));
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}\n');
    for (const copy of ['a', 'b']) cpSync(dist, join(folder, copy), { recursive: true });
    const load = async (copy: string): Promise<typeof import('../../src/telemetry/index.js')> =>
      (await import(pathToFileURL(join(folder, copy, 'index.js')).href)) as never;
    const [a, b] = [await load('a'), await load('b')];
    expect(a.createTelemetry).not.toBe(b.createTelemetry);
    a.createTelemetry({ name: 'copies' }).record('x', 1);
    b.createTelemetry({ name: 'copies' }).record('x', 2);
    b.createTelemetry({ name: 'others' }).record('x', 4);
    expect(a.createTelemetry({ name: 'copies' }).snapshot().categories).toMatchObject([
      { calls: 2, sumMs: 3 },
    ]);
    expect(a.createTelemetry({ name: 'others' }).snapshot().categories).toMatchObject([
      { calls: 1, sumMs: 4 },
    ]);
  });
});
