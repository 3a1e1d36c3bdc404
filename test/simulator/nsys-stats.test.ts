import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readTables } from '../../src/simulator/index.js';

const text = (name: string): string =>
  readFileSync(new URL(`../fixtures/simulator/nsys/${name}`, import.meta.url), 'utf8');

const STEP = 'void step<float, 3>(wp::array_t<float>, "quoted", int)';
const COUNTER = 'increment_counter_kernel_0a1b2c3d_cuda_kernel_forward';
const TARGETS = 'update_target_angles_kernel_4e5f6071_cuda_kernel_forward';

describe.each(['stats-2024.txt', 'stats-2022.txt', 'stats.csv'])('%s', (file) => {
  const tables = readTables(text(file));
  const table = (title: string) => tables.find((one) => one.title.endsWith(title));

  it('holds six reports, in their order', () => {
    expect(tables.map(({ kind, title }) => [kind, title])).toEqual([
      ['nsys-nvtx', 'nsys: NVTX ranges'],
      ['nsys-osrt', 'nsys: calls of the operating system'],
      ['nsys-cuda-api', 'nsys: calls of CUDA on the host'],
      ['nsys-kernels', 'nsys: kernels on the GPU'],
      ['nsys-memory', 'nsys: memory operations on the GPU, by time'],
      ['nsys-memory', 'nsys: memory operations on the GPU, by size'],
    ]);
  });

  it('kernels have their whole names, in microseconds', () => {
    const kernels = table('kernels on the GPU');
    expect(kernels?.wholeUs).toBe(24_200);
    expect(
      kernels?.rows.map(({ name, calls, totalUs, meanUs, p50Us, minUs, maxUs, share }) => [
        name,
        calls,
        totalUs,
        meanUs,
        p50Us,
        minUs,
        maxUs,
        share?.toFixed(5),
      ]),
    ).toEqual([
      [STEP, 21, 24_000, 1142.8571, 600, 600, 12_000, '0.99174'],
      [TARGETS, 20, 120, 6, 6, 6, 6, '0.00496'],
      [COUNTER, 20, 80, 4, 4, 4, 4, '0.00331'],
    ]);
    expect(kernels?.rows[2]?.meaning).toBe('of FlyGym: counts the step');
  });

  it('ranges have a style, no share of a whole that there is none of', () => {
    const ranges = table('NVTX ranges');
    const colon = file === 'stats-2022.txt' ? '' : ':';
    expect(ranges?.wholeUs).toBeUndefined();
    expect(
      ranges?.rows.map(({ name, of, role, calls, meanUs, share }) => [name, of, role, calls, meanUs, share]),
    ).toEqual([
      [`${colon}warmup`, 'StartEnd', 'once', 1, 99_000, undefined],
      [`${colon}timed_run`, 'StartEnd', 'part', 1, 12_650, undefined],
      [`${colon}step`, 'StartEnd', 'step', 20, 40, undefined],
    ]);
  });

  it('tells calls that wait from calls that launch', () => {
    expect(
      table('CUDA on the host')?.rows.map(({ name, role, calls, totalUs }) => [name, role, calls, totalUs]),
    ).toEqual([
      ['cuModuleLoadDataEx', 'once', 1, 40_000],
      ['cudaDeviceSynchronize', 'part', 2, 12_620],
      ['cudaLaunchKernel', 'part', 1, 10_000],
      ['cudaGraphInstantiate', 'once', 1, 5000],
      ['cudaGraphLaunch', 'part', 20, 600],
    ]);
    expect(table('CUDA on the host')?.rows[1]?.lever).toBe('wait once after many steps');
  });

  it('sizes are bytes and no times', () => {
    const sizes = table('by size');
    expect(
      sizes?.rows.map(({ name, calls, totalBytes, totalUs, share }) => [
        name,
        calls,
        totalBytes,
        totalUs,
        share,
      ]),
    ).toEqual([
      ['[CUDA memcpy Device-to-Device]', 20, 640_000, undefined, undefined],
      ['[CUDA memset]', 1, 4000, undefined, undefined],
    ]);
  });

  it('says once what the reports say together', () => {
    expect(tables.map(({ findings }) => findings.map(({ id }) => id))).toEqual([
      [
        'step-range-host-only',
        'host-waits-for-gpu',
        'slowest-call-stands-out',
        'os-calls-of-all-threads',
        'statistics-without-times',
      ],
      [],
      [],
      [],
      [],
      [],
    ]);
    expect(tables[0]?.findings.slice(0, 3).map(({ what }) => what)).toEqual([
      'A step range takes 40.0 \u00B5s, the kernels of a step 610 \u00B5s of the GPU (20 steps).',
      'The host waits 12.6 ms for the GPU (2 calls of cudaDeviceSynchronize).',
      `The slowest call of ${STEP} took 12.0 ms, the median is 600 \u00B5s: 50.0 % of its total is this one call.`,
    ]);
  });
});

it('nsys 2020: titles without names, columns without units', () => {
  const tables = readTables(text('stats-2020.txt'));
  expect(tables.map(({ kind, lines }) => [kind, lines.from, lines.to])).toEqual([
    ['nsys-osrt', 3, 6],
    ['nsys-cuda-api', 11, 17],
    ['nsys-kernels', 22, 26],
    ['nsys-memory', 31, 34],
    ['nsys-memory', 39, 42],
  ]);
  expect(tables[2]?.rows[0]).toEqual({
    name: STEP,
    path: [],
    role: 'part',
    calls: 21,
    totalUs: 24_000,
    meanUs: 1142.8571,
    minUs: 600,
    maxUs: 12_000,
    share: 24_000 / 24_200,
  });
  expect(tables[4]?.rows.map(({ totalBytes }) => totalBytes)).toEqual([640_000, 4000]);
});

const csv = (name: string): string =>
  `Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n100.0,5000,2,2500.0,${name}`;

const HEAD = 'Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name';

it.each([
  ['quoted', '"f(int, float)"', 'f(int, float)'],
  ['not quoted', 'f(int, float)', 'f(int, float)'],
  ['with quotes in it', '"a ""b"", c"', 'a "b", c'],
  ['over two lines, like a row', '"a\n9.0,1,1,1,1,1,1,0.0,b"', 'a\n9.0,1,1,1,1,1,1,0.0,b'],
])('a name in CSV, %s', (_, written, name) => {
  const [table] = readTables(`${HEAD}\n100.0,5000,2,2500.0,2500.0,1000,4000,0.0,${written}\n`);
  expect(table?.rows.map((row) => [row.name, row.totalUs])).toEqual([[name, 5]]);
});

it('a quote that is never closed loses its row and no other', () => {
  const rows = [
    '1.0,9000,1,1,1,1,1,0.0,"open',
    ...Array.from({ length: 30 }, () => '99.0,1000,1,1,1,1,1,0.0,k'),
    '1.0,1000,1,1,1,1,1,0.0,"quoted"',
  ];
  const [table] = readTables([HEAD, ...rows].join('\n'));
  expect(table?.rows.length).toBe(31);
});

it('the unit of a head counts', () => {
  const [table] = readTables(
    [
      ' ** CUDA GPU Kernel Summary (gpukernsum):',
      '',
      ' Time (%)  Total Time (ms)  Instances  Avg (ms)  GridXYZ           BlockXYZ        Name',
      ' --------  ---------------  ---------  --------  ----------------  --------------  ----',
      '    100.0           0.0242          2    0.0121  125000    1    1    32    1    1  add ',
    ].join('\n'),
  );
  expect(table?.rows[0]).toMatchObject({ name: 'add', of: '125000 1 1 \u00D7 32 1 1', calls: 2 });
  expect(table?.rows[0]?.totalUs).toBe(24.2);
});

it('the unit of the total is that of columns without one', () => {
  const [table] = readTables('Time(%),Total Time (us),Instances,Average,Minimum,Name\n100.0,50,2,25,20,k');
  expect(table?.rows[0]).toMatchObject({ totalUs: 50, meanUs: 25, minUs: 20 });
});

it('a name with two blanks in it stays whole where the columns are lost', () => {
  const [table] = readTables(
    [
      'Time (%)  Total Time (ns)  Instances  Name',
      '--------  ---------------  ---------  ----',
      '100.0  5000  2  a  b',
    ].join('\n'),
  );
  expect(table?.rows.map(({ name, totalUs }) => [name, totalUs])).toEqual([['a  b', 5]]);
});

it.each([
  ['cudaMemcpy', 'the host waits until it is copied'],
  ['cudaMemcpyAsync', undefined],
  ['cudaMalloc', 'may wait for all work of the GPU'],
  ['cudaMallocAsync', undefined],
  ['cuLaunchKernelEx', 'hands one kernel to the GPU, and returns before that has run'],
])('what %s means: %s', (name, meaning) => {
  expect(readTables(csv(name))[0]?.rows[0]?.meaning).toBe(meaning);
});

it('a table without a title is told by its columns, host calls by their names', () => {
  expect(readTables(csv('cudaLaunchKernel')).map(({ kind }) => kind)).toEqual(['nsys-cuda-api']);
  expect(readTables(csv('pthread_cond_wait')).map(({ kind }) => kind)).toEqual(['nsys-osrt']);
});

it.each([
  ["[4/8] Executing 'cuda_gpu_kern_sum' stats report", 'nsys-kernels'],
  [' ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum:base):', 'nsys-kernels'],
  ["[4/8] Executing 'openmp_sum' stats report", undefined],
  ['Exporting [/x/reports/openmpevtsum.py a.sqlite] to console... ', undefined],
])('%s says what follows', (line, kind) => {
  expect(readTables(`${line}\n\n${HEAD}\n100.0,5000,2,2500.0,1,1,1,0.0,k\n`)[0]?.kind).toBe(kind);
});

it('a report that is not read is no table of ours', () => {
  expect(
    readTables(
      `Processing [a.sqlite] with [/x/reports/openmp_sum.py]... \n${HEAD}\n100.0,5000,2,2500.0,1,1,1,0.0,k\n`,
    ),
  ).toEqual([]);
});

it('a table that was cut has the shares that nsys printed, and no whole', () => {
  const [table] = readTables(`${HEAD}\n40.0,4000,2,2000.0,1,1,1,0.0,a\n20.0,2000,2,1000.0,1,1,1,0.0,b\n`);
  expect(table?.wholeUs).toBeUndefined();
  expect(table?.rows.map(({ share }) => share)).toEqual([0.4, 0.2]);
});

it('two runs in one log are judged apart', () => {
  const one = text('stats.csv');
  const tables = readTables(`${one}\nsomething else\n${one}`);
  expect(tables.length).toBe(12);
  expect(tables.map(({ findings }) => findings.length)).toEqual([5, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0]);
});

it('a text that lost its leading blanks is read all the same', () => {
  const stripped = text('stats-2022.txt')
    .split('\n')
    .map((line) => line.trim())
    .join('\n');
  const rows = readTables(stripped).map((table) => table.rows.map(({ name, totalUs }) => [name, totalUs]));
  expect(rows).toEqual(
    readTables(text('stats-2022.txt')).map((table) => table.rows.map(({ name, totalUs }) => [name, totalUs])),
  );
});

it('many launches of short kernels are said to cost more than the kernels', () => {
  const tables = readTables(
    [
      ' ** CUDA API Summary (cuda_api_sum):',
      'Time (%),Total Time (ns),Num Calls,Avg (ns),Name',
      '100.0,50000000,10000,5000.0,cudaLaunchKernel',
      '',
      ' ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):',
      'Time (%),Total Time (ns),Instances,Avg (ns),Name',
      '75.0,18000000,9000,2000.0,short',
      '25.0,6000000,500,12000.0,long',
    ].join('\n'),
  );
  const found = tables[0]?.findings.find(({ id }) => id === 'launches-cost-more-than-kernels');
  expect(found?.what).toBe(
    'A launch takes the host 5.00 \u00B5s, and what it starts takes the GPU 2.40 \u00B5s (10,000 launches); 94.7 % of the kernels take less than 10.0 \u00B5s.',
  );
});
