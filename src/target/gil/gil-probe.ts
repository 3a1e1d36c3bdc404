import type { Journal } from '../journal/journal.js';
import { type Probe, openKernelTrace, threadsOf } from '../tracing/kernel-trace.js';
import { type ProbedFunction, findFunctions, placeText } from '../tracing/probed-function.js';
import { type NoTracing, REGISTERS_UNKNOWN, fetchedOn, findTracefs } from '../tracing/tracefs.js';
import { GIL_EVENTS, type GilTaken, GilWaitReader } from './gil-waits.js';

/** For each processor: a tenth of a second of 10,000 times a second that the GIL is taken needs about half a megabyte. */
const BUFFER_KB = 8192;

/** Trace of one process: each time that a thread of it asks for the GIL. */
export interface GilProbe {
  /** Function whose entry and return are the two ends: `take_gil`, else `PyEval_RestoreThread`. */
  readonly symbol: 'take_gil' | 'PyEval_RestoreThread';
  /** The interpreter's own hand-overs are in it, and not only those of code that comes back from a call without the GIL. */
  readonly isWhole: boolean;
  /** What ended since the last call, at a moment of CLOCK_MONOTONIC. */
  readonly read: (nowNs: number) => readonly GilTaken[];
  /** All that is left, once it is off: what has not ended by now, too. */
  readonly rest: (nowNs: number) => readonly GilTaken[];
  /** Events that nobody read in time. */
  readonly lost: () => number;
  /** Off: nothing costs the target anything. */
  readonly turn: (on: boolean) => void;
  /** Leaves nothing in the kernel. */
  readonly close: () => void;
}

interface GilFunctions {
  /** All copies of who takes the GIL. */
  readonly waited: readonly [ProbedFunction, ...ProbedFunction[]];
  /** Who comes back from a call without it: the same one where only that is to be found. */
  readonly caller: ProbedFunction;
}

/** What would be probed, or why nothing can be; nothing is touched. */
export function plannedGilProbe(pid: number): GilFunctions | NoTracing {
  const tracefs = findTracefs();
  if ('because' in tracefs) return tracefs;
  const found = (symbol: string): readonly ProbedFunction[] =>
    findFunctions(pid, [{ file: 'python', symbols: [symbol], copies: true }]);
  const [back] = found('PyEval_RestoreThread');
  const [first = back, ...copies] = found('take_gil');
  if (first === undefined)
    return { because: `process ${pid} has loaded no Python that shows take_gil or PyEval_RestoreThread` };
  return { waited: [first, ...copies], caller: back ?? first };
}

/** Traces how a process takes the GIL, once it is turned on. */
export function openGilProbe({
  pid,
  journal,
}: {
  readonly pid: number;
  readonly journal: Journal;
}): GilProbe | NoTracing {
  const planned = plannedGilProbe(pid);
  if ('because' in planned) return planned;
  const { waited, caller } = planned;
  const [{ symbol }] = waited;
  const isWhole = symbol === 'take_gil';
  const fetched = fetchedOn();
  if (fetched === undefined) return REGISTERS_UNKNOWN;
  const probes: Probe[] = [
    // Where both are one function, whoever comes back asks for it at that moment.
    { kind: 'p', event: GIL_EVENTS.back, where: `${placeText(caller)} ${fetched.caller}` },
    ...waited.flatMap((one, index): Probe[] => [
      { kind: 'p', event: `${GIL_EVENTS.ask}${index}`, where: placeText(one) },
      { kind: 'r', event: `${GIL_EVENTS.have}${index}`, where: placeText(one) },
    ]),
  ];
  const trace = openKernelTrace({
    pid,
    journal,
    probes,
    events: ['sched/sched_switch', 'sched/sched_waking'],
    bufferKb: BUFFER_KB,
    name: symbol,
  });
  if ('because' in trace) return trace;
  const reader = new GilWaitReader();
  const isOwn = threadsOf(pid);
  // Until then it costs nothing.
  trace.turn(false);
  const own = (taken: readonly GilTaken[]): readonly GilTaken[] => taken.filter(({ tid }) => isOwn(tid));
  return {
    symbol: isWhole ? 'take_gil' : 'PyEval_RestoreThread',
    isWhole,
    lost: () => reader.lost,
    turn: trace.turn,
    read: (nowNs) => {
      trace.read((piece) => reader.push(piece));
      return own(reader.taken(nowNs));
    },
    rest: (nowNs) => {
      // It is off, so that there is an end.
      while (trace.read((piece) => reader.push(piece)));
      return own([...reader.taken(), ...reader.unfinished(nowNs)]);
    },
    close: trace.close,
  };
}
