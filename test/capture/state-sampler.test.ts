import { describe, expect, it } from 'vitest';
import { stateRateHz } from '../../src/capture/finish-slice.js';
import { classifySyscall, syscallNumbers } from '../../src/capture/state-sampler/syscalls.js';
import { startStateWatch, statesBetween } from '../../src/capture/state-watch.js';
import { processState, start, stateSampler } from './live.js';

const GIL = { start: 0x7f00_0000_1000, end: 0x7f00_0000_2000 };

describe('the state of a thread', () => {
  it.each([
    ['x64', 'running\n', 'running'],
    ['x64', '202 0x7f0000001000 0x189 0x0 0x0 0x0 0x0 0x7ffd 0x7f1\n', 'gil'],
    ['x64', '202 0x7f0000001fff 0x80 0x0 0x0 0x0 0x0 0x7ffd 0x7f1\n', 'gil'],
    ['x64', '202 0x7f0000002000 0x80 0x0 0x0 0x0 0x0 0x7ffd 0x7f1\n', 'other'],
    ['x64', '202 0x7f0000000fff 0x80 0x0 0x0 0x0 0x0 0x7ffd 0x7f1\n', 'other'],
    ['x64', '230 0x1 0x1 0x7ffd 0x0 0x0 0x0 0x7ffd 0x7f1\n', 'sleep'],
    ['x64', '270 0x0 0x0 0x0 0x0 0x7ffd 0x0 0x7ffd 0x7f1\n', 'sleep'],
    ['x64', '232 0x4 0x7ffd 0x2 0xffffffff 0x0 0x0 0x7ffd 0x7f1\n', 'sleep'],
    ['x64', '0 0x0 0x7ffd 0x1000 0x0 0x0 0x0 0x7ffd 0x7f1\n', 'other'],
    ['x64', '-1 0x7ffd 0x7f1\n', 'other'],
    ['arm64', '98 0x7f0000001000 0x189 0x0 0x0 0x0 0x0 0x7ffd 0x7f1\n', 'gil'],
    ['arm64', '115 0x1 0x1 0x7ffd 0x0 0x0 0x0 0x7ffd 0x7f1\n', 'sleep'],
    ['arm64', '72 0x0 0x0 0x0 0x0 0x7ffd 0x0 0x7ffd 0x7f1\n', 'sleep'],
    ['arm64', '202 0x7f0000001000 0x0 0x0 0x0 0x0 0x0 0x7ffd 0x7f1\n', 'other'],
  ])('on %s, %j is %s', (arch, text, state) => {
    const numbers = syscallNumbers(arch);
    expect(numbers && classifySyscall(text, numbers, GIL)).toBe(state);
  });

  it('calls no futex the GIL where its address is not known', () => {
    const numbers = syscallNumbers('x64');
    expect(numbers && classifySyscall('202 0x7f0000001000 0x0\n', numbers, undefined)).toBe('other');
  });

  it('is not guessed on other machines', () => {
    expect(syscallNumbers('riscv64')).toBeUndefined();
  });
});

describe('how closely it looks', () => {
  it.each([
    [undefined, 250],
    [0.6, 250],
    [0.1, 250],
    [0.099, 100],
    [0.01, 100],
    [0.009, 0],
    [0, 0],
  ])('blocked %s: %d Hz', (blocked, rateHz) => {
    expect(stateRateHz(blocked)).toBe(rateHz);
  });
});

describe('the state sampler', () => {
  it('gives the difference of its running totals', () => {
    const from = { atNs: 1n, threads: { 7: [10, 1, 2, 3, 4], 8: [5, 5, 0, 0, 0] } } as const;
    const to = {
      atNs: 2n,
      threads: { 7: [20, 3, 4, 7, 6], 8: [5, 5, 0, 0, 0], 9: [2, 0, 0, 2, 0] },
    } as const;
    expect([...statesBetween(from, to)]).toEqual([
      [7, { looks: 10, running: 2, gil: 2, sleep: 4, other: 2 }],
      [9, { looks: 2, running: 0, gil: 0, sleep: 2, other: 0 }],
    ]);
  });

  it('sees a paced loop sleep and a waiting thread read, and ends when it is told', async () => {
    const target = await start('paced.py');
    const watch = startStateWatch([process.execPath, stateSampler(), String(target.pid)]);
    try {
      await watch.ready;
      const from = process.hrtime.bigint();
      watch.command({ rateHz: 500, primary: [target.pid] });
      const states = await watch.between(from, from + 500_000_000n);
      const main = states.get(target.pid);
      expect(main?.looks).toBeGreaterThan(50);
      expect((main?.sleep ?? 0) / (main?.looks ?? 1)).toBeGreaterThan(0.4);
      expect(main?.gil).toBe(0);
      const waiter = [...states].find(([tid]) => tid !== target.pid)?.[1];
      expect(waiter?.other).toBe(waiter?.looks);
      expect(watch.refusal()).toBeUndefined();
    } finally {
      await watch.stop();
      await target.stop();
    }
    expect(processState(watch.pid ?? 0)).toBeUndefined();
  });

  it('rests at 0 Hz and does not keep anyone waiting', async () => {
    const watch = startStateWatch([process.execPath, stateSampler(), String(process.pid)]);
    await watch.ready;
    watch.command({ rateHz: 0, primary: [process.pid] });
    expect(await watch.between(0n, process.hrtime.bigint() + 3_600_000_000_000n)).toEqual(new Map());
    await watch.stop();
    expect(watch.refusal()).toBeUndefined();
  });

  it('says why there are no states when it cannot run', async () => {
    const watch = startStateWatch([process.execPath, '/nowhere/main.js', '1']);
    await watch.ready;
    expect(watch.refusal()).toBe('the state sampler ended with 1');
    expect(await watch.between(0n, 1n)).toEqual(new Map());
    await watch.stop();
  });
});
