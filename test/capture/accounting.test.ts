import { describe, expect, it } from 'vitest';
import { blockedShare, loopRates, primaryThread, sleepsPerS } from '../../src/capture/loop-rates.js';
import { accountSlice } from '../../src/capture/slice-accounting.js';
import { readThreads, type Snapshot } from '../../src/capture/thread-readings.js';
import { at } from './snapshots.js';

const S = 1_000_000_000n;

/** Three looks at a 500 Hz loop and a thread that waits, a second apart. */
function paced(offset: number): readonly Snapshot[] {
  return [0, 1, 2].map((s) =>
    at(offset + s, { 7: [0.2 * (offset + s), 0, 500 * (offset + s)], 9: [0, 0, offset + s] }),
  );
}

/** 40 threads, each busier than the one before. */
function many(s: number): Snapshot {
  return at(
    s,
    Object.fromEntries(Array.from({ length: 40 }, (_, i) => [i + 1, [(s * (i + 1)) / 100, 0, s * 100]])),
  );
}

describe('the accounting of a slice', () => {
  it('is the difference between its ends', () => {
    expect(
      accountSlice([at(10, { 7: [3, 1, 100] }), at(11, { 7: [3.2, 1, 200] }), at(15, { 7: [5, 1.5, 600] })]),
    ).toEqual([
      {
        tid: 7,
        name: 't7',
        wallNs: 5e9,
        onCpuNs: 2e9,
        cpuWaitNs: 5e8,
        voluntarySwitches: 500,
        involuntarySwitches: 1000,
      },
    ]);
  });

  it('counts a thread that begins and ends inside the slice from zero, over no less than its life', () => {
    const rows = accountSlice([at(0, {}), at(1, { 8: [0.9, 0, 5] }), at(2, { 8: [1.2, 0.1, 9] }), at(3, {})]);
    expect(rows).toEqual([
      expect.objectContaining({ tid: 8, wallNs: 2e9, onCpuNs: 1.2e9, cpuWaitNs: 1e8, voluntarySwitches: 9 }),
    ]);
  });

  it('keeps what was read before the target ended', () => {
    const rows = accountSlice([
      at(0, { 7: [1, 0, 0] }),
      at(1, { 7: [1.5, 0, 10] }),
      { atNs: 2n * S, threads: new Map() },
    ]);
    expect(rows).toEqual([expect.objectContaining({ tid: 7, wallNs: 1e9, onCpuNs: 5e8 })]);
  });

  it('never charges more time than passed, though the kernel updates a running thread late', () => {
    const [row] = accountSlice([at(0, { 7: [1, 0, 0] }), at(1, { 7: [2.003, 0.25, 0] })]);
    expect(row).toMatchObject({ wallNs: 1e9, onCpuNs: 7.5e8, cpuWaitNs: 2.5e8 });
  });

  it('has the CPUs that a thread may run on at its end', () => {
    const [first, last] = [at(0, { 7: [1, 0, 0] }), at(1, { 7: [2, 0, 0] })];
    const threads = new Map([...last.threads].map(([tid, reading]) => [tid, { ...reading, cpus: '0,2-3' }]));
    expect(accountSlice([first, { ...last, threads }])).toEqual([
      expect.objectContaining({ tid: 7, cpus: '0,2-3' }),
    ]);
  });

  it('has no row for a thread that was seen once only', () => {
    expect(accountSlice([at(0, { 7: [1, 0, 0] }), { atNs: S, threads: new Map() }])).toEqual([]);
    expect(accountSlice([])).toEqual([]);
  });
});

describe('reading the kernel', () => {
  it('reads every thread of a process, the first one first', () => {
    const { threads } = readThreads(process.pid, process.pid, () => process.hrtime.bigint());
    expect([...threads.keys()][0]).toBe(process.pid);
    expect(threads.size).toBeGreaterThan(1);
    const own = threads.get(process.pid);
    expect(own?.onCpuNs).toBeGreaterThan(1e6);
    expect(own?.voluntarySwitches).toBeGreaterThan(0);
    expect(own?.cpus).toMatch(/^[\d,-]+$/);
  });

  it('has no threads for a process that is gone', () => {
    expect(readThreads(4_194_303, 1, () => 5n)).toEqual({ atNs: 5n, threads: new Map() });
  });
});

describe('loop rates', () => {
  it('counts switches per second in every phase, and leaves out threads that do nothing', () => {
    expect(loopRates({ before: paced(0), during: paced(10), after: paced(20) }, 7)).toEqual([
      { tid: 7, measure: 'voluntary-switches', before: [500, 500], during: [500, 500], after: [500, 500] },
    ]);
  });

  it('skips looks that lie closer than a second, as at the edges of slices', () => {
    const during = [
      at(0, { 7: [0, 0, 0] }),
      at(0.1, { 7: [0, 0, 50] }),
      at(1, { 7: [0, 0, 400] }),
      at(1.02, { 7: [0, 0, 410] }),
    ];
    expect(loopRates({ before: [], during, after: [] }, 7)[0]?.during).toEqual([400]);
  });

  it("counts the process's CPU for a thread that never sleeps", () => {
    const before = [at(0, { 7: [0, 0, 0], 9: [0, 0, 0] }), at(1, { 7: [0.8, 0.2, 3], 9: [0.5, 0, 40] })];
    expect(loopRates({ before, during: [], after: [] }, 7)).toEqual([
      { tid: 7, measure: 'cpu', before: [1.3], during: [], after: [] },
      { tid: 9, measure: 'voluntary-switches', before: [40], during: [], after: [] },
    ]);
  });

  it('keeps at most 16 threads, the busiest', () => {
    const rates = loopRates({ before: [many(0), many(1)], during: [], after: [] }, 3);
    expect(rates.map(({ tid }) => tid)).toEqual([
      3, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26,
    ]);
  });
});

describe('the thread to look at', () => {
  it('is the main thread while it works at all', () => {
    expect(
      primaryThread([at(0, { 1: [0, 0, 0], 2: [0, 0, 0] }), at(1, { 1: [0.1, 0, 9], 2: [0.9, 0, 9] })], 1),
    ).toBe(1);
    expect(
      primaryThread([at(0, { 1: [0, 0, 0], 2: [0, 0, 0] }), at(1, { 1: [0, 0, 500], 2: [0.9, 0, 9] })], 1),
    ).toBe(1);
  });

  it('is the busiest one when the main thread only waits', () => {
    expect(
      primaryThread([at(0, { 1: [0, 0, 0], 2: [0, 0, 0] }), at(1, { 1: [0, 0, 1], 2: [0.3, 0, 9] })], 1),
    ).toBe(2);
    expect(primaryThread([], 1)).toBe(1);
  });

  it('has a blocked share', () => {
    expect(blockedShare([at(0, { 1: [0, 0, 0] }), at(2, { 1: [0.5, 0.3, 9] })], 1)).toBeCloseTo(0.6, 12);
    expect(blockedShare([at(0, { 1: [0, 0, 0] }), at(2, {})], 1)).toBeUndefined();
  });

  it('has no blocked share where it never gave its CPU up, unless it was not there for most of the time', () => {
    expect(blockedShare([at(0, { 1: [0, 0, 9] }), at(2, { 1: [1.4, 0.2, 9] })], 1)).toBe(0);
    expect(blockedShare([at(0, { 1: [0, 0, 9] }), at(2, { 1: [1.4, 0.2, 10] })], 1)).toBeCloseTo(0.2, 12);
    expect(blockedShare([at(0, { 1: [0, 0, 9] }), at(2, { 1: [0.5, 0.3, 9] })], 1)).toBeCloseTo(0.6, 12);
  });

  it('has a number of sleeps a second', () => {
    expect(
      sleepsPerS([at(0, { 1: [0, 0, 7] }), at(1, { 1: [0, 0, 0] }), at(2, { 1: [0.5, 0.3, 107] })], 1),
    ).toBe(50);
    expect(sleepsPerS([at(0, { 1: [0, 0, 0] }), at(2, {})], 1)).toBeUndefined();
    expect(sleepsPerS([], 1)).toBeUndefined();
  });
});
