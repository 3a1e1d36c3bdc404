import { type ProgramSpan, isStep } from './program-span.js';

/** Spans that lie inside each other or beside each other, so that one row can draw them. */
export interface SpanTrack {
  readonly tid: number;
  readonly title: 'steps' | 'spans';
  /** In order of their beginnings, outer ones first. */
  readonly spans: readonly ProgramSpan[];
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
  return keys.flatMap((key) => {
    const own = rows.get(key) ?? [];
    const [first] = own;
    if (first === undefined) return [];
    const title = key.split(' ')[1] === 'steps' ? ('steps' as const) : ('spans' as const);
    return nestedIn(own).map((nested) => ({ tid: first.tid, title, spans: nested }));
  });
}

function outerFirst(a: ProgramSpan, b: ProgramSpan): number {
  return a.startNs - b.startNs || b.endNs - a.endNs || rank(a) - rank(b);
}

/** A step that is one phase is around it. */
function rank({ kind }: ProgramSpan): number {
  return kind === 'phase' ? 1 : 0;
}

/** Each goes to the first row on which it lies inside what is open there. */
function nestedIn(spans: readonly ProgramSpan[]): readonly (readonly ProgramSpan[])[] {
  const rows: { readonly spans: ProgramSpan[]; readonly open: ProgramSpan[] }[] = [];
  for (const span of spans) {
    const fits = ({ open }: (typeof rows)[number]): boolean => {
      while (open.length > 0 && (open.at(-1)?.endNs ?? 0) <= span.startNs) open.pop();
      return (open.at(-1)?.endNs ?? Infinity) >= span.endNs;
    };
    let row = rows.find(fits);
    if (row === undefined) {
      row = { spans: [], open: [] };
      rows.push(row);
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
