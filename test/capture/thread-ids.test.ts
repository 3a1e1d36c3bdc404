import { describe, expect, it } from 'vitest';
import {
  mapThreadIds,
  mergeThreadIds,
  printedThreads,
  threadIdFindings,
  threadNames,
} from '../../src/capture/thread-ids.js';
import type { Target } from '../../src/target/index.js';

const TARGET: Target = {
  pid: 100,
  startTicks: 1,
  command: [],
  runtime: 'python',
  uid: 0,
  gid: 0,
  passedOver: [],
};
const LIVING = [
  { tid: 100, comm: 'python3' },
  { tid: 101, comm: 'a-long-thread-n' },
  { tid: 102, comm: 'python3' },
];

describe('the threads that a sampler prints', () => {
  it('are found with their names, which may be missing or strange', () => {
    const raw = [
      'thread (0x7F52): MainThread;f (a.py:1) 3',
      'thread (7): pool (1);f (a.py:1) 3',
      'thread (8);f (a.py:1) 3',
      'process 9:"a;b";thread (9): x;f (a.py:1) 3',
      'thread (10): torn 4',
      'f (thread (11).py:1) 2',
    ].join('\n');
    expect([...printedThreads(raw)]).toEqual([
      ['0x7F52', 'MainThread'],
      ['7', 'pool (1)'],
      ['8', undefined],
      ['9', 'x'],
      ['10', 'torn'],
    ]);
  });
});

describe('mapping them to the threads of the kernel', () => {
  it('leaves ids of the kernel alone', () => {
    const map = mapThreadIds(
      new Map([
        ['100', 'MainThread'],
        ['55', 'ended'],
      ]),
      TARGET,
      LIVING,
      () => new Map(),
    );
    expect(map).toEqual({ ids: {}, byName: [], unmapped: [] });
  });

  it("looks addresses up in the target's memory, under both spellings of the number", () => {
    const asked: bigint[][] = [];
    const map = mapThreadIds(
      new Map([
        ['0x7F520C43BB80', 'MainThread'],
        ['139990359332544', 'x'],
      ]),
      TARGET,
      LIVING,
      (ids) => {
        asked.push([...ids]);
        return new Map([
          [0x7f520c43bb80n, 100],
          [139990359332544n, 102],
        ]);
      },
    );
    expect(asked).toEqual([[0x7f520c43bb80n, 139990359332544n]]);
    expect(map).toEqual({
      ids: { '0x7F520C43BB80': 100, [String(0x7f520c43bb80)]: 100, '139990359332544': 102 },
      byName: [],
      unmapped: [],
    });
  });

  it('falls back to names that are unique, and says so', () => {
    const printed = new Map([
      ['0x7F0000000001', 'MainThread'],
      ['0x7F0000000002', 'a-long-thread-name'],
      ['0x7F0000000003', 'python3'],
    ]);
    const map = mapThreadIds(printed, TARGET, LIVING, () => undefined);
    expect(map.ids['0x7F0000000001']).toBe(100);
    expect(map.ids['0x7F0000000002']).toBe(101);
    expect(map.byName).toEqual(['0x7F0000000001', '0x7F0000000002']);
    expect(map.unmapped).toEqual(['0x7F0000000003']);
    expect(threadIdFindings(map, TARGET).map(({ level, id }) => [level, id])).toEqual([
      ['note', 'thread-ids-by-name'],
      ['warning', 'thread-ids-unmapped'],
    ]);
  });

  it("maps the ids of a container's own pid namespace", () => {
    const inside = [
      { tid: 100, nsTid: 1, comm: 'python3' },
      { tid: 101, nsTid: 12, comm: 'spin' },
    ];
    const map = mapThreadIds(
      new Map([
        ['1', 'MainThread'],
        ['12', 'x'],
        ['13', 'ended'],
      ]),
      { ...TARGET, nsPid: 1 },
      inside,
      () => undefined,
    );
    expect(map).toEqual({ ids: { '1': 100, '12': 101 }, byName: [], unmapped: ['13'] });
  });

  it('gives the names that the sampler printed to the threads of the kernel', () => {
    const printed = new Map([
      ['0x9', 'MainThread'],
      ['12', 'spin'],
      ['13', undefined],
    ]);
    const names = threadNames(printed, { ids: { '0x9': 7 }, byName: [], unmapped: [] });
    expect([...names]).toEqual([
      [7, 'MainThread'],
      [12, 'spin'],
    ]);
  });

  it('keeps what an earlier slice knew of a thread that has ended since', () => {
    const before = { ids: { '0x9': 7 }, byName: [], unmapped: ['0x5', '0x6'] };
    const now = { ids: { '0x5': 8 }, byName: ['0x5', '0x9'], unmapped: ['0x9', '0x6'] };
    expect(mergeThreadIds(before, now)).toEqual({
      ids: { '0x5': 8, '0x9': 7 },
      byName: ['0x5'],
      unmapped: ['0x6'],
    });
  });
});
