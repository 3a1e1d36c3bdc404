/**
 * What the kernel charged one thread over a window: `/proc/PID/task/TID/schedstat` and `status`, read at both ends and
 * differenced. Exact, whatever the samples say. Times in nanoseconds.
 */
export interface ThreadAccounting {
  readonly tid: number;
  readonly nsTid?: number;
  /** Name at the end of the window: Python's name where a sampler gave it, else the kernel's comm. Raw. */
  readonly name?: string;
  /** Length of the windows added up (CLOCK_MONOTONIC). */
  readonly wallNs: number;
  readonly onCpuNs: number;
  /** Runnable without a CPU (schedstat field 2). */
  readonly cpuWaitNs: number;
  readonly voluntarySwitches: number;
  readonly involuntarySwitches: number;
  /** CPUs that it may run on, at the end of the window, as the kernel lists them: `0-1`. Absent in older recordings. */
  readonly cpus?: string;
  /** Blocked states by the state sampler; absent where it could not or need not run. */
  readonly states?: ThreadStates;
}

/** Looks at `/proc/PID/task/TID/syscall` over the window, by what was seen. Only their ratio to each other is used (F2). */
export interface ThreadStates {
  readonly looks: number;
  readonly running: number;
  /** futex inside the symbol `_PyRuntime` */
  readonly gil: number;
  /** clock_nanosleep, nanosleep, select, poll, epoll */
  readonly sleep: number;
  /** any other system call or fault */
  readonly other: number;
}
