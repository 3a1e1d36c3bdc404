import { describe, expect, it } from 'vitest';
import { competingThreads } from '../../src/cli/competing-threads.js';
import type { Slice } from '../../src/recording/index.js';
import type { ThreadAnswer } from '../../src/report/index.js';
import { slice, threadAccounting } from '../recording/example.js';
import { PACED_TOTALS, threadAnswer } from '../report/answers.js';

function thread(name: string, tid: number, onCpu: number, cpuWait = 0): ThreadAnswer {
  return threadAnswer({ thread: { tid, name }, role: tid === 1 ? 'physics' : 'other' }, [], {
    totals: { ...PACED_TOTALS, onCpu, cpuWait },
  });
}

/** A slice of 2 s in which the machine used so many CPUs. */
function using(cpus: number): Slice {
  return slice({
    startNs: '0',
    endNs: '2000000000',
    machineCpu: { busyNs: cpus * 2e9 + 1e8, stolenNs: 1e8 },
  });
}

const MACHINE = { cpus: 4, kernel: '6.18' };

describe('threads of the process that compete with the physics thread', () => {
  it('are told with what they cost it: its waiting, by their part of the CPU time of others', () => {
    // 3 CPUs in use, half of one by physics: of the other 2.5 these have 1.25.
    const threads = [
      thread('sim', 1, 0.5, 0.2),
      thread('small', 2, 0.04),
      thread('pool', 3, 0.75),
      thread('llvmpipe-0', 4, 0.5),
    ];
    expect(competingThreads(threads, { slices: [using(3)], machine: MACHINE })).toEqual([
      {
        level: 'note',
        id: 'threads-compete',
        what: 'pool, llvmpipe-0 of the same process used 1.25 of 4 CPUs, which cost sim about 10.0 % of its time: it waited 20.0 % for a CPU.',
        why: 'The waiting is shared out by CPU time. The rest of the waiting is for other programs, which used 1.25 CPUs.',
        fix: 'taskset -pc 3 3  (what it prints first undoes it: taskset -pc LIST 3)',
      },
    ]);
  });

  it('are kept on the last CPU that they may run on, with the line that undoes it', () => {
    const threads = [thread('sim', 1, 0.5, 0.2), thread('pool', 3, 0.75)];
    const before = { ...using(3), accounting: [threadAccounting({ tid: 3, cpus: '0-3' })] };
    const since = {
      ...using(3),
      accounting: [
        threadAccounting({ tid: 1, cpus: '0' }),
        threadAccounting({ tid: 3, cpus: '0,2-3' }),
        threadAccounting({ tid: 3 }),
      ],
    };
    const slices = [before, since];
    const [finding] = competingThreads(threads, { slices, machine: { ...MACHINE, cpus: 8 } });
    expect(finding?.fix).toBe('taskset -pc 3 3  (undone by taskset -pc 0,2-3 3)');
  });

  it('have no line to type where they are kept on one CPU already', () => {
    const threads = [thread('sim', 1, 0.5, 0.2), thread('pool', 3, 0.75)];
    const slices = [{ ...using(3), accounting: [threadAccounting({ tid: 3, cpus: '2' })] }];
    const [finding] = competingThreads(threads, { slices, machine: MACHINE });
    expect(finding).toMatchObject({ id: 'threads-compete' });
    expect(finding).not.toHaveProperty('fix');
  });

  it('are counted where they have one name, as threads of a pool do', () => {
    const threads = [
      thread('sim', 1, 0.5, 0.2),
      thread('sim', 2, 0.6),
      thread('sim', 3, 0.5),
      thread('x', 4, 0.4),
    ];
    const [finding] = competingThreads(threads, { slices: [using(3)], machine: MACHINE });
    expect(finding?.what).toMatch(/^3 threads \(sim, x\) of the same process used 1\.50 of 4 CPUs/);
  });

  it('are at least their part of all CPUs where nobody read what else was used', () => {
    const bare = slice();
    const { machineCpu: _machineCpu, ...old } = bare;
    const threads = [thread('sim', 1, 0.5, 0.2), thread('llvmpipe-0', 4, 0.7)];
    const [finding] = competingThreads(threads, { slices: [old], machine: MACHINE });
    expect(finding).toMatchObject({
      what: expect.stringContaining('about 4.0 % of its time'),
      why: expect.stringContaining('the least that it can be'),
      fix: 'start the simulation with LP_NUM_THREADS=1',
    });
  });

  it('never cost more than all of the waiting, and names are made harmless', () => {
    const threads = [
      thread('sim', 1, 0.5, 0.2),
      thread('a\u001B[31m', 2, 0.9),
      thread('b', 3, 0.8),
      thread('c', 4, 0.7),
      thread('d', 5, 0.6),
    ];
    const [finding] = competingThreads(threads, { slices: [using(1)], machine: MACHINE });
    expect(finding?.what).toContain('about 20.0 % of its time');
    expect(finding?.what).toMatch(/^a\\x1b\[31m, b, c and 1 more of the same process/i);
  });

  it.each([
    ['waits for no CPU', [thread('sim', 1, 0.5, 0.019), thread('pool', 3, 0.9)]],
    ['is in nobody’s way', [thread('sim', 1, 0.5, 0.3), thread('pool', 3, 0.04)]],
    ['waits for other programs', [thread('sim', 1, 0.5, 0.3), thread('pool', 3, 0.06)]],
    ['is alone', [thread('sim', 1, 0.5, 0.3)]],
  ])('are no news where the physics thread %s', (_, threads) => {
    expect(competingThreads(threads, { slices: [using(3.9)], machine: MACHINE })).toEqual([]);
  });
});
