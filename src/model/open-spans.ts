import { firstWhere } from './first-where.js';
import type { ProgramSpan } from './program-span.js';

/** A stretch of time in which the same spans were open. */
export interface OpenStretch {
  readonly startNs: number;
  readonly endNs: number;
  /** The innermost of them, in order of their names: those that no other one lies inside of. */
  readonly names: readonly string[];
}

/** More at once are only counted: nobody can tell which of them a sample was of. */
const MOST_AT_ONCE = 16;
/** Beyond, a number that changes with every one of them would be a name of its own each time. */
const MOST_COUNTED = 99;

/**
 * What was open when, of spans of one thread: stretches in order of time that do not overlap. Spans that lie beside each other in time, as
 * asynchronous ones do, are open together.
 */
export function openStretches(spans: readonly ProgramSpan[]): readonly OpenStretch[] {
  const starts = spans
    .filter(({ startNs, endNs }) => endNs > startNs)
    .toSorted((a, b) => a.startNs - b.startNs || b.endNs - a.endNs);
  const ends = Int32Array.from(starts.keys()).sort(
    (a, b) => (starts[a] as ProgramSpan).endNs - (starts[b] as ProgramSpan).endNs,
  );
  const moments = Float64Array.from(starts.flatMap(({ startNs, endNs }) => [startNs, endNs])).sort();
  const stretches: OpenStretch[] = [];
  const open = new OpenSpans(starts);
  let next = 0;
  let over = 0;
  for (let at = 0; at + 1 < moments.length; at += 1) {
    const startNs = moments[at] as number;
    const endNs = moments[at + 1] as number;
    if (endNs === startNs) continue;
    for (; over < ends.length && endOf(starts, ends[over]) <= startNs; over += 1) open.close(ends[over] ?? 0);
    for (; next < starts.length && (starts[next] as ProgramSpan).startNs <= startNs; next += 1)
      open.open(next);
    if (open.count === 0) continue;
    const names = open.innermost();
    const last = stretches.at(-1);
    if (last !== undefined && last.endNs === startNs && same(last.names, names))
      stretches[stretches.length - 1] = { ...last, endNs };
    else stretches.push({ startNs, endNs, names });
  }
  return stretches;
}

function endOf(spans: readonly ProgramSpan[], row: number | undefined): number {
  return spans[row ?? -1]?.endNs ?? Infinity;
}

/**
 * Those that are open of a list of spans, outer ones first. A tree over their places knows which of any tail of the list ends first, so that
 * thousands that are open at once cost no more than their logarithm.
 */
class OpenSpans {
  count = 0;
  readonly #spans: readonly ProgramSpan[];
  /** Of each node the place of the one that ends first, of equal ones the last; -1: none is open. The leaves stand behind all others. */
  readonly #first: Int32Array;
  readonly #leaves: number;

  constructor(spans: readonly ProgramSpan[]) {
    this.#spans = spans;
    this.#leaves = 2 ** Math.ceil(Math.log2(Math.max(1, spans.length)));
    this.#first = new Int32Array(2 * this.#leaves).fill(-1);
  }

  open(place: number): void {
    this.count += 1;
    this.#set(place, place);
  }

  close(place: number): void {
    this.count -= 1;
    this.#set(place, -1);
  }

  /** Names of those that no other one lies inside of, sorted. */
  innermost(): readonly string[] {
    const names: string[] = [];
    // Whatever stands before the one that ends first is around it: it began no later, and ends no sooner.
    for (let place = this.#firstFrom(0); place >= 0; place = this.#firstFrom(place + 1)) {
      if (names.length === MOST_AT_ONCE) return [many(this.count)];
      names.push((this.#spans[place] as ProgramSpan).name);
    }
    return names.sort();
  }

  #set(place: number, value: number): void {
    let node = this.#leaves + place;
    this.#first[node] = value;
    for (node >>= 1; node >= 1; node >>= 1)
      this.#first[node] = this.#sooner(this.#first[2 * node] ?? -1, this.#first[2 * node + 1] ?? -1);
  }

  /** Of those from a place on the one that ends first. */
  #firstFrom(place: number): number {
    if (place >= this.#leaves) return -1;
    let node = this.#leaves + place;
    let found = this.#first[node] ?? -1;
    for (; node > 1; node >>= 1) if (node % 2 === 0) found = this.#sooner(found, this.#first[node + 1] ?? -1);
    return found;
  }

  #sooner(left: number, right: number): number {
    if (left < 0 || right < 0) return Math.max(left, right);
    return endOf(this.#spans, left) < endOf(this.#spans, right) ? left : right;
  }
}

function many(count: number): string {
  if (count <= MOST_COUNTED) return `${count} at once`;
  return `over ${(10 ** Math.floor(Math.log10(count))).toLocaleString('en')} at once`;
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, at) => name === b[at]);
}

/** The stretch that holds a moment, by bisection. */
export function stretchAt(stretches: readonly OpenStretch[], ns: number): OpenStretch | undefined {
  const after = firstWhere(stretches.length, (place) => (stretches[place] as OpenStretch).startNs > ns);
  const found = stretches[after - 1];
  return found !== undefined && ns < found.endNs ? found : undefined;
}
