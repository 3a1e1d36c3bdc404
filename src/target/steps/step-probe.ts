import { appendFileSync, closeSync, constants, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, errorReason } from '../../model/index.js';
import type { Journal, Trace } from '../journal/journal.js';
import { PROC, listIds } from '../proc/file.js';
import { readStatus } from '../proc/status.js';
import { type StepFunction, type WantedSteps, findStepFunctions } from './step-function.js';
import { HitReader, type StepHit } from './step-hits.js';
import { deadGroups, findTracefs, newGroup, probeLine, removeGroup } from './tracefs.js';

/** What one hit takes of the stepping thread: 1.5 to 4 µs, as measured on a virtual machine whose second core was reading the trace. */
export const HIT_COST_S = 4e-6;

const BUFFER_KB = 4096;
const PIECE_BYTES = 1 << 20;

/** A probe on the step functions of one process: the kernel writes down every entry, of its threads alone. */
export interface StepProbe {
  readonly functions: readonly StepFunction[];
  /** Entries since the last call, as far as they were written down by now. */
  readonly read: () => readonly StepHit[];
  /** Entries that nobody read in time. */
  readonly lost: () => number;
  /** Off: the function is as it was, and costs nothing. */
  readonly turn: (on: boolean) => void;
  /** Leaves nothing in the kernel. */
  readonly close: () => void;
}

/** The function that would be probed, where one can be; nothing is touched. */
export function plannedStepProbe(pid: number, steps: readonly WantedSteps[]): StepFunction | undefined {
  return 'because' in findTracefs() ? undefined : findStepFunctions(pid, steps)[0];
}

export interface StepProbeOptions {
  readonly pid: number;
  readonly journal: Journal;
  /** What makes a step, the likeliest first. */
  readonly steps: readonly WantedSteps[];
}

/**
 * Puts probes on the step functions of a process, through tracefs: an instance of our own, so that nobody else's tracing is touched. It is
 * on at once. A string says why that cannot be done. Other processes that run the same file pay for their entries too, and are not written down.
 */
export function openStepProbe({ pid, journal, steps }: StepProbeOptions): StepProbe | string {
  const found = findTracefs();
  if ('because' in found) return found.because;
  const functions = findStepFunctions(pid, steps);
  if (functions.length === 0)
    return `process ${pid} has loaded no file that shows ${steps.map(({ symbols }) => symbols[0]).join(' or ')}`;
  const group = newGroup();
  const lines = functions.map(({ mapped, offset }, index) => probeLine(group, `e${index}`, mapped, offset));
  if (lines.includes(undefined)) return 'the registers of this kind of machine are not known';
  const trace: Trace = { kind: 'uprobe', group };
  journal.add(trace);
  if (journal.failed() !== undefined) {
    journal.remove(trace);
    return `what is put into the kernel could not be written down first (${journal.failed() ?? 'the disk'})`;
  }
  const remove = (): void => {
    removeGroup(found.path, group);
    journal.remove(trace);
  };
  try {
    // What a profiler that was killed has left costs every program that runs the same file.
    for (const dead of deadGroups(found.path)) removeGroup(found.path, dead);
    return start(found.path, group, lines.join('\n'), { pid, functions, remove });
  } catch (error) {
    remove();
    return `the kernel refused a probe on ${functions[0]?.symbol} (${errorReason(error)})`;
  }
}

interface Started {
  readonly pid: number;
  readonly functions: readonly StepFunction[];
  readonly remove: () => void;
}

function start(
  tracefs: string,
  group: string,
  lines: string,
  { pid, functions, remove }: Started,
): StepProbe {
  appendFileSync(join(tracefs, 'uprobe_events'), `${lines}\n`);
  const instance = join(tracefs, 'instances', group);
  mkdirSync(instance);
  const set = (file: string, text: string): void => writeFileSync(join(instance, file), text);
  set('trace_clock', 'mono');
  set('buffer_size_kb', String(BUFFER_KB));
  const threads = (): string => listIds(PROC, String(pid), 'task').join(' ');
  set('set_event_pid', threads());
  // Threads that come later, too; and those that came while this was being set.
  set('options/event-fork', '1');
  appendFileSync(join(instance, 'set_event_pid'), threads());
  const turn = (on: boolean): void => {
    for (const index of functions.keys()) set(`events/${group}/e${index}/enable`, on ? '1' : '0');
  };
  turn(true);
  const file = openSync(join(instance, 'trace_pipe'), constants.O_RDONLY | constants.O_NONBLOCK);
  const reader = new HitReader();
  const owners = new Map<number, boolean>();
  const isOwn = (tid: number): boolean => {
    const known = owners.get(tid) ?? belongsTo(pid, tid);
    owners.set(tid, known);
    return known;
  };
  const piece = Buffer.alloc(PIECE_BYTES);
  return {
    functions,
    lost: () => reader.lost,
    turn,
    read: () => {
      const hits: StepHit[] = [];
      for (let got = readPiece(file, piece); got > 0; got = readPiece(file, piece))
        for (const hit of reader.push(piece.toString('latin1', 0, got))) if (isOwn(hit.tid)) hits.push(hit);
      return hits;
    },
    close: () => {
      closeSync(file);
      remove();
    },
  };
}

/** Whether a thread is one of the process; of one that has ended by now nobody can tell, and most are. A child that was forked meanwhile is none. */
function belongsTo(pid: number, tid: number): boolean {
  const tgid = readStatus(tid)?.tgid;
  return tgid === undefined || tgid === pid;
}

/** Bytes read; 0 where nothing is there at the moment. */
function readPiece(file: number, piece: Buffer): number {
  try {
    return readSync(file, piece, 0, piece.length, null);
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return 0;
    throw error;
  }
}
