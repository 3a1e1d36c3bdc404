import { readFile, stat } from 'node:fs/promises';
import type { Finding, ProgramSpan } from '../model/index.js';
import type { Recording, Slice } from './recording.js';
import { timeOrigin } from './time-origin.js';
import {
  type SpanSource,
  type StepSource,
  spanPairs,
  telemetryPair,
  telemetrySources,
} from './telemetry-text.js';

/** What a program measured of itself while it was sampled. */
export interface ProgramSpans {
  /** In order of their beginnings. */
  readonly spans: readonly ProgramSpan[];
  readonly findings: readonly Finding[];
}

/** Longer, and no string can hold it. */
const MOST_BYTES = 500e6;
/** A clock that differs from the system's by more after a slice than before it is another one. */
const CLOCK_DOUBT_NS = 2e6;
/** A thread is asked when its slice is over, and some have to wait for others. */
const NEAR_NS = 60e9;
/** What a telemetry files its frames under. */
const FRAME = 'Frame_Total';
const LONGEST_NAME = 200;
const LONGEST_LISTED = 40;
/** Of all slices: more take long to read, and no viewer draws them. */
const MOST_SPANS = 1_000_000;
/** A step that runs is told of a little after the clock was read; what ends later than that is no span. */
const LATER_MS = 5000;

/** @param inside finds a file of the folder, and rejects for what lies outside of it. */
export async function readProgramSpans(
  { slices }: Recording,
  inside: (file: string) => Promise<string>,
): Promise<ProgramSpans> {
  const reader = new SpanReader(timeOrigin({ slices }));
  for (const slice of slices)
    for (const { tid, telemetry } of slice.threads ?? []) {
      if (telemetry === undefined) continue;
      const text = await textOf(telemetry, inside);
      if (text === undefined || tid === undefined) reader.unreadable += 1;
      else reader.add(tid, text, slice);
    }
  return reader.done();
}

async function textOf(file: string, inside: (file: string) => Promise<string>): Promise<string | undefined> {
  try {
    const path = await inside(file);
    return (await stat(path)).size > MOST_BYTES ? undefined : await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Where a source was when it was asked last. */
interface Asked {
  /** By its own clock, which is exact, where its place among the samples is told anew each time. */
  readonly untilMs: number;
  readonly calls: ReadonlyMap<string, number>;
}

class SpanReader {
  unreadable = 0;
  readonly #originNs: bigint;
  readonly #found: ProgramSpan[] = [];
  /** Spans and phases, by name. */
  readonly #named = new Map<string, ProgramSpan[]>();
  #count = 0;
  /** Of names that are too frequent to be read, how many there were. */
  readonly #tooMany = new Map<string, number>();
  readonly #asked = new Map<string, Asked>();
  /** Those of the last slice that had not ended, by source. */
  readonly #open = new Map<string, readonly ProgramSpan[]>();
  /** Spans that nobody could read any more, by category. */
  readonly #lost = new Map<string, number>();
  readonly #unplaced = new Map<string, number>();
  readonly #otherClock = new Set<string>();
  #leftOut = 0;

  constructor(originNs: bigint) {
    this.#originNs = originNs;
  }

  add(tid: number, text: string, slice: Slice): void {
    const pair = telemetryPair(text);
    const after = pair === undefined ? undefined : telemetrySources(pair.end);
    if (pair === undefined || after === undefined) {
      this.unreadable += 1;
      return;
    }
    const before = new Map(telemetrySources(pair.begin)?.map((source) => [source.id, source]));
    for (const source of after) {
      const key = `${tid} ${source.id}`;
      const first = before.get(source.id);
      const offsetNs = this.#offsetNs(source);
      const isSteady = first === undefined || Math.abs(this.#offsetNs(first) - offsetNs) <= CLOCK_DOUBT_NS;
      if (!isSteady || !isNear(source, slice)) {
        this.#otherClock.add(source.name);
        continue;
      }
      // Asked first a little before the window begins; of one that came later all that it has is new.
      const from = this.#asked.get(key) ?? {
        untilMs: first?.nowMs ?? -Infinity,
        calls: callsOf(first),
      };
      const { nowMs } = source;
      const place = { tid, offsetNs, nowMs, untilMs: from.untilMs, row: String(source.id) };
      if (source.kind === 'spans') this.#addSpans(source, place, from.calls);
      else this.#addSteps(source, place, key);
      this.#asked.set(key, { untilMs: nowMs, calls: callsOf(source) });
    }
  }

  done(): ProgramSpans {
    const all = [this.#found, ...this.#named.values(), ...this.#open.values()].flat();
    const spans = all.filter(({ endNs }) => endNs > 0);
    return { spans: spans.toSorted((a, b) => a.startNs - b.startNs), findings: this.#findings() };
  }

  /** Nanoseconds of the window when the source's clock was at nothing. */
  #offsetNs({ nowMs, nowNs }: Pick<SpanSource, 'nowMs' | 'nowNs'>): number {
    return Number(BigInt(nowNs) - this.#originNs) - nowMs * 1e6;
  }

  #addSpans({ categories }: SpanSource, place: Place, callsBefore: ReadonlyMap<string, number>): void {
    for (const { name, calls, spans, unplaced } of categories) {
      const pairs = spanPairs(spans);
      let kept = 0;
      for (let at = 0; at < pairs.length; at += 2) {
        const endMs = pairs[at] as number;
        const span = spanOf(
          name === FRAME ? 'frame' : 'span',
          name,
          endMs - (pairs[at + 1] as number),
          endMs,
          place,
        );
        if (span === undefined) continue;
        kept += 1;
        this.#keep(span);
      }
      const more = calls - (callsBefore.get(name) ?? 0) - kept;
      if (unplaced > 0) add(this.#unplaced, name, Math.min(unplaced, Math.max(0, more)));
      if (more > unplaced) add(this.#lost, name, more - unplaced);
    }
  }

  #addSteps({ steps, leftOut }: StepSource, place: Place, key: string): void {
    const open: ProgramSpan[] = [];
    for (const { signature, composite, lane, startMs, endMs, isOpen, phases } of steps) {
      const own = { ...place, row: `${place.row}.${lane}` };
      const step = spanOf(composite ? 'composite' : 'step', signature, startMs, endMs, own);
      if (step === undefined) continue;
      const parts = phases.flatMap(
        ([label, from, to]) => spanOf('phase', label, from, to, { ...own, untilMs: -Infinity }) ?? [],
      );
      if (isOpen) open.push({ ...step, isOpen: true }, ...parts);
      else {
        this.#found.push(step);
        for (const part of parts) this.#keep(part);
      }
    }
    this.#open.set(key, open);
    this.#leftOut += leftOut;
  }

  /** Where there are too many, the most frequent go: they are the shortest, and the others say more. */
  #keep(span: ProgramSpan): void {
    const { name } = span;
    const gone = this.#tooMany.get(name);
    if (gone !== undefined) {
      this.#tooMany.set(name, gone + 1);
      return;
    }
    const own = this.#named.get(name);
    if (own === undefined) this.#named.set(name, [span]);
    else own.push(span);
    this.#count += 1;
    if (this.#count <= MOST_SPANS) return;
    const [most, spans] = [...this.#named].reduce((one, other) =>
      other[1].length > one[1].length ? other : one,
    );
    this.#named.delete(most);
    this.#tooMany.set(most, spans.length);
    this.#count -= spans.length;
  }

  #findings(): readonly Finding[] {
    const findings: Finding[] = [];
    if (this.unreadable > 0)
      findings.push({
        level: 'warning',
        id: 'telemetry-unreadable',
        what: `What the program measured of itself could not be read ${this.unreadable === 1 ? 'once' : `${this.unreadable} times`}.`,
        why: 'The program did not answer, or with something else; or a file of the recording is gone or damaged, or its thread is not known by its number. Samples do not depend on it.',
      });
    if (this.#otherClock.size > 0)
      findings.push({
        level: 'warning',
        id: 'telemetry-other-clock',
        what: `What ${listed([...this.#otherClock].map(shown))} measured is left out: its clock does not run as the system's does.`,
        why: "Samples are told by the system's monotonic clock, so no moment of another one can be found among them.",
        fix: 'createTelemetry({}) without a clock of its own',
      });
    if (this.#tooMany.size > 0)
      findings.push({
        level: 'warning',
        id: 'spans-left-out',
        what: `${told(this.#tooMany)} are left out: with them there would be more than ${MOST_SPANS.toLocaleString('en')} spans.`,
        why: 'What is measured most often goes first; samples are not labelled by it.',
        fix: 'profiler attach --backend node -d 5',
      });
    if (this.#lost.size > 0)
      findings.push({
        level: 'warning',
        id: 'spans-lost',
        what: `${told(this.#lost)} came and went between two looks: they are not among the spans.`,
        why: 'A telemetry keeps the last of each category, by thread, and is asked once a slice.',
        fix: 'createTelemetry({ capacity: 100000 })',
      });
    if (this.#unplaced.size > 0)
      findings.push({
        level: 'note',
        id: 'spans-without-place',
        what: `${told(this.#unplaced)} have a duration and no place in time: they are not among the spans.`,
        why: 'What was measured elsewhere (`record`), and generators, whose time lies in pieces, is known by its length alone.',
      });
    if (this.#leftOut > 0)
      findings.push({
        level: 'warning',
        id: 'steps-left-out',
        what: `${this.#leftOut} steps or phases of steps were more than is read in one look: they are missing.`,
        why: 'At most 20,000 steps and 50,000 of their phases are read in a slice, the newest first.',
      });
    return findings;
  }
}

/** A process may have a monotonic clock that others do not (a time namespace): its moments are none of ours. */
function isNear({ nowNs }: Pick<SpanSource, 'nowNs'>, { endNs }: Slice): boolean {
  return Math.abs(Number(BigInt(nowNs) - BigInt(endNs))) < NEAR_NS;
}

interface Place {
  readonly tid: number;
  readonly offsetNs: number;
  readonly nowMs: number;
  /** What ended by then is known already. */
  readonly untilMs: number;
  readonly row: string;
}

function spanOf(
  kind: ProgramSpan['kind'],
  name: string,
  startMs: number,
  endMs: number,
  { tid, offsetNs, nowMs, untilMs, row }: Place,
): ProgramSpan | undefined {
  if (endMs <= untilMs || endMs > nowMs + LATER_MS) return undefined;
  const startNs = Math.round(offsetNs + startMs * 1e6);
  const endNs = Math.round(offsetNs + endMs * 1e6);
  if (!Number.isSafeInteger(startNs) || !Number.isSafeInteger(endNs) || endNs < startNs) return undefined;
  return { tid, kind, name: named(name), startNs, endNs, row };
}

function callsOf(source: SpanSource | StepSource | undefined): ReadonlyMap<string, number> {
  return new Map(source?.kind === 'spans' ? source.categories.map(({ name, calls }) => [name, calls]) : []);
}

function add(counts: Map<string, number>, name: string, more: number): void {
  if (more > 0) counts.set(name, (counts.get(name) ?? 0) + more);
}

/** Viewers drop what has no name. */
function named(name: string): string {
  const own = cut(name, LONGEST_NAME);
  return own.trim() === '' ? '(no name)' : own;
}

/** Not through the middle of a character. */
function cut(name: string, most: number): string {
  return name.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
}

/** `1,204 of Physics, 12 of Render`. */
function told(counts: ReadonlyMap<string, number>): string {
  return listed([...counts].map(([name, calls]) => `${calls.toLocaleString('en')} of ${shown(name)}`));
}

const MOST_LISTED = 5;

function shown(name: string): string {
  return name.length > LONGEST_LISTED ? `${cut(name, LONGEST_LISTED)}…` : name;
}

function listed(names: Iterable<string>): string {
  const all = [...names];
  const rest = all.length - MOST_LISTED;
  return [...all.slice(0, MOST_LISTED), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}
