import { asRecord, asText } from '../formats/index.js';
import { asTime } from './trace-events.js';
import type { TraceEvent } from './trace-events.js';

/** All durations of one name in one category. */
export interface SpanKey {
  readonly name: string;
  readonly category: string | undefined;
  readonly durationsUs: number[];
}

/** Durations of one thread, each at the same place of three lists: a million of them are no million objects. */
export interface Track {
  readonly pid: unknown;
  readonly tid: unknown;
  name?: string;
  readonly startUs: number[];
  readonly endUs: number[];
  readonly key: number[];
}

export interface TraceSpans {
  readonly keys: readonly SpanKey[];
  readonly tracks: readonly Track[];
  /** Events of phases that have no duration of their own, by their letter. */
  readonly skipped: ReadonlyMap<string, number>;
  readonly unreadable: number;
  /** Beginnings without an end, but for those that were open when their thread's events ended. */
  readonly unended: number;
  /** Beginnings that were open at the end of their thread's events, and are taken to end there. */
  readonly closedAtEnd: number;
  /** Ends without a beginning. */
  readonly unbegun: number;
}

/** Events `B` and `E` of a thread. An end need not say its name. */
interface Marks {
  readonly us: number[];
  /** The key of a beginning, -1 for an end. */
  readonly key: number[];
  readonly name: (string | undefined)[];
}

/** Whatever of the events has a start and an end: `X`, and pairs of `B` and `E`, nested by process and thread. */
export function spansOf(events: readonly unknown[]): TraceSpans {
  const keys = new Keys();
  const tracks = new Tracks();
  const skipped = new Map<string, number>();
  let unreadable = 0;
  for (const one of events) {
    const event = asRecord(one);
    const phase = asText(event?.['ph']);
    if (event === undefined || phase === undefined) unreadable += 1;
    else if (phase === 'X') unreadable += addComplete(event, keys, tracks);
    else if (phase === 'B' || phase === 'E') unreadable += addMark(event, phase, keys, tracks);
    else if (phase === 'M') tracks.addName(event);
    else skipped.set(phase, (skipped.get(phase) ?? 0) + 1);
  }
  let [unended, unbegun, closedAtEnd] = [0, 0, 0];
  for (const { track, marks } of tracks.all) {
    const lost = pairUp(marks, keys.all, track);
    unended += lost.unended;
    unbegun += lost.unbegun;
    closedAtEnd += lost.closedAtEnd;
  }
  return {
    keys: keys.all,
    tracks: tracks.all.map(({ track }) => track),
    skipped,
    unreadable,
    unended,
    unbegun,
    closedAtEnd,
  };
}

class Keys {
  readonly all: SpanKey[] = [];
  readonly #of = new Map<string | undefined, Map<string, number>>();

  place(event: TraceEvent): number {
    const name = asText(event['name']) ?? '(no name)';
    const category = asText(event['cat']);
    let names = this.#of.get(category);
    if (names === undefined) this.#of.set(category, (names = new Map<string, number>()));
    const known = names.get(name);
    if (known !== undefined) return known;
    const added = this.all.push({ name, category, durationsUs: [] }) - 1;
    names.set(name, added);
    return added;
  }
}

class Tracks {
  readonly all: { readonly track: Track; readonly marks: Marks }[] = [];
  readonly #of = new Map<unknown, Map<unknown, { readonly track: Track; readonly marks: Marks }>>();

  at(event: TraceEvent): { readonly track: Track; readonly marks: Marks } {
    const { pid, tid } = event;
    let threads = this.#of.get(pid);
    if (threads === undefined) this.#of.set(pid, (threads = new Map()));
    const known = threads.get(tid);
    if (known !== undefined) return known;
    const added = {
      track: { pid, tid, startUs: [], endUs: [], key: [] },
      marks: { us: [], key: [], name: [] },
    };
    threads.set(tid, added);
    this.all.push(added);
    return added;
  }

  addName(event: TraceEvent): void {
    const name = asText(asRecord(event['args'])?.['name']);
    if (event['name'] === 'thread_name' && name !== undefined) this.at(event).track.name = name;
  }
}

/** How many events could not be read: none or this one. */
function addComplete(event: TraceEvent, keys: Keys, tracks: Tracks): 0 | 1 {
  const start = asTime(event['ts']);
  const duration = asTime(event['dur']);
  if (start === undefined || duration === undefined || duration < 0) return 1;
  addSpan(tracks.at(event).track, keys.all, keys.place(event), start, start + duration, duration);
  return 0;
}

function addMark(event: TraceEvent, phase: 'B' | 'E', keys: Keys, tracks: Tracks): 0 | 1 {
  const us = asTime(event['ts']);
  if (us === undefined) return 1;
  const { marks } = tracks.at(event);
  marks.us.push(us);
  marks.key.push(phase === 'B' ? keys.place(event) : -1);
  marks.name.push(asText(event['name']));
  return 0;
}

/** The duration is given as it was written: the difference of two large times would round it. */
function addSpan(
  track: Track,
  keys: readonly SpanKey[],
  key: number,
  startUs: number,
  endUs: number,
  durationUs = endUs - startUs,
): void {
  track.startUs.push(startUs);
  track.endUs.push(endUs);
  track.key.push(key);
  keys[key]?.durationsUs.push(durationUs);
}

function pairUp(
  marks: Marks,
  keys: readonly SpanKey[],
  track: Track,
): Pick<TraceSpans, 'unended' | 'unbegun' | 'closedAtEnd'> {
  const open: number[] = [];
  const openOf = new Map<string | undefined, number>();
  /** By mark of a beginning, when it ended. */
  const endUs = new Map<number, number>();
  let [unended, unbegun] = [0, 0];
  const nameAt = (mark: number): string | undefined => keys[marks.key[mark] as number]?.name;
  for (const mark of inOrder(marks.us)) {
    const name = marks.name[mark];
    if ((marks.key[mark] as number) >= 0) {
      open.push(mark);
      openOf.set(nameAt(mark), (openOf.get(nameAt(mark)) ?? 0) + 1);
      continue;
    }
    // An end that says a name ends the innermost of that name; what is open above that one lost its own end.
    if (open.length === 0 || (name !== undefined && (openOf.get(name) ?? 0) === 0)) {
      unbegun += 1;
      continue;
    }
    for (let begin = open.pop(); begin !== undefined; begin = open.pop()) {
      const began = nameAt(begin);
      openOf.set(began, (openOf.get(began) ?? 1) - 1);
      if (name === undefined || began === name) {
        endUs.set(begin, marks.us[mark] as number);
        break;
      }
      unended += 1;
    }
  }
  // What was still open when the program ended is there until the last that its thread said; one that began then has no length.
  const lastUs = latest(marks.us, latest(track.endUs, Number.NEGATIVE_INFINITY));
  const left = open.filter((begin) => (marks.us[begin] as number) < lastUs);
  for (const begin of left) endUs.set(begin, lastUs);
  // In the order in which they began: of two that start and end together the first is around the other.
  for (const begin of inOrder(marks.us)) {
    const end = endUs.get(begin);
    if (end !== undefined) addSpan(track, keys, marks.key[begin] as number, marks.us[begin] as number, end);
  }
  return { unended: unended + open.length - left.length, unbegun, closedAtEnd: left.length };
}

function latest(us: readonly number[], than: number): number {
  return us.reduce((most, time) => Math.max(most, time), than);
}

/** Places of times from the earliest; those of one moment stay as they stood. Most files are in order already. */
function inOrder(us: readonly number[]): Iterable<number> {
  if (us.every((time, at) => at === 0 || (us[at - 1] as number) <= time)) return us.keys();
  return Uint32Array.from(us.keys()).sort((a, b) => (us[a] as number) - (us[b] as number));
}
