import { readFileSync } from 'node:fs';
import initSqlJs from 'sql.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { isSqlite, readNsysEvents, readNsysSqlite, readTables } from '../../src/simulator/index.js';

const file = (name: string): Uint8Array =>
  readFileSync(new URL(`../fixtures/simulator/nsys/${name}`, import.meta.url));

type Tables = Awaited<ReturnType<typeof readNsysSqlite>>;

const STEP = 'void step<float, 3>(wp::array_t<float>, "quoted", int)';

async function database(...statements: readonly string[]): Promise<Uint8Array> {
  const { Database } = await initSqlJs();
  const made = new Database();
  for (const statement of statements) made.run(statement);
  return made.export();
}

describe('nsys 2024', () => {
  let tables: Tables = [];
  beforeAll(async () => {
    tables = await readNsysSqlite(file('nsys-2024.sqlite'));
  });

  it('has a table for each kind of event, named for its GPU', () => {
    expect(tables.map(({ kind, title, steps }) => [kind, title, steps])).toEqual([
      ['nsys-kernels', 'nsys: kernels on the GPU (NVIDIA Made-up GPU)', 20],
      ['nsys-memory', 'nsys: memory operations on the GPU', 20],
      ['nsys-cuda-api', 'nsys: calls of CUDA on the host', 20],
      ['nsys-nvtx', 'nsys: NVTX ranges', 20],
      ['nsys-osrt', 'nsys: calls of the operating system', undefined],
    ]);
  });

  it('has the rows that nsys stats prints of it', () => {
    const printed = readTables(
      readFileSync(new URL('../fixtures/simulator/nsys/stats-2022.txt', import.meta.url), 'utf8'),
    );
    for (const { kind, rows } of tables) {
      const other = printed.find((table) => table.kind === kind);
      expect(
        rows.map((row) => [row.name, row.calls, row.totalUs, row.minUs, row.maxUs, row.p50Us, row.of]),
      ).toEqual(
        other?.rows.map((row) => [row.name, row.calls, row.totalUs, row.minUs, row.maxUs, row.p50Us, row.of]),
      );
    }
  });

  it('knows what a step of the loop takes, without the warm-up', () => {
    const kernels = tables[0];
    expect(kernels?.rows.map(({ perStepUs, p99Us }) => [perStepUs, p99Us])).toEqual([
      [600, 12_000],
      [6, 6],
      [4, 4],
    ]);
    expect(tables[1]?.rows.map(({ name, perStepUs, totalBytes }) => [name, perStepUs, totalBytes])).toEqual([
      ['[CUDA memcpy Device-to-Device]', 10, 640_000],
      ['[CUDA memset]', undefined, 4096],
    ]);
    // 20 steps in 12.65 ms
    expect(tables[3]?.stepsPerS).toBeCloseTo(1581.0277, 4);
  });

  it('says with its first table what all of them mean', () => {
    expect(tables.map(({ findings }) => findings.length)).toEqual([6, 0, 0, 0, 0]);
    expect(tables[0]?.findings.map(({ id }) => id)).toEqual([
      'gpu-kernel-bound',
      'host-waits-for-gpu',
      'step-range-host-only',
      'warm-up-apart',
      'first-call-stands-out',
      'nsys-open-events',
    ]);
  });

  it('leaves out markers, names of threads, and a range that was open', async () => {
    const { ranges, unreadable } = await readNsysEvents(file('nsys-2024.sqlite'));
    expect(new Set(ranges.map(({ name }) => name))).toEqual(new Set(['warmup', 'step', 'timed_run']));
    expect(unreadable).toBe(1);
  });

  it('joins launches by process and id, and drops the version of a call', async () => {
    const { calls, device } = await readNsysEvents(file('nsys-2024.sqlite'));
    const launch = calls.find(({ name }) => name === 'cudaGraphLaunch');
    expect(launch).toEqual({
      name: 'cudaGraphLaunch',
      startNs: 110_005_000,
      endNs: 110_035_000,
      thread: 4242,
      launch: 4242 * 2 ** 31 + 100,
    });
    expect(device.filter((event) => event.launch === launch?.launch).map(({ kind }) => kind)).toEqual([
      'kernel',
      'kernel',
      'kernel',
      'copy',
    ]);
  });
});

describe('nsys 2020', () => {
  it('keeps the nanoseconds of a clock that counts from 1970', async () => {
    const { device, ranges } = await readNsysEvents(file('nsys-2020.sqlite'));
    // The first event, warmup, was 1 ms after the session began.
    expect(ranges[0]).toEqual({
      name: 'warmup',
      style: 'StartEnd',
      thread: 4242,
      startNs: 0,
      endNs: 99_000_000,
    });
    expect(device.map(({ startNs }) => startNs).slice(0, 3)).toEqual([59_000_000, 109_020_000, 109_026_000]);
  });

  it('leaves out what it has no table for, and joins by the id alone', async () => {
    const tables = await readNsysSqlite(file('nsys-2020.sqlite'));
    expect(tables.map(({ kind }) => kind)).toEqual([
      'nsys-kernels',
      'nsys-memory',
      'nsys-cuda-api',
      'nsys-nvtx',
    ]);
    expect(tables[1]?.rows.map(({ name }) => name)).toEqual(['[CUDA memcpy Device-to-Device]']);
    expect(tables[0]?.findings.find(({ id }) => id === 'step-range-host-only')?.what).toBe(
      'A step range takes 40.0 \u00B5s, the kernels of a step 620 \u00B5s of the GPU, and end 6.11 ms after it (20 steps).',
    );
  });
});

describe('a capture of whole graphs', () => {
  it('has graphs for rows, and says how to see their kernels', async () => {
    const [kernels] = await readNsysSqlite(file('nsys-graph.sqlite'));
    expect(kernels?.rows.map(({ name, calls, totalUs }) => [name, calls, totalUs])).toEqual([
      ['graph 3', 20, 12_400],
      [STEP, 1, 12_000],
    ]);
    const findings = new Map(kernels?.findings.map((finding) => [finding.id, finding]));
    expect([...findings.keys()]).toEqual([
      'gpu-busy-in-part',
      'host-waits-for-gpu',
      'warm-up-unknown',
      'graphs-not-expanded',
      'no-host-calls',
    ]);
    expect(findings.get('graphs-not-expanded')?.fix).toBe('nsys profile --cuda-graph-trace=node \u2026');
  });

  it('takes what CUPTI saw of the waiting for the calls, not the waiting of streams', async () => {
    const { calls, has } = await readNsysEvents(file('nsys-graph.sqlite'));
    expect(calls.map(({ name }) => name)).toEqual(['cudaDeviceSynchronize', 'cudaDeviceSynchronize']);
    expect(has.has('calls')).toBe(false);
  });
});

describe('a file that is none', () => {
  it.each([
    ['cut short', () => file('nsys-2024.sqlite').slice(0, 6000)],
    ['garbage behind its head', () => new TextEncoder().encode(`SQLite format 3\0${'x'.repeat(2000)}`)],
    ['a report of nsys itself', () => new TextEncoder().encode('QDSTRM and more')],
  ])('%s is one clear error', async (_, bytes) => {
    await expect(readNsysEvents(bytes())).rejects.toMatchObject({
      name: 'ProfilerError',
      finding: {
        id: 'nsys-damaged',
        fix: 'nsys export --type sqlite --force-overwrite=true --output FILE.sqlite FILE.nsys-rep',
      },
    });
  });

  it.each([
    ['empty', () => Promise.resolve(new Uint8Array())],
    ['of another program', () => database('CREATE TABLE moz_places (id INTEGER, url TEXT)')],
    ['without a start', () => database('CREATE TABLE NVTX_EVENTS (text TEXT)')],
  ])('%s is said to be no export', async (_, bytes) => {
    await expect(readNsysEvents(await bytes())).rejects.toMatchObject({ finding: { id: 'nsys-no-export' } });
  });
});

it('any missing column is left out: a table of starts and ends alone', async () => {
  const { device, has, gpus } = await readNsysEvents(
    await database(
      'CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL ("start" INTEGER, "end" INTEGER)',
      'INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 3000), (5000, 4000), (6000, NULL), (7000, 7500)',
    ),
  );
  expect(device).toEqual([
    { kind: 'kernel', name: 'unnamed kernel', startNs: 0, endNs: 2000 },
    { kind: 'kernel', name: 'unnamed kernel', startNs: 6000, endNs: 6500 },
  ]);
  expect([...has]).toEqual(['kernels']);
  expect(gpus).toEqual([]);
});

it('an event of NVTX that is no range is none, also where it has an end', async () => {
  const { ranges, unreadable } = await readNsysEvents(
    await database(
      'CREATE TABLE NVTX_EVENTS ("start" INTEGER, "end" INTEGER, eventType INTEGER, text TEXT)',
      `INSERT INTO NVTX_EVENTS VALUES (1, 1, 34, 'a marker'), (2, 9, 59, 'pushed'), (3, NULL, 60, 'open')`,
    ),
  );
  expect(ranges).toEqual([{ name: 'pushed', style: 'PushPop', startNs: 1, endNs: 8 }]);
  expect(unreadable).toBe(1);
});

it('correlation ids of two processes are told apart', async () => {
  const [one, two] = [5n << 24n, 6n << 24n];
  const { device, calls } = await readNsysEvents(
    await database(
      'CREATE TABLE StringIds (id INTEGER, value TEXT)',
      `INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000')`,
      'CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL ("start" INTEGER, "end" INTEGER, correlationId INTEGER, globalPid INTEGER)',
      `INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 20, 9, ${one}), (30, 40, 9, ${two})`,
      'CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME ("start" INTEGER, "end" INTEGER, correlationId INTEGER, globalTid INTEGER, nameId INTEGER)',
      `INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 5, 9, ${one + 5n}, 1), (25, 28, 9, ${two + 7n}, 1)`,
    ),
  );
  expect(calls.map(({ launch, thread }) => [launch, thread])).toEqual([
    [5 * 2 ** 31 + 9, 5],
    [6 * 2 ** 31 + 9, 7],
  ]);
  expect(device.map(({ launch }) => launch)).toEqual(calls.map(({ launch }) => launch));
});

it('is known by its first bytes', () => {
  expect(isSqlite(file('nsys-2020.sqlite'))).toBe(true);
  expect(isSqlite(new TextEncoder().encode('SQLite format 3'))).toBe(false);
});
