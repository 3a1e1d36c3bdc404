import { describe, expect, it } from 'vitest';
import { poolAccounting, poolThreads, totals } from '../../src/stats/index.js';
import { accounting } from './fixtures.js';

const states = { looks: 100, running: 20, gil: 10, sleep: 60, other: 10 };

describe('totals', () => {
  it('splits blocked time by the ratio of the looks that found it blocked (F2)', () => {
    const found = totals(
      accounting({ wallNs: 2e9, onCpuNs: 0.4e9, cpuWaitNs: 0.2e9, voluntarySwitches: 1000, states }),
    )!;
    expect(found.wallS).toBe(2);
    expect(found.onCpu).toBeCloseTo(0.2, 12);
    expect(found.cpuWait).toBeCloseTo(0.1, 12);
    expect(found.blocked).toBeCloseTo(0.7, 12);
    expect(found.gilWait).toBeCloseTo(0.0875, 12);
    expect(found.sleep).toBeCloseTo(0.525, 12);
    expect(found.otherBlocked).toBeCloseTo(0.0875, 12);
    expect(found.voluntaryPerS).toBe(500);
  });

  it('leaves the split out where no state was seen, instead of writing 0', () => {
    const without = totals(accounting({ onCpuNs: 0.3e9 }))!;
    expect(Object.keys(without)).toEqual(['wallS', 'onCpu', 'cpuWait', 'blocked', 'voluntaryPerS']);
    const onlyRunning = totals(
      accounting({ onCpuNs: 0.999e9, states: { looks: 50, running: 50, gil: 0, sleep: 0, other: 0 } }),
    )!;
    expect('sleep' in onlyRunning).toBe(false);
  });

  it('sums to 1 when the kernel charged more than the window holds', () => {
    const found = totals(accounting({ onCpuNs: 0.95e9, cpuWaitNs: 0.1e9 }))!;
    expect(found.blocked).toBe(0);
    expect(found.onCpu + found.cpuWait).toBeCloseTo(1, 12);
    expect(found.onCpu).toBeCloseTo(0.95 / 1.05, 12);
  });

  it('takes the stops of a blocking sampler out of the window', () => {
    // 250 stops of 0.5 ms in a second: an eighth of the wall is nobody's.
    const found = totals(accounting({ onCpuNs: 0.35e9, cpuWaitNs: 0 }), 0.125e9)!;
    expect(found.onCpu).toBeCloseTo(0.4, 12);
    expect(found.blocked).toBeCloseTo(0.6, 12);
  });

  it('tells how much of what is blocked the host may have taken, in step with the CPU time that was left', () => {
    const charged = accounting({ onCpuNs: 0.3e9 });
    expect(totals(charged, 0, 0.25)).toMatchObject({ onCpu: 0.3, blocked: 0.7 });
    expect(totals(charged, 0, 0.25)!.stolenAtMost).toBeCloseTo(0.1, 12);
    expect(totals(charged, 0, 0.9)!.stolenAtMost).toBeCloseTo(0.7, 12);
    expect(totals(charged, 0, 1)!.stolenAtMost).toBeCloseTo(0.7, 12);
    // More than the thread can have lost is what was taken all the same.
    expect(totals(charged, 0, 0.9)!.stolenPart).toBe(0.9);
    expect('stolenAtMost' in totals(charged, 0, 0)!).toBe(false);
  });

  it('knows nothing of a window without length', () => {
    expect(totals(accounting({ wallNs: 0 }))).toBeUndefined();
  });
});

describe('poolAccounting', () => {
  it('adds slices up and keeps the newest name', () => {
    const pooled = poolAccounting([
      accounting({ name: 'python3', wallNs: 1e9, onCpuNs: 2e8, cpuWaitNs: 1, voluntarySwitches: 5, states }),
      accounting({ name: 'MainThread', wallNs: 3e9, onCpuNs: 1e8, cpuWaitNs: 2, involuntarySwitches: 7 }),
      accounting({ wallNs: 1e9, nsTid: 9, states }),
    ]);
    expect(pooled).toEqual({
      tid: 1,
      nsTid: 9,
      name: 'MainThread',
      wallNs: 5e9,
      onCpuNs: 3e8,
      cpuWaitNs: 3,
      voluntarySwitches: 5,
      involuntarySwitches: 7,
      states: { looks: 200, running: 40, gil: 20, sleep: 120, other: 20 },
    });
    expect(poolAccounting([accounting({}), accounting({ states })])?.states).toEqual(states);
    expect(poolAccounting([])).toBeUndefined();
  });

  it('pools each thread of a recording, also one that lived in one slice only', () => {
    const pooled = poolThreads([
      [accounting({ tid: 7 }), accounting({ tid: 8, onCpuNs: 5 })],
      [accounting({ tid: 7 })],
    ]);
    expect(pooled.map((a) => [a.tid, a.wallNs, a.onCpuNs])).toEqual([
      [7, 2e9, 0],
      [8, 1e9, 5],
    ]);
  });
});
