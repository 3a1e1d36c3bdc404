import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readTables } from '../../src/simulator/index.js';
import type { CostTable } from '../../src/simulator/index.js';

const read = (name: string): CostTable | undefined =>
  readTables(readFileSync(new URL(`../fixtures/simulator/pyrite-${name}.json`, import.meta.url), 'utf8'))[0];
const category = (calls: number, mean = 1, p99 = mean): object => ({
  Calls: calls,
  Avg_ms: mean,
  Min_ms: mean,
  Max_ms: p99,
  P99_ms: p99,
  Total_Time_ms: calls * mean,
});
const of = (document: unknown): CostTable | undefined => readTables(JSON.stringify(document))[0];
const ids = (table: CostTable | undefined): readonly string[] | undefined =>
  table?.findings.map(({ id }) => id);

describe("Pyrite's report", () => {
  it('of two samples, 0.10012345 s and 0.30034567 s', () => {
    const table = read('vector');
    expect(table?.kind).toBe('pyrite');
    expect(table?.rows).toEqual([
      {
        name: 'Chunk_BuildMesh',
        path: [],
        role: 'part',
        calls: 2,
        meanUs: 200_235,
        minUs: 100_123,
        maxUs: 300_346,
        p99Us: 298_343,
        totalUs: 400_469,
      },
    ]);
    expect(table?.findings).toEqual([]);
    expect(table?.lines).toEqual({ from: 1, to: 10 });
    expect(table).not.toHaveProperty('wholeUs');
  });

  it('is a tree: the frame is never summed with what is inside it', () => {
    const table = read('short');
    expect(table?.rows.map(({ path, name }) => [...path, name].join(' > '))).toEqual([
      'Pyrite_Run',
      'Pyrite_Run > Frame_Total',
      'Pyrite_Run > Frame_Total > Pyrite_Render',
      'Pyrite_Run > Frame_Total > Pyrite_Render > World_Render',
      'Pyrite_Run > Frame_Total > Pyrite_Render > World_Render > Frustum_Culling',
      'Pyrite_Run > Frame_Total > Pyrite_Update',
      'Pyrite_Run > Frame_Total > Pyrite_Update > World_Update',
      'Pyrite_Run > Frame_Total > Pyrite_Update > Player_Update',
      'Chunk_BuildMesh',
    ]);
    expect(table?.wholeUs).toBe(9_322_000);
    // Without update (40 %) and render (50 %).
    expect(table?.restUs).toBe(932_200);
    expect(table?.steps).toBe(400);
  });

  it('says what each category takes of a frame, workers of none', () => {
    const rows = read('short')?.rows ?? [];
    expect(
      rows.map(({ name, role, perStepUs, share }) => [name, role, perStepUs, share?.toFixed(4)]),
    ).toEqual([
      ['Pyrite_Run', 'part', undefined, undefined],
      ['Frame_Total', 'step', 23_305, '1.0000'],
      ['Pyrite_Render', 'step', 11_652.5, '0.5000'],
      ['World_Render', 'step', 9322, '0.4000'],
      ['Frustum_Culling', 'step', 200, '0.0086'],
      ['Pyrite_Update', 'step', 9322, '0.4000'],
      ['World_Update', 'step', 6991.5, '0.3000'],
      ['Player_Update', 'step', 500, '0.0215'],
      ['Chunk_BuildMesh', 'part', undefined, undefined],
    ]);
  });

  it('without a frame has no whole, and no path through what is not there', () => {
    const table = of({ World_Update: category(5), Pyrite_Render: category(4) });
    expect(table?.rows.map(({ path, name }) => [...path, name])).toEqual([
      ['World_Update'],
      ['Pyrite_Render'],
    ]);
    expect(table).not.toHaveProperty('wholeUs');
    expect(table).not.toHaveProperty('restUs');
  });
});

describe('a full ring', () => {
  const table = read('long');

  it('leaves no total, no share and no number of frames', () => {
    const frame = table?.rows.find(({ name }) => name === 'Frame_Total');
    expect(frame).toEqual({
      name: 'Frame_Total',
      path: ['Pyrite_Run'],
      role: 'step',
      calls: 10_000,
      meanUs: 18_680,
      minUs: 16_000,
      maxUs: 150_000,
      p99Us: 150_000,
      meaning: 'the last calls only: 10000 fill the ring of 10000 for each thread',
    });
    expect(table).not.toHaveProperty('steps');
    expect(table).not.toHaveProperty('wholeUs');
    expect(table).not.toHaveProperty('restUs');
  });

  it('is said, with the cold start that is gone, and the ring that may be', () => {
    expect(ids(table)).toEqual(['stutter', 'ring-full', 'ring-may-be-full', 'categories-nest']);
    const [, full, maybe] = table?.findings ?? [];
    expect(full?.level).toBe('warning');
    expect(full?.what).toBe(
      'Counts and totals are capped in World_Update, Player_Update, Pyrite_Update, Frustum_Culling, World_Render, Pyrite_Render, Frame_Total: only the last 10000 calls of each thread are kept.',
    );
    expect(full?.why).toContain('cold start');
    expect(maybe?.what).toContain('kept of Chunk_BuildMesh,');
  });

  it.each([
    [9999, undefined],
    [10_000, 'ring-full'],
    [10_001, 'ring-may-be-full'],
    [30_000, 'ring-full'],
  ])('of %i calls is %s', (calls, id) => {
    expect(ids(of({ Chunk_BuildMesh: category(calls) }))).toEqual(id === undefined ? [] : [id]);
  });

  it('of a part leaves the rest of the frame unknown', () => {
    const frames = of({ Frame_Total: category(9000, 10), Pyrite_Update: category(10_000, 1) });
    expect(frames?.wholeUs).toBe(90_000_000);
    expect(frames).not.toHaveProperty('restUs');
  });
});

describe('stutter', () => {
  it('of the frame is a warning, with both numbers', () => {
    const found = of({ Frame_Total: category(500, 16, 150), Sky: category(500, 1, 3) })?.findings[0];
    expect(found).toMatchObject({ level: 'warning', id: 'stutter' });
    expect(found?.what).toBe(
      'The slowest hundredth takes more than 3 times the mean in Frame_Total (mean 16.000 ms, P99 150.000 ms).',
    );
  });

  it('of another category is a note', () => {
    expect(of({ Chunk_Load: category(500, 1, 3.001) })?.findings[0]).toMatchObject({
      level: 'note',
      id: 'stutter',
    });
  });

  it('is not seen in fewer than a hundred calls, where P99 is the largest', () => {
    expect(ids(of({ Frame_Total: category(99, 16, 150) }))).toEqual([]);
    expect(ids(of({ Frame_Total: category(100, 16, 150) }))).toEqual(['stutter']);
  });
});

describe('what is no report of Pyrite', () => {
  const { Calls: _, ...five } = category(3) as Record<string, unknown>;
  it.each([
    ['an empty one: anything may have written it', {}],
    ['five of the six keys', { A: five }],
    ['seven keys', { A: { ...category(3), P50_ms: 1 } }],
    ['texts', { A: { ...category(3), Avg_ms: 'fast' } }],
    ['a category and something else', { A: category(3), version: 2 }],
    ['no calls', { A: category(0) }],
  ])('%s', (_name, document) => {
    expect(of(document)).toBeUndefined();
  });
});

it('a report that could not be written is told by what Pyrite prints', () => {
  const log = [
    'game-1  | ',
    'game-1  | [TELEMETRY] Compiling engine metrics from all threads...',
    "game-1  | [TELEMETRY] ERROR: Failed to write report file: [Errno 13] Permission denied: 'profiling_results.json'",
  ];
  const [table, ...others] = readTables(log.join('\n'));
  expect(others).toEqual([]);
  expect(table).toMatchObject({ kind: 'pyrite', rows: [], lines: { from: 3, to: 3 } });
  expect(table?.findings.map(({ id, what }) => [id, what])).toEqual([
    [
      'report-not-written',
      "Pyrite could not write its report: [Errno 13] Permission denied: 'profiling_results.json'.",
    ],
  ]);
  expect(readTables('[TELEMETRY] Report successfully saved to profiling_results.json')).toEqual([]);
});
