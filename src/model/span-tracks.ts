import { type ProgramSpan, isStep } from './program-span.js';

/** Spans that lie inside each other or beside each other, so that one row can draw them. */
export interface SpanTrack {
  readonly tid: number;
  readonly title: 'steps' | 'spans';
  /** In order of their beginnings, outer ones first. */
  readonly spans: readonly ProgramSpan[];
  /** On the last track of a thread: how many of its spans have no room on any. */
  readonly leftOut: number;
}

/** More rows of one thread nobody reads, and no viewer draws. */
const MOST_ROWS = 64;
/** Perfetto drops what is nested deeper than 255. */
const MOST_DEPTH = 250;

/** What is left for the rows of one thread. */
interface Room {
  rows: number;
  leftOut: number;
}

/** Tracks for what a program measured, thread by thread: steps and their phases, then spans. What overlaps gets a track more. */
export function spanTracks(spans: readonly ProgramSpan[]): readonly SpanTrack[] {
  const rows = new Map<string, ProgramSpan[]>();
  for (const span of spans.toSorted(outerFirst)) {
    const title = isStep(span) || span.kind === 'phase' ? 'steps' : 'spans';
    const key = `${span.tid} ${title} ${span.row}`;
    const known = rows.get(key);
    if (known === undefined) rows.set(key, [span]);
    else known.push(span);
  }
  const keys = [...rows.keys()].toSorted((a, b) => (a < b ? 1 : -1));
  const rooms = new Map<string, Room>();
  const roomOf = (key: string): Room => {
    const thread = key.slice(0, key.lastIndexOf(' '));
    const room = rooms.get(thread) ?? { rows: MOST_ROWS, leftOut: 0 };
    rooms.set(thread, room);
    return room;
  };
  // Lanes are drawn from the last to the first, and the first have the outermost steps: they get their rows before the others.
  const nested = new Map(keys.toReversed().map((key) => [key, nestedIn(rows.get(key) ?? [], roomOf(key))]));
  return keys.flatMap((key, at) => {
    const tracks = nested.get(key) ?? [];
    const [tid, title] = key.split(' ') as [string, SpanTrack['title']];
    const next = keys[at + 1];
    const isLast = next === undefined || roomOf(next) !== roomOf(key);
    return tracks.map((own, row) => ({
      tid: Number(tid),
      title,
      spans: own,
      leftOut: isLast && row === tracks.length - 1 ? roomOf(key).leftOut : 0,
    }));
  });
}

/** `steps`; `steps (12 more have no room)`. */
export function trackTitle({ title, leftOut }: Pick<SpanTrack, 'title' | 'leftOut'>): string {
  return leftOut === 0 ? title : `${title} (${leftOut.toLocaleString('en')} more have no room)`;
}

function outerFirst(a: ProgramSpan, b: ProgramSpan): number {
  return a.startNs - b.startNs || b.endNs - a.endNs || rank(a) - rank(b);
}

/** A step that is one phase is around it. */
function rank({ kind }: ProgramSpan): number {
  return kind === 'phase' ? 1 : 0;
}

/** Each goes to the first row on which it lies inside what is open there. */
function nestedIn(spans: readonly ProgramSpan[], room: Room): readonly (readonly ProgramSpan[])[] {
  const rows: { readonly spans: ProgramSpan[]; readonly open: ProgramSpan[] }[] = [];
  for (const span of spans) {
    const fits = ({ open }: (typeof rows)[number]): boolean => {
      while (open.length > 0 && (open.at(-1)?.endNs ?? 0) <= span.startNs) open.pop();
      return (open.at(-1)?.endNs ?? Infinity) >= span.endNs;
    };
    let row = rows.find(fits);
    if (row === undefined && room.rows > 0) {
      row = { spans: [], open: [] };
      rows.push(row);
      room.rows -= 1;
    }
    if (row === undefined || row.open.length === MOST_DEPTH) {
      room.leftOut += 1;
      continue;
    }
    row.spans.push(span);
    row.open.push(span);
  }
  return rows.map((row) => row.spans);
}

/** Beginnings and ends on a track, in order of time and well nested. What began before the window begins with it; what ended before is left out. */
export function* trackEvents({ spans }: SpanTrack): Generator<{
  readonly type: 'begin' | 'end';
  readonly span: ProgramSpan;
  readonly ns: number;
}> {
  const open: ProgramSpan[] = [];
  function* closed(ns: number): ReturnType<typeof trackEvents> {
    for (let inner = open.at(-1); inner !== undefined && inner.endNs <= ns; inner = open.at(-1)) {
      open.pop();
      yield { type: 'end', span: inner, ns: inner.endNs };
    }
  }
  for (const span of spans) {
    if (span.endNs <= 0) continue;
    yield* closed(span.startNs);
    open.push(span);
    yield { type: 'begin', span, ns: Math.max(0, span.startNs) };
  }
  yield* closed(Infinity);
}
