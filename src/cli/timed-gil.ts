import type { Finding, Thread } from '../model/index.js';
import { eachGilStamp } from '../recording/index.js';
import {
  type Breakdown,
  callerName,
  cleanText,
  count,
  type ThreadAnswer,
  threadLabel,
  type TimedGil,
  timedGilFinding,
} from '../report/index.js';
import { GilTally } from '../stats/index.js';
import type { Loaded } from './source.js';

/** The waits of a recording as the kernel timed them. */
export interface TimedWaits {
  /** Of any thread; undefined where nothing was timed. */
  readonly of: (thread: Thread, estimate: Pick<ThreadAnswer['estimate'], 'rows'>) => TimedGil | undefined;
  readonly findings: readonly Finding[];
}

/** Nothing where nothing was timed, only a part of the window is looked at, or the file of it is gone: the finding `gil-unreadable` then. */
export async function timedWaits({ recording, folder }: Loaded): Promise<TimedWaits> {
  const gil = recording?.gil;
  const windows = (recording?.slices ?? [])
    .map(({ startNs, endNs }) => [Number(startNs), Number(endNs)] as const)
    .filter(([from, to]) => to > from);
  if (gil === undefined || folder === undefined || windows.length === 0) return NOTHING_TIMED;
  if (gil.tooOftenPerS !== undefined) return { ...NOTHING_TIMED, findings: [tooOften(gil.tooOftenPerS)] };
  const tally = new GilTally(windows);
  let unread = 0;
  try {
    await eachGilStamp(folder, (stamp) => {
      if (stamp === undefined) unread += 1;
      else tally.add(stamp);
    });
  } catch {
    return { ...NOTHING_TIMED, findings: [unreadable(folder)] };
  }
  const broken = unread + tally.impossible;
  if (broken > 0) return { ...NOTHING_TIMED, findings: [damaged(folder, broken)] };
  return {
    findings: gil.lost === undefined ? [] : [traceLost(gil.lost)],
    of: ({ tid }, { rows }) => {
      if (tid === undefined) return undefined;
      const { callers, ...exact } = tally.of(tid);
      const sampled = rows.find(({ bucket }) => bucket === 'gil-wait');
      return {
        ...exact,
        symbol: gil.symbol,
        isWhole: gil.isWhole,
        callers: named(callers, (caller) => callerName(gil.callers[caller])),
        ...(sampled === undefined ? {} : { sampled }),
        lost: gil.lost ?? 0,
      };
    },
  };
}

export const NOTHING_TIMED: TimedWaits = { of: () => undefined, findings: [] };

/** What was timed of the thread that is answered for first, as a finding. */
export async function timedGilFindings(
  loaded: Loaded,
  { threads }: Pick<Breakdown, 'threads'>,
): Promise<readonly Finding[]> {
  const { of, findings } = await timedWaits(loaded);
  const [first] = threads;
  const timed = first === undefined ? undefined : of(first.thread, first.estimate);
  // What is not all is held against nothing.
  if (first === undefined || timed === undefined || timed.lost > 0) return findings;
  return [...findings, timedGilFinding(timed, threadLabel(first.thread))];
}

/** Two addresses of one function are one. */
function named<Row extends { readonly caller: number; readonly share: number }>(
  rows: readonly Row[],
  nameOf: (caller: number) => string,
): TimedGil['callers'] {
  const shares = new Map<string, number>();
  for (const { caller, share } of rows) {
    const name = nameOf(caller);
    shares.set(name, (shares.get(name) ?? 0) + share);
  }
  return [...shares].map(([name, share]) => ({ name, share })).sort((a, b) => b.share - a.share);
}

function tooOften(perS: number): Finding {
  return {
    level: 'warning',
    id: 'gil-taken-too-often',
    what: `The threads of the process take the GIL ${count(Math.round(perS))} times a second: the probe that times each was taken off.`,
    why: 'Each time costs the thread some microseconds, so the program was slower until then, and its first half second is another one.',
    fix: 'profiler attach --pid PID  (without --exact-gil)',
  };
}

function damaged(folder: string, lines: number): Finding {
  return {
    level: 'warning',
    id: 'gil-unreadable',
    what: `How the threads of ${cleanText(folder)} took the GIL was timed, and ${count(lines)} lines of it cannot be: nothing of it is told.`,
    why: 'The file was damaged or changed since it was written.',
  };
}

function traceLost(lost: number): Finding {
  return {
    level: 'warning',
    id: 'gil-trace-lost',
    what: `Of how threads took the GIL ${count(lost)} events were lost: what was timed is less than all, and not held against the samples.`,
    why: 'The GIL changes hands faster than it was read, or nobody had a CPU to read it.',
    fix: 'profiler attach --exact-gil -d 5',
  };
}

function unreadable(folder: string): Finding {
  return {
    level: 'warning',
    id: 'gil-unreadable',
    what: `How the threads of ${cleanText(folder)} took the GIL was timed, and cannot be read.`,
    why: 'The recording says that it has a file of it, and it is gone, too large, or not ours to read.',
  };
}

/** An answer with what is to be said of its timed waits. */
export async function withTimedGil<Answer extends Breakdown>(loaded: Loaded, found: Answer): Promise<Answer> {
  return { ...found, findings: [...found.findings, ...(await timedGilFindings(loaded, found))] };
}
