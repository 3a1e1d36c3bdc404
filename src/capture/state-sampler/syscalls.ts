/** Where a thread is blocked, by the system call it is in. */
export type ThreadState = 'running' | 'gil' | 'sleep' | 'other';

/** Numbers of the system calls that matter, from the kernel's tables (asm/unistd_64.h, asm-generic/unistd.h). */
export interface SyscallNumbers {
  readonly futex: number;
  readonly sleeps: ReadonlySet<number>;
}

const X86_64: SyscallNumbers = {
  futex: 202,
  // poll, select, nanosleep, clock_nanosleep, epoll_wait, pselect6, ppoll, epoll_pwait, epoll_pwait2
  sleeps: new Set([7, 23, 35, 230, 232, 270, 271, 281, 441]),
};

const AARCH64: SyscallNumbers = {
  futex: 98,
  // epoll_pwait, pselect6, ppoll, nanosleep, clock_nanosleep, epoll_pwait2
  sleeps: new Set([22, 72, 73, 101, 115, 441]),
};

/** Numbers for a Node architecture name; undefined where they are not known. */
export function syscallNumbers(arch: string): SyscallNumbers | undefined {
  if (arch === 'x64') return X86_64;
  return arch === 'arm64' ? AARCH64 : undefined;
}

/** Addresses as numbers: those of user space stay below 2^53. `end` is the first address behind. */
export interface AddressRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads one `/proc/PID/task/TID/syscall`: `running`, or the number of the call and its arguments in hexadecimal, or -1 where the
 * thread is blocked outside a system call (a page fault).
 */
export function classifySyscall(
  text: string,
  numbers: SyscallNumbers,
  gil: AddressRange | undefined,
): ThreadState {
  if (text.startsWith('running')) return 'running';
  const space = text.indexOf(' ');
  const number = Number(space < 0 ? text : text.slice(0, space));
  if (numbers.sleeps.has(number)) return 'sleep';
  if (number !== numbers.futex || gil === undefined) return 'other';
  const address = Number(text.slice(space + 1, text.indexOf(' ', space + 1)));
  return address >= gil.start && address < gil.end ? 'gil' : 'other';
}
