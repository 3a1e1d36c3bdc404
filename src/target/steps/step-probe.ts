import type { Journal } from '../journal/journal.js';
import { type Probe, openKernelTrace, threadsOf } from '../tracing/kernel-trace.js';
import {
  type ProbedFunction,
  type WantedFunctions,
  findFunctions,
  placeText,
} from '../tracing/probed-function.js';
import { type NoTracing, REGISTERS_UNKNOWN, fetchedOn, findTracefs } from '../tracing/tracefs.js';
import { HitReader, type StepHit } from './step-hits.js';

/** What one hit takes of the stepping thread: 1.5 to 4 µs, as measured on a virtual machine whose second core was reading the trace. */
export const HIT_COST_S = 4e-6;

const BUFFER_KB = 4096;

/** A probe on the step functions of one process: the kernel writes down every entry, of its threads alone. */
export interface StepProbe {
  readonly functions: readonly ProbedFunction[];
  /** Entries since the last call, as far as they were written down by now. */
  readonly read: () => readonly StepHit[];
  /** Entries that nobody read in time. */
  readonly lost: () => number;
  /** Off: the function is as it was, and costs nothing. */
  readonly turn: (on: boolean) => void;
  /** Leaves nothing in the kernel. */
  readonly close: () => void;
}

/** The function that would be probed, and why it cannot be, where it cannot; undefined where the process has none. Nothing is touched. */
export function plannedStepProbe(
  pid: number,
  steps: readonly WantedFunctions[],
): { readonly symbol: string; readonly refused?: NoTracing } | undefined {
  const tracefs = findTracefs();
  const [found] = findFunctions(pid, steps);
  if (found === undefined) return undefined;
  return { symbol: found.symbol, ...('because' in tracefs ? { refused: tracefs } : {}) };
}

export interface StepProbeOptions {
  readonly pid: number;
  readonly journal: Journal;
  /** What makes a step, the likeliest first. */
  readonly steps: readonly WantedFunctions[];
}

/**
 * Puts probes on the step functions of a process. It is on at once. Other processes that run the same
 * file pay for their entries too, and are not written down.
 */
export function openStepProbe({ pid, journal, steps }: StepProbeOptions): StepProbe | NoTracing {
  const tracefs = findTracefs();
  if ('because' in tracefs) return tracefs;
  const functions = findFunctions(pid, steps);
  const [first] = functions;
  if (first === undefined)
    return {
      because: `process ${pid} has loaded no file that shows ${steps.map(({ symbols }) => symbols[0]).join(' or ')}`,
    };
  const fetched = fetchedOn();
  if (fetched === undefined) return REGISTERS_UNKNOWN;
  const probes = functions.map((found, index): Probe => ({
    kind: 'p',
    event: `e${index}`,
    where: `${placeText(found)} ${fetched.two}`,
  }));
  const trace = openKernelTrace({ pid, journal, probes, bufferKb: BUFFER_KB, name: first.symbol });
  if ('because' in trace) return trace;
  const reader = new HitReader();
  const isOwn = threadsOf(pid);
  return {
    functions,
    lost: () => reader.lost,
    turn: trace.turn,
    read: () => {
      const hits: StepHit[] = [];
      trace.read((piece) => {
        for (const hit of reader.push(piece)) if (isOwn(hit.tid)) hits.push(hit);
      });
      return hits;
    },
    close: trace.close,
  };
}
