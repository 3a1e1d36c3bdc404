import { type Frame, type Profile, ProfileBuilder } from '../model/index.js';
import type { Chunks } from './format.js';
import type { PerfSample, PerfSwitch } from './perf-script-event.js';
import { perfEvents } from './perf-script-events.js';

/** What perf saw of one slice. */
export interface PerfWindow {
  /** Samples a second of each running thread; off-CPU time is counted in the same unit. */
  readonly rateHz: number;
  /** CLOCK_MONOTONIC, as perf's own times are. */
  readonly startNs: number;
  readonly endNs: number;
}

/** The stacks of a window, and what was learned on the way. */
export interface WindowOfPerf {
  readonly profile: Profile;
  /** Samples that the kernel took of running threads. */
  readonly onCpu: number;
  /** Events that the kernel dropped. */
  readonly lost: number;
  /** How often the kernel paused sampling since it took too long. */
  readonly throttled: number;
  /** Lines that were none of perf's. */
  readonly noise: number;
}

/** The leaf of a thread that could run and got no CPU. */
const CPU_WAIT: Frame = { name: '[waiting for a CPU]', kind: 'unknown' };

/** The scheduler itself, which every switch begins in: what led there is the news. */
const SCHEDULER =
  /^(?:__schedule|schedule|schedule_\w+|__cond_resched|preempt_schedule\w*|io_schedule\w*|__traceiter_sched_switch|perf_trace_sched_switch|__x64_sys_sched_yield)$/;

/** Row of a stack; -1 where there is none. */
type Stack = number;

interface ThreadEvents {
  name: string;
  /** Counts of stacks on a CPU. */
  readonly on: Map<Stack, number>;
  /** Nanoseconds of stacks off it. */
  readonly off: Map<Stack, number>;
  /** Stack and state of the switch that is going on. */
  leaving: { readonly stack: Stack; readonly preempted: boolean } | undefined;
  /** Without a stack where nobody recorded it. */
  away: { readonly sinceNs: number; readonly preempted: boolean; readonly stack: Stack } | undefined;
  /** Its first event told that it runs: before that nothing is known of it. */
  seen: boolean;
}

/**
 * Sorts the events of `perf script` by thread and stack: samples on a CPU as they are, time off it in samples at the same rate, by the
 * stack that left the CPU, waiting for a CPU under a leaf of its own. Threads without any event are left out.
 */
export async function readPerfWindow(chunks: Chunks, window: PerfWindow): Promise<WindowOfPerf> {
  const stacks = new WindowStacks(window);
  const told = { onCpu: 0, lost: 0, throttled: 0, noise: 0 };
  for await (const event of perfEvents(chunks)) {
    if (event.kind === 'lost') told.lost += event.count;
    else if (event.kind === 'throttle') told.throttled += event.on ? 1 : 0;
    else if (event.kind === 'noise') told.noise += 1;
    else if (event.kind === 'switch') stacks.takeSwitch(event);
    else if (event.kind === 'sample' && stacks.takeSample(event)) told.onCpu += 1;
  }
  return { ...told, profile: stacks.build() };
}

class WindowStacks {
  readonly #window: PerfWindow;
  readonly #builder = new ProfileBuilder('samples', { format: 'perf-script' });
  readonly #frames = new Map<Frame, number>();
  readonly #threads = new Map<number, ThreadEvents>();

  constructor(window: PerfWindow) {
    this.#window = window;
  }

  /** Whether it was a sample of a running thread. */
  takeSample(sample: PerfSample): boolean {
    const thread = this.#thread(sample);
    if (thread === undefined) return false;
    if (sample.event?.startsWith('sched:sched_switch') === true) {
      const state = /\bprev_state=(\S+)/.exec(sample.args ?? '')?.[1] ?? 'S';
      const stack = this.#stack(withoutScheduler(sample.frames));
      thread.leaving = { stack, preempted: state.startsWith('R') };
      return false;
    }
    add(thread.on, this.#stack(sample.frames), 1);
    thread.seen = true;
    return true;
  }

  takeSwitch(event: PerfSwitch): void {
    const { timeNs, direction, preempted } = event;
    const thread = this.#thread(event);
    if (thread === undefined || timeNs === undefined) return;
    if (direction === 'out') {
      const { stack = -1, preempted: couldRun = false } = thread.leaving ?? {};
      thread.away = { sinceNs: timeNs, preempted: preempted || couldRun, stack };
    } else {
      // It was off a CPU since before we looked.
      if (!thread.seen) thread.away ??= { sinceNs: this.#window.startNs, preempted: false, stack: -1 };
      this.#isBack(thread, timeNs);
    }
    thread.leaving = undefined;
    thread.seen = true;
  }

  build(): Profile {
    const { rateHz, endNs } = this.#window;
    for (const [tid, thread] of this.#threads) {
      this.#isBack(thread, endNs);
      const { name, on, off } = thread;
      const row = this.#builder.thread({ tid, ...(name !== '' && { name }) });
      for (const [stack, ns] of off) add(on, stack, Math.round((ns * rateHz) / 1e9));
      for (const [stack, count] of on) if (count > 0) this.#builder.sample(stack, row, count);
    }
    return this.#builder.build();
  }

  #thread({ tid = 0, comm }: PerfSample | PerfSwitch): ThreadEvents | undefined {
    if (tid <= 0) return undefined;
    let thread = this.#threads.get(tid);
    if (thread === undefined) {
      thread = { name: '', on: new Map(), off: new Map(), leaving: undefined, away: undefined, seen: false };
      this.#threads.set(tid, thread);
    }
    // A thread may call itself `a;f (b.py:1)`: in folded text that would be a frame.
    if (comm !== undefined) thread.name = comm.replaceAll(';', ':');
    return thread;
  }

  #stack(frames: readonly Frame[]): Stack {
    return frames.reduce((above, frame) => this.#builder.stack(above, this.#frame(frame)), -1);
  }

  #frame(frame: Frame): number {
    const known = this.#frames.get(frame);
    if (known !== undefined) return known;
    const index = this.#builder.frame(frame);
    this.#frames.set(frame, index);
    return index;
  }

  /** Books the time that a thread was away. */
  #isBack(thread: ThreadEvents, atNs: number): void {
    const { away } = thread;
    thread.away = undefined;
    if (away === undefined || atNs <= away.sinceNs) return;
    const stack = away.preempted ? this.#builder.stack(away.stack, this.#frame(CPU_WAIT)) : away.stack;
    add(thread.off, stack, atNs - away.sinceNs);
  }
}

function add(sums: Map<Stack, number>, stack: Stack, value: number): void {
  sums.set(stack, (sums.get(stack) ?? 0) + value);
}

function withoutScheduler(frames: readonly Frame[]): readonly Frame[] {
  const last = frames.findLastIndex(({ name }) => !SCHEDULER.test(name));
  return last < 0 ? frames : frames.slice(0, last + 1);
}
