/** What perf may record of a target, from everything down to the least. */
export interface PerfMode {
  /**
   * What is known of the time off the CPU. `stacks`: the scheduler's tracepoint, with the stack of every switch; `times`: when threads
   * left a CPU and came back; `none`.
   */
  readonly switches: 'stacks' | 'times' | 'none';
  /** The kernel's own part of a stack may be recorded. */
  readonly kernel: boolean;
  /** How stacks are unwound: by frame pointers, or from a copy of the stack that is kept with every sample. */
  readonly callGraph: 'fp' | 'dwarf';
}

/** Bytes of stack that are copied with a sample. A MuJoCo step below a Python interpreter is about 6 KiB deep. */
export const DWARF_BYTES = 8192;
/** The same with a switch, of which a paced loop has one or two a step: who called the sleep is near. */
const SWITCH_BYTES = 4096;
/** Pages of buffer for each CPU: what is not written in time is lost. Only root may have so many. */
const BUFFER_PAGES = '1024';

/** Modes in order of what they tell. The call graph is found out apart. */
export const MODES: readonly Pick<PerfMode, 'switches' | 'kernel'>[] = [
  { switches: 'stacks', kernel: true },
  { switches: 'times', kernel: true },
  { switches: 'times', kernel: false },
  { switches: 'none', kernel: false },
];

/** The same beside a sampler that sees threads wait by itself: only what runs is asked for, since each switch costs the loop a copy of its stack. */
export const BESIDE_MODES: typeof MODES = [
  { switches: 'none', kernel: true },
  { switches: 'none', kernel: false },
];

/**
 * Arguments of `perf record` up to what says how long. `-N -B`: nothing is left in the user's ~/.debug. A software clock, since virtual
 * machines have no counters; its times are those of CLOCK_MONOTONIC, as ours are. It says when it begins (`-D`).
 */
export function perfRecordArgs(
  mode: PerfMode,
  pid: number,
  rateHz: number,
  output: string,
): readonly string[] {
  const isDwarf = mode.callGraph === 'dwarf';
  // Not -F, which would thin out the switches as well. The flag for all, since what one event alone asks for is not unwound.
  const graph = ['--call-graph', isDwarf ? `dwarf,${DWARF_BYTES}` : 'fp'];
  const clock = ['-e', `cpu-clock/freq=${rateHz}/${mode.kernel ? '' : 'u'}`];
  const few = isDwarf ? `/call-graph=dwarf,stack-size=${SWITCH_BYTES}/` : '';
  const stacks = mode.switches === 'stacks' ? ['-m', BUFFER_PAGES, '-e', `sched:sched_switch${few}`] : [];
  const switches = mode.switches === 'none' ? [] : ['--switch-events'];
  const start = ['record', '-N', '-B', '-D', '10', '-k', 'CLOCK_MONOTONIC'];
  return [...start, ...graph, ...clock, ...stacks, ...switches, '-p', String(pid), '-o', output];
}

/** Arguments of `perf script` that print what a recording holds, with symbols as the living target has them. */
export function perfScriptArgs(input: string, root: string | undefined): readonly string[] {
  const symbols = root === undefined ? [] : ['--symfs', root];
  const events = ['--show-switch-events', '--show-lost-events'];
  const fields = 'comm,pid,tid,time,event,ip,sym,symoff,dso,period,trace';
  return ['script', '--no-inline', '-i', input, ...events, ...symbols, '-F', fields];
}

/** perf in plain words, and without a server of debug information on the way. */
export const PERF_ENVIRONMENT: Readonly<Record<string, string>> = {
  LC_ALL: 'C',
  DEBUGINFOD_URLS: '',
  PERF_PAGER: 'cat',
};
