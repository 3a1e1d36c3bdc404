import { type Profile, firstRows, stackOrder } from '../model/index.js';
import type { Claim } from '../rules/index.js';
import type { Interval, LeafCounts } from '../stats/index.js';
import type { Hot, HotBy, HotRow } from './answer.js';
import { callerPlaces } from './caller.js';
import { threadName } from './names.js';
import { type Place, placeOf } from './place.js';
import { type Pooled, compareText, leavesOf, stackFrames, waitingOf } from './selection.js';

/** What samples are worth, so that `hot` and `buckets` give the same stack the same share. */
export interface Worth {
  /** Kind of a stack's leaf: it decides which part of the thread's time its samples split, unless they know their states. */
  readonly leafOf: (stack: number) => keyof LeafCounts;
  /** Share of the thread's wall time (or samples), with its 95 % interval. */
  readonly shareOf: (thread: number, counts: LeafCounts) => Pick<Interval, 'share'> & Partial<Interval>;
  /**
   * Whether shares of different threads compare, and rows are in their order: samples in a wait weigh nothing there, so more samples need
   * not be more time. Absent: rows are in the order of their samples.
   */
  readonly ranks?: true;
}

export interface HotQuery {
  readonly profile: Profile;
  readonly by: HotBy;
  /** Most rows to give; absent: all. */
  readonly top?: number;
  /** Thread whose rows come first, or -1. */
  readonly physics: number;
  readonly claimOf: (stack: number) => Claim;
  readonly worth: Worth;
}

export interface HotRows {
  readonly rows: readonly HotRow[];
  readonly more: Hot['more'];
}

/** The hottest rows of what was selected; ties are in the order of their text, whatever the order of the input. */
export function hotRows(query: HotQuery, pooled: readonly Pooled[]): HotRows {
  return query.by === 'stack' ? stackRows(query, pooled) : placeRows(query, pooled);
}

function stackRows(query: HotQuery, pooled: readonly Pooled[]): HotRows {
  const { profile, physics, worth } = query;
  const group = (entry: Pooled): number => (entry.thread === physics ? 0 : 1);
  const compareStacks = stackOrder(profile);
  const shares = new Map(
    worth.ranks === undefined
      ? []
      : pooled.map((entry) => [entry, worth.shareOf(entry.thread, leavesOf(entry, worth.leafOf)).share]),
  );
  const shareOf = (entry: Pooled): number => shares.get(entry) ?? 0;
  const shown = firstRows(
    pooled,
    query.top ?? pooled.length,
    (a, b) =>
      group(a) - group(b) ||
      shareOf(b) - shareOf(a) ||
      b.weight - a.weight ||
      compareStacks(a.stack, b.stack) ||
      compareText(threadKey(profile, a.thread), threadKey(profile, b.thread)),
  );
  const rows = shown.map((entry): HotRow => {
    const stack = stackFrames(profile, entry.stack);
    const claim = query.claimOf(entry.stack);
    const counts = leavesOf(entry, worth.leafOf);
    return {
      stack,
      ...threadField(profile, entry.thread),
      bucket: claim.bucket,
      ...(claim.kind === undefined ? {} : { kind: claim.kind }),
      ...(claim.label === undefined ? {} : { label: claim.label }),
      weight: entry.weight,
      ...waitingField('waiting', waitingOf(entry)),
      ...worth.shareOf(entry.thread, counts),
    };
  });
  return {
    rows,
    more: {
      rows: pooled.length - shown.length,
      weight: weightIn(pooled) - weightIn(shown),
      ...waitingField('waiting', waitingIn(pooled) - waitingIn(shown)),
    },
  };
}

function weightIn(entries: readonly Pooled[]): number {
  return entries.reduce((sum, { weight }) => sum + weight, 0);
}

function waitingIn(entries: readonly Pooled[]): number {
  return entries.reduce((sum, entry) => sum + waitingOf(entry), 0);
}

/** Left out where nothing waits. */
function waitingField<Name extends 'waiting' | 'totalWaiting'>(
  name: Name,
  waiting: number,
): Partial<Record<Name, number>> {
  const field: Partial<Record<Name, number>> = {};
  if (waiting > 0) field[name] = waiting;
  return field;
}

function threadKey(profile: Profile, index: number): string {
  const thread = profile.threads[index];
  return thread === undefined ? '' : `${threadName(thread)}\n${thread.tid ?? ''}`;
}

/** A source without threads has one that is neither named nor numbered: it is not a column. */
export function threadField(profile: Profile, index: number): Pick<HotRow, 'thread'> {
  const thread = profile.threads[index];
  const known =
    thread !== undefined &&
    (thread.tid !== undefined || thread.name !== undefined || thread.pid !== undefined);
  return known ? { thread } : {};
}

type Counts = { -readonly [Kind in keyof LeafCounts]: number };

const NONE: LeafCounts = { work: 0, sleep: 0, wait: 0, gil: 0 };

function add(to: Counts, { work, sleep, wait, gil }: LeafCounts): void {
  to.work += work;
  to.sleep += sleep;
  to.wait += wait;
  to.gil += gil;
}

interface Sum {
  readonly thread: number;
  readonly place: Place;
  self: number;
  total: number;
  readonly selfCounts: Counts;
  readonly totalCounts: Counts;
  selfWaiting: number;
  totalWaiting: number;
  readonly lines: Map<number, { self: number; waiting: number }>;
}

function placeRows(query: HotQuery, pooled: readonly Pooled[]): HotRows {
  const { profile, worth } = query;
  const sums = query.by === 'caller' ? callerSums(query, pooled) : frameSums(query, pooled);
  const self = query.by === 'leaf';
  const rows = [...sums.values()].filter((sum) => !self || sum.self > 0);
  const shares = new Map(worth.ranks === undefined ? [] : rows.map((sum) => [sum, sharesOf(sum, worth)]));
  const byShare = (a: Sum, b: Sum): number => {
    const [mine, theirs] = [shares.get(a), shares.get(b)];
    if (mine === undefined || theirs === undefined) return 0;
    return theirs.self - mine.self || theirs.total - mine.total;
  };
  const groupOf = (sum: Sum): number => (sum.thread === query.physics ? 0 : 1);
  rows.sort(
    (a, b) =>
      groupOf(a) - groupOf(b) ||
      byShare(a, b) ||
      b.self - a.self ||
      b.total - a.total ||
      compareText(a.place.key, b.place.key) ||
      compareText(threadKey(profile, a.thread), threadKey(profile, b.thread)),
  );
  const shown = rows.slice(0, query.top ?? rows.length);
  const rowOf = (sum: Sum): HotRow => {
    const lines = [...sum.lines]
      .map(([line, { self: own, waiting }]) => ({ line, self: own, waiting }))
      .sort((a, b) => b.self - b.waiting - a.self + a.waiting || b.self - a.self || a.line - b.line)
      .map(({ line, self: own, waiting }) => ({ line, self: own, ...waitingField('waiting', waiting) }));
    return {
      ...sum.place.row,
      ...threadField(profile, sum.thread),
      self: sum.self,
      ...waitingField('waiting', sum.selfWaiting),
      total: sum.total,
      ...waitingField('totalWaiting', sum.totalWaiting),
      ...worth.shareOf(sum.thread, sum.selfCounts),
      totalShare: worth.shareOf(sum.thread, sum.totalCounts).share,
      ...(query.by === 'function' && lines.length > 0 ? { lines } : {}),
    };
  };
  const left = rows.slice(shown.length);
  return {
    rows: shown.map(rowOf),
    more: {
      rows: left.length,
      weight: left.reduce((sum, row) => sum + row.self, 0),
      ...waitingField(
        'waiting',
        left.reduce((sum, row) => sum + row.selfWaiting, 0),
      ),
    },
  };
}

function sharesOf(
  { thread, selfCounts, totalCounts }: Sum,
  worth: Worth,
): { readonly self: number; readonly total: number } {
  return {
    self: worth.shareOf(thread, selfCounts).share,
    total: worth.shareOf(thread, totalCounts).share,
  };
}

function sumAt(sums: Map<string, Sum>, thread: number, place: Place): Sum {
  const key = `${thread}\n${place.key}`;
  const known = sums.get(key);
  if (known !== undefined) return known;
  const made: Sum = {
    thread,
    place,
    self: 0,
    total: 0,
    selfCounts: { ...NONE },
    totalCounts: { ...NONE },
    selfWaiting: 0,
    totalWaiting: 0,
    lines: new Map(),
  };
  sums.set(key, made);
  return made;
}

/** Self and total weight by place. A sample counts once per place, however often its stack passes there. */
function frameSums(query: HotQuery, pooled: readonly Pooled[]): Map<string, Sum> {
  const { profile, worth } = query;
  const { parent, frame } = profile.stacks;
  const places = new Map<string, number>();
  const byNumber: Place[] = [];
  const numberOf = Int32Array.from(profile.frames, (one) => {
    const place = placeOf(one, query.by);
    const known = places.get(place.key);
    if (known !== undefined) return known;
    places.set(place.key, byNumber.length);
    byNumber.push(place);
    return byNumber.length - 1;
  });
  const sums = new Map<string, Sum>();
  const lastSeen = new Int32Array(byNumber.length).fill(-1);
  let perThread: (Sum | undefined)[] = [];
  let thread = -1;
  pooled.forEach((entry, stamp) => {
    if (entry.thread !== thread) {
      thread = entry.thread;
      perThread = [];
    }
    const counts = leavesOf(entry, worth.leafOf);
    const waiting = waitingOf(entry);
    let leaf = true;
    for (let row = entry.stack; row >= 0; row = parent[row] ?? -1) {
      const frameIndex = frame[row] ?? 0;
      const number = numberOf[frameIndex] ?? 0;
      const place = byNumber[number];
      if (place === undefined) continue;
      const sum = (perThread[number] ??= sumAt(sums, thread, place));
      if (leaf) {
        sum.self += entry.weight;
        sum.selfWaiting += waiting;
        add(sum.selfCounts, counts);
        const line = profile.frames[frameIndex]?.line;
        if (line !== undefined) {
          const known = sum.lines.get(line) ?? { self: 0, waiting: 0 };
          known.self += entry.weight;
          known.waiting += waiting;
          sum.lines.set(line, known);
        }
        leaf = false;
      }
      if (lastSeen[number] === stamp) continue;
      lastSeen[number] = stamp;
      sum.total += entry.weight;
      sum.totalWaiting += waiting;
      add(sum.totalCounts, counts);
    }
  });
  return sums;
}

/** Who asked for it: the label that the rules give, else the nearest frame outwards that its bucket does not claim itself. */
function callerSums(query: HotQuery, pooled: readonly Pooled[]): Map<string, Sum> {
  const sums = new Map<string, Sum>();
  const places = callerPlaces(query.profile, query.claimOf, pooled);
  for (const [index, entry] of pooled.entries()) {
    const place = places[index];
    if (place === undefined) continue;
    const sum = sumAt(sums, entry.thread, place);
    const counts = leavesOf(entry, query.worth.leafOf);
    sum.self += entry.weight;
    sum.total += entry.weight;
    sum.selfWaiting += waitingOf(entry);
    sum.totalWaiting += waitingOf(entry);
    add(sum.selfCounts, counts);
    add(sum.totalCounts, counts);
  }
  return sums;
}
