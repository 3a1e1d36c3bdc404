import type { Finding, Thread } from '../model/index.js';
import { type GilStamp, readGilStamps } from '../recording/index.js';
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
import { exactGil } from '../stats/index.js';
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
  const windows = (recording?.slices ?? []).map(
    ({ startNs, endNs }) => [Number(startNs), Number(endNs)] as const,
  );
  if (gil === undefined || folder === undefined || windows.length === 0) return NOTHING_TIMED;
  if (gil.tooOftenPerS !== undefined) return { ...NOTHING_TIMED, findings: [tooOften(gil.tooOftenPerS)] };
  let stamps: readonly GilStamp[];
  try {
    stamps = await readGilStamps(folder);
  } catch {
    return { ...NOTHING_TIMED, findings: [unreadable(folder)] };
  }
  const byThread = new Map<number, GilStamp[]>();
  for (const stamp of stamps) {
    const known = byThread.get(stamp.tid);
    if (known === undefined) byThread.set(stamp.tid, [stamp]);
    else known.push(stamp);
  }
  return {
    findings: [],
    of: ({ tid }, { rows }) => {
      if (tid === undefined) return undefined;
      const { callers, ...exact } = exactGil(byThread.get(tid) ?? [], windows);
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
  if (first === undefined || timed === undefined) return findings;
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

function unreadable(folder: string): Finding {
  return {
    level: 'warning',
    id: 'gil-unreadable',
    what: `How the threads of ${cleanText(folder)} took the GIL was timed, and cannot be read.`,
    why: 'The recording says that it has a file of it, and it is gone, too large, or not ours to read.',
  };
}
