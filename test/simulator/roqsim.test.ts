import { describe, expect, it } from 'vitest';
import { readTables } from '../../src/simulator/index.js';

const HOOKS = [
  'per-plugin hook timing (avg \u00B5s/call):',
  '  Bridge                   post_step      120.50 \u00B5s',
  '  Bridge                   build       234000.00 \u00B5s',
  '  a plugin with a rather long name post_step       40.25 \u00B5s',
  '  lidar front              post_step       39.25 \u00B5s',
  '  Drive                    pre_step         2.00 \u00B5s',
];
const LOAD = [
  'load-phase timing (totals, ms):',
  '  resolve_plugins              812.3',
  '  world_load                     3.2',
  '  dedup_assets                  51.0',
  '  compile                     7654.4',
  '  make_data                     12.3',
  '  setup_total                 9821.0',
  'per-plugin build/configure (count / total ms / max ms):',
  '  SpawnModelPlugin         build        276     1234.5      45.6',
  '  ShelfPlugin              build          5      123.4      80.1',
];

describe('the hook table of roqsim', () => {
  const [table] = readTables(HOOKS.join('\n'));

  it('is read from the right, with names of any length', () => {
    expect(table?.kind).toBe('roqsim-hooks');
    expect(
      table?.rows.map(({ name, of, role, meanUs, perStepUs }) => [name, of, role, meanUs, perStepUs]),
    ).toEqual([
      ['Bridge', 'post_step', 'step', 120.5, 120.5],
      ['Bridge', 'build', 'once', 234_000, undefined],
      ['a plugin with a rather long name', 'post_step', 'step', 40.25, 40.25],
      ['lidar front', 'post_step', 'step', 39.25, 39.25],
      ['Drive', 'pre_step', 'step', 2, 2],
    ]);
  });

  it('sums what every step does, without what is done once', () => {
    expect(table?.wholeUs).toBe(202);
    expect(table?.rows.map(({ share }) => share?.toFixed(4))).toEqual([
      '0.5965',
      undefined,
      '0.1993',
      '0.1943',
      '0.0099',
    ]);
    expect(table?.findings.map(({ id }) => id)).toEqual(['physics-not-in-table', 'hooks-amortised']);
  });

  it.each([
    ['of Compose', 'bridge-1  | '],
    ['of a ROS launch', '[run_bridge-2] '],
    ['of a logger', '[INFO] [1700000000.12] [roqsim]: '],
    ['with times', '2026-11-30T10:00:00.123Z '],
  ])('is found in a log %s, between other lines', (_, prefix) => {
    const log = HOOKS.flatMap((line) => [`${prefix}${line}`, `${prefix}something else`]);
    const [found] = readTables(log.join('\r\n'));
    expect(found?.rows).toEqual(table?.rows);
  });
});

describe('the load table of roqsim', () => {
  it('counts nothing twice: setup_total holds all but resolve_plugins', () => {
    const [table] = readTables(LOAD.join('\n'));
    expect(table?.kind).toBe('roqsim-load');
    expect(table?.wholeUs).toBe(10_633_300);
    // 9821.0 - (3.2 + 51.0 + 7654.4 + 12.3 + 1234.5 + 123.4)
    expect(Math.round(table?.restUs ?? 0)).toBe(742_200);
    expect(table?.rows.at(-1)).toMatchObject({
      name: 'ShelfPlugin',
      of: 'build',
      path: ['setup_total'],
      calls: 5,
      totalUs: 123_400,
      meanUs: 24_680,
      maxUs: 80_100,
    });
    expect(table?.findings.map(({ id }) => id)).toEqual(['instances-share-rows']);
  });

  it('has its rows in any order', () => {
    const [head = '', ...rest] = LOAD.slice(0, 7);
    const [table] = readTables([head, ...rest.toReversed(), ...LOAD.slice(7)].join('\n'));
    expect(table?.wholeUs).toBe(10_633_300);
  });
});

it('several runs in one log are tables of their own, in their order', () => {
  const tables = readTables([...LOAD, 'x', ...HOOKS, ...LOAD.slice(0, 3), ...HOOKS].join('\n'));
  expect(tables.map(({ kind, lines }) => [kind, lines.from, lines.to])).toEqual([
    ['roqsim-load', 1, 10],
    ['roqsim-hooks', 12, 17],
    ['roqsim-load', 18, 20],
    ['roqsim-hooks', 21, 26],
  ]);
});
