import { appendFileSync, closeSync, constants, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, errorReason } from '../../model/index.js';
import type { Journal, Trace } from '../journal/journal.js';
import { PROC, listIds } from '../proc/file.js';
import { readStatus } from '../proc/status.js';
import { type NoTracing, deadGroups, findTracefs, newGroup, removeGroup } from './tracefs.js';

const PIECE_BYTES = 1 << 20;
/** What is written faster than it can be read would never end: the rest is left for the next time, or lost and counted. The kernel hands out a page at a time. */
const MOST_PIECES = 4096;

/** What the kernel writes down of one process, on from the start. */
export interface KernelTrace {
  /** Hands over what was written down since the last call, piece by piece, as text of single bytes. Of very much only the first part: true then. */
  readonly read: (use: (piece: string) => void) => boolean;
  /** Off: the probed functions are as they were, and cost nothing. */
  readonly turn: (on: boolean) => void;
  /** Leaves nothing in the kernel. */
  readonly close: () => void;
}

/** A probe as `uprobe_events` takes it, but for its name: `p:GROUP/EVENT` goes before `where`. */
export interface Probe {
  /** `p` at the entry, `r` at the return of a function. */
  readonly kind: 'p' | 'r';
  readonly event: string;
  readonly where: string;
}

export interface TraceOptions {
  readonly pid: number;
  readonly journal: Journal;
  readonly probes: readonly Probe[];
  /** Events of the kernel's own, as folders of `events`: `sched/sched_switch`. */
  readonly events?: readonly string[];
  readonly bufferKb: number;
  /** What is probed, for who is refused. */
  readonly name: string;
}

/**
 * Puts probes into a process through tracefs: an instance of our own, so that nobody else's tracing is touched, and of the target's threads alone.
 * Written down before it is made. Other processes that run the same file pay for their entries too, and are
 * not written down.
 */
export function openKernelTrace(options: TraceOptions): KernelTrace | NoTracing {
  const found = findTracefs();
  if ('because' in found) return found;
  const { journal } = options;
  const group = newGroup();
  const trace: Trace = { kind: 'uprobe', group };
  journal.add(trace);
  const failed = journal.failed();
  if (failed !== undefined) {
    journal.remove(trace);
    return { because: `what is put into the kernel could not be written down first (${failed})` };
  }
  const remove = (): void => {
    removeGroup(found.path, group);
    journal.remove(trace);
  };
  sweep(found.path);
  try {
    return start(found.path, group, options, remove);
  } catch (error) {
    remove();
    return { because: `the kernel refused a probe on ${options.name} (${errorReason(error)})` };
  }
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // Nothing of ours depends on it.
  }
}

/** What a profiler that was killed has left costs every program that runs the same file. Another one may be at it, or somebody read it still: then it stays for `cleanup`. */
function sweep(tracefs: string): void {
  quietly(() => {
    for (const dead of deadGroups(tracefs)) quietly(() => removeGroup(tracefs, dead));
  });
}

function start(
  tracefs: string,
  group: string,
  { pid, probes, events = [], bufferKb }: TraceOptions,
  remove: () => void,
): KernelTrace {
  const lines = probes.map(({ kind, event, where }) => `${kind}:${group}/${event} ${where}\n`);
  appendFileSync(join(tracefs, 'uprobe_events'), lines.join(''));
  const instance = join(tracefs, 'instances', group);
  mkdirSync(instance);
  const set = (file: string, text: string): void => writeFileSync(join(instance, file), text);
  set('trace_clock', 'mono');
  set('buffer_size_kb', String(bufferKb));
  const threads = (): string => listIds(PROC, String(pid), 'task').join(' ');
  set('set_event_pid', threads());
  // Threads that come later, too; and those that came while this was being set.
  set('options/event-fork', '1');
  appendFileSync(join(instance, 'set_event_pid'), threads());
  const own = [...probes.map(({ event }) => `${group}/${event}`), ...events];
  const turn = (on: boolean): void => {
    for (const event of own) set(`events/${event}/enable`, on ? '1' : '0');
  };
  turn(true);
  const file = openSync(join(instance, 'trace_pipe'), constants.O_RDONLY | constants.O_NONBLOCK);
  const piece = Buffer.alloc(PIECE_BYTES);
  return {
    turn,
    read: (use) => {
      for (let pieces = 0; pieces < MOST_PIECES; pieces += 1) {
        const got = readPiece(file, piece);
        if (got === 0) return false;
        use(piece.toString('latin1', 0, got));
      }
      return true;
    },
    close: () => {
      closeSync(file);
      remove();
    },
  };
}

/** Tells threads of a process from others, by their numbers. Of one that has ended by now nobody can tell, and most are. A child that was forked meanwhile is none. */
export function threadsOf(pid: number): (tid: number) => boolean {
  const owners = new Map<number, boolean>();
  return (tid) => {
    const known = owners.get(tid) ?? belongsTo(pid, tid);
    owners.set(tid, known);
    return known;
  };
}

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
