import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { numberOf } from '../../../../src/capture/backends/cpython/proc-number.js';
import { describe, expect, it } from 'vitest';
import {
  closeThread,
  findSwitchSource,
  KernelState,
  openThread,
  type SwitchSource,
} from '../../../../src/capture/backends/cpython/kernel-state.js';
import { STATES } from '../../../../src/capture/backends/cpython/state-letters.js';
import { syscallNumbers } from '../../../../src/capture/state-sampler/syscalls.js';
import { emptyFolder } from '../../live.js';

const GIL = { start: 0x7f00_0000_1000, end: 0x7f00_0000_2000 };
const numbers = syscallNumbers('x64')!;

interface ThreadText {
  readonly syscall?: string;
  readonly switchedIn?: number;
  readonly switchedOut?: number;
  readonly execStart?: string;
  readonly cpu?: number;
  /** Name of the thread, which it may choose. */
  readonly comm?: string;
}

/** The files of one thread as Linux 6 writes them. */
function write(task: string, text: ThreadText): void {
  const { syscall = 'running\n', switchedIn = 8, switchedOut = 7, execStart = '1234.567890' } = text;
  const { cpu = 1, comm = 'python3' } = text;
  mkdirSync(task, { recursive: true });
  const at = (name: string, content: string): void => writeFileSync(join(task, name), content);
  at('syscall', syscall);
  at('schedstat', `90000 1000 ${switchedIn}\n`);
  at(
    'sched',
    `${comm} (7, #threads: 1)\n${'-'.repeat(67)}\nse.exec_start                                :      ${execStart}\nse.vruntime                                  :         31157.592609\nnr_switches                                  :                 ${switchedOut}\nnr_voluntary_switches                        :                    3\n`,
  );
  at(
    'status',
    `Name:\t${comm}\nState:\tR (running)\nvoluntary_ctxt_switches:\t3\nnonvoluntary_ctxt_switches:\t${switchedOut - 3}\n`,
  );
  const fields = [
    '7',
    `(${comm})`,
    'R',
    ...Array.from({ length: 35 }, (_, i) => String(i)),
    String(cpu),
    '0',
  ];
  at('stat', `${fields.join(' ')}\n`);
}

/** The state of a thread with these files, seen by a process with those. */
function stateOf(text: ThreadText, own: ThreadText = {}, source: SwitchSource = 'sched'): string {
  const proc = emptyFolder();
  write(join(proc, `self/task/${process.pid}`), own);
  write(join(proc, '7'), text);
  const kernel = new KernelState(source, numbers, proc);
  kernel.gil = GIL;
  const thread = openThread(join(proc, '7'), source);
  kernel.tick();
  const letter = kernel.of(thread);
  closeThread(thread);
  kernel.close();
  return Object.entries(STATES).find(([, code]) => code === letter)![0];
}

describe('the state of a thread in a sample', () => {
  it.each([
    ['230 0x1 0x1 0x7ffd 0x0 0x0 0x0 0x7ffd 0x7f1\n', 'sleep'],
    ['232 0x4 0x7ffd 0x2 0xffffffff 0x0 0x0 0x7ffd 0x7f1\n', 'sleep'],
    ['202 0x7f0000001000 0x189 0x0 0x0 0x0 0x0 0x7ffd 0x7f1\n', 'gilWait'],
    ['202 0x7f0000001fff 0x80 0x0 0x0 0x0 0x0 0x7ffd 0x7f1\n', 'gilWait'],
    ['202 0x7f0000002000 0x80 0x0 0x0 0x0 0x0 0x7ffd 0x7f1\n', 'blocked'],
    ['202 0x7f0000000fff 0x80 0x0 0x0 0x0 0x0 0x7ffd 0x7f1\n', 'blocked'],
    ['0 0x0 0x7ffd 0x1000 0x0 0x0 0x0 0x7ffd 0x7f1\n', 'blocked'],
    ['-1 0x7ffd 0x7f1\n', 'blocked'],
    ['', 'unknown'],
  ])('in the call %j is %s', (syscall, state) => {
    expect(stateOf({ syscall })).toBe(state);
  });

  it.each(['sched', 'status'] as const)('runs where it was switched in once more than out (%s)', (source) => {
    expect(stateOf({ switchedIn: 8, switchedOut: 7 }, {}, source)).toBe('running');
  });

  it('waits for a CPU where it was switched out as often, at another moment than ours', () => {
    const other = { switchedIn: 8, switchedOut: 8, execStart: '1234.560000' };
    expect(stateOf(other, { execStart: '1234.567890' })).toBe('cpuWait');
    expect(stateOf({ ...other, execStart: '1234.564889' }, { execStart: '1234.567890' })).toBe('cpuWait');
  });

  it('runs but for us where it was switched out in the nanosecond in which we came', () => {
    const same = { switchedIn: 8, switchedOut: 8, execStart: '1234.567890' };
    expect(stateOf(same, { execStart: '1234.567890' })).toBe('displaced');
    expect(stateOf(same, { execStart: '1234.568100' })).toBe('displaced');
  });

  it('goes by the CPU that it was on where the moment is not told', () => {
    const off = { switchedIn: 8, switchedOut: 8, cpu: 1 };
    expect(stateOf(off, { cpu: 1 }, 'status')).toBe('displaced');
    expect(stateOf(off, { cpu: 0 }, 'status')).toBe('cpuWait');
  });

  it('is not known where the counts never fit', () => {
    expect(stateOf({ switchedIn: 9, switchedOut: 7 })).toBe('unknown');
  });

  it.each(['nr_switches :1', 'x\nnr_switches:1', ') 1 2 3 4 5 (', 'se.exec_start:1'])(
    'is not what the thread calls itself: %j',
    (comm) => {
      expect(stateOf({ comm })).toBe('running');
      expect(stateOf({ comm, switchedOut: 8, cpu: 1 }, { cpu: 0 }, 'status')).toBe('cpuWait');
    },
  );
});

describe('where switches are counted', () => {
  it('is found by what agrees on ourselves', () => {
    expect(findSwitchSource(numbers, '/proc')).toBe('sched');
  });

  it.each([
    [{ switchedIn: 8, switchedOut: 7 }, 'sched'],
    [{ switchedIn: 0, switchedOut: 7 }, undefined],
  ])('%j: %s', (own, source) => {
    const proc = emptyFolder();
    write(join(proc, `self/task/${process.pid}`), own);
    expect(findSwitchSource(numbers, proc)).toBe(source);
  });

  it('is status where the kernel has no sched', () => {
    const proc = emptyFolder();
    const task = join(proc, `self/task/${process.pid}`);
    write(task, {});
    writeFileSync(join(task, 'sched'), '');
    expect(findSwitchSource(numbers, proc)).toBe('status');
  });

  it('is no number that an earlier file has left in the buffer', () => {
    const bytes = Buffer.from('x\nnr_switches : 7\n');
    expect(numberOf(bytes, bytes.length, '\nnr_switches')).toBe(7);
    expect(numberOf(bytes, 0, '\nnr_switches')).toBe(-1);
    expect(numberOf(bytes, 2, '\nnr_switches')).toBe(-1);
  });
});
