import { type Chunks, type PerfEvent, type PerfSample, perfEvents } from '../formats/index.js';
import type { Frame } from '../model/index.js';

/** What perf saw of one slice. */
export interface PerfWindow {
  /** Samples a second of each running thread; off-CPU time is counted in the same unit. */
  readonly rateHz: number;
  /** CLOCK_MONOTONIC, as perf's own times are. */
  readonly startNs: number;
  readonly endNs: number;
}

/** A slice in the text that py-spy writes (`record -f raw --threads`), and what was learned on the way. */
export interface FoldedPerf {
  /** `thread (TID): NAME;root;…;leaf COUNT`, a line for each different stack. */
  readonly lines: readonly string[];
  /** Counts of all lines together. */
  readonly samples: number;
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
export const CPU_WAIT_LEAF = '[waiting for a CPU]';

/** The scheduler itself, which every switch begins in: what led there is the news. */
const SCHEDULER =
  /^(?:__schedule|schedule|schedule_\w+|__cond_resched|preempt_schedule\w*|io_schedule\w*|__traceiter_sched_switch|perf_trace_sched_switch|__x64_sys_sched_yield)$/;

interface Off {
  readonly sinceNs: number;
  readonly preempted: boolean;
  /** Undefined where nobody recorded it. */
  readonly stack: string | undefined;
}

interface ThreadFold {
  name: string;
  /** Counts of stacks on a CPU. */
  readonly on: Map<string, number>;
  /** Nanoseconds of stacks off it. */
  readonly off: Map<string, number>;
  /** Stack and state of the switch that is going on. */
  leaving: { readonly stack: string; readonly preempted: boolean } | undefined;
  away: Off | undefined;
  /** Its first event told that it runs: before that nothing is known of it. */
  seen: boolean;
}

/**
 * Sorts the events of `perf script` by thread and stack: samples on a CPU as they are, time off it in samples at the same rate, by the
 * stack that left the CPU, waiting for a CPU under a leaf of its own. Threads without any event are left out.
 */
export async function foldPerf(chunks: Chunks, window: PerfWindow): Promise<FoldedPerf> {
  const threads = new Map<number, ThreadFold>();
  const told = { onCpu: 0, lost: 0, throttled: 0, noise: 0 };
  for await (const event of perfEvents(chunks)) {
    if (event.kind === 'lost') told.lost += event.count;
    else if (event.kind === 'throttle') told.throttled += event.on ? 1 : 0;
    else if (event.kind === 'noise') told.noise += 1;
    else if (event.kind === 'sample' || event.kind === 'switch') {
      const { tid } = event;
      if (tid === undefined || tid <= 0) continue;
      const thread = threads.get(tid) ?? newThread();
      threads.set(tid, thread);
      if (event.comm !== undefined) thread.name = event.comm;
      if (take(thread, event, window)) told.onCpu += 1;
    }
  }
  for (const thread of threads.values()) back(thread, window.endNs);
  const lines = [...threads].flatMap(([tid, thread]) => linesOf(tid, thread, window.rateHz));
  const samples = lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  return { ...told, lines, samples };
}

function newThread(): ThreadFold {
  return { name: '', on: new Map(), off: new Map(), leaving: undefined, away: undefined, seen: false };
}

/** Whether it was a sample of a running thread. */
function take(
  thread: ThreadFold,
  event: PerfSample | (PerfEvent & { kind: 'switch' }),
  window: PerfWindow,
): boolean {
  const { timeNs } = event;
  if (event.kind === 'sample' && event.event?.startsWith('sched:sched_switch') === true) {
    const state = /\bprev_state=(\S+)/.exec(event.args ?? '')?.[1] ?? 'S';
    thread.leaving = { stack: stackText(withoutScheduler(event.frames)), preempted: state.startsWith('R') };
    return false;
  }
  if (event.kind === 'sample') {
    const stack = stackText(event.frames);
    thread.on.set(stack, (thread.on.get(stack) ?? 0) + 1);
    thread.seen = true;
    return true;
  }
  if (timeNs === undefined) return false;
  if (event.direction === 'out') {
    const { leaving } = thread;
    thread.away = {
      sinceNs: timeNs,
      preempted: event.preempted || leaving?.preempted === true,
      stack: leaving?.stack,
    };
  } else {
    // It was off a CPU since before we looked.
    if (!thread.seen) thread.away ??= { sinceNs: window.startNs, preempted: false, stack: undefined };
    back(thread, timeNs);
  }
  thread.leaving = undefined;
  thread.seen = true;
  return false;
}

/** Books the time that a thread was away. */
function back(thread: ThreadFold, atNs: number): void {
  const { away } = thread;
  thread.away = undefined;
  if (away === undefined || atNs <= away.sinceNs) return;
  const stack = away.preempted
    ? [away.stack, CPU_WAIT_LEAF].filter((part) => part !== undefined && part !== '').join(';')
    : (away.stack ?? '');
  thread.off.set(stack, (thread.off.get(stack) ?? 0) + (atNs - away.sinceNs));
}

function withoutScheduler(frames: readonly Frame[]): readonly Frame[] {
  const last = frames.findLastIndex(({ name }) => !SCHEDULER.test(name));
  return last < 0 ? frames : frames.slice(0, last + 1);
}

function linesOf(tid: number, { name, on, off }: ThreadFold, rateHz: number): readonly string[] {
  const counts = new Map(on);
  for (const [stack, ns] of off) {
    const count = Math.round((ns * rateHz) / 1e9);
    if (count > 0) counts.set(stack, (counts.get(stack) ?? 0) + count);
  }
  const root = `thread (${tid})${name === '' ? '' : `: ${oneFrame(name)}`}`;
  return [...counts].map(([stack, count]) => `${root}${stack === '' ? '' : `;${stack}`} ${count}`);
}

function stackText(frames: readonly Frame[]): string {
  return frames.map(frameText).join(';');
}

/** As py-spy spells it: `mj_step (libmujoco.so.3.14.0)`, `step (engine.py:42)`. */
function frameText({ name, file, line, module }: Frame): string {
  const text = oneFrame(name);
  if (file !== undefined)
    return `${text} (${oneFrame(file)}${line === undefined || line === 0 ? '' : `:${line}`})`;
  return module === undefined ? text : `${text} (${oneFrame(module)})`;
}

/** A frame cannot hold what separates frames and lines. */
function oneFrame(text: string): string {
  return text.replaceAll(';', ':').replaceAll(/[\r\n]+/g, ' ');
}
