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

/**
 * What was open when, of spans of one thread: stretches in order of time that do not overlap. Spans that lie beside each other in time, as
 * asynchronous ones do, are open together.
 */
export function openStretches(spans: readonly ProgramSpan[]): readonly OpenStretch[] {
  const starts = spans
    .filter(({ startNs, endNs }) => endNs > startNs)
    .toSorted((a, b) => a.startNs - b.startNs);
  const moments = Float64Array.from(starts.flatMap(({ startNs, endNs }) => [startNs, endNs])).sort();
  const stretches: OpenStretch[] = [];
  let open: ProgramSpan[] = [];
  let next = 0;
  for (let at = 0; at + 1 < moments.length; at += 1) {
    const startNs = moments[at] as number;
    const endNs = moments[at + 1] as number;
    if (endNs === startNs) continue;
    if (open.some((span) => span.endNs <= startNs)) open = open.filter((span) => span.endNs > startNs);
    for (; next < starts.length && (starts[next] as ProgramSpan).startNs <= startNs; next += 1)
      open.push(starts[next] as ProgramSpan);
    if (open.length === 0) continue;
    const names = innermost(open);
    const last = stretches.at(-1);
    if (last !== undefined && last.endNs === startNs && same(last.names, names))
      stretches[stretches.length - 1] = { ...last, endNs };
    else stretches.push({ startNs, endNs, names });
  }
  return stretches;
}

function innermost(open: readonly ProgramSpan[]): readonly string[] {
  if (open.length > MOST_AT_ONCE) return [`${open.length} at once`];
  const inner = open.filter(
    (one, at) => !open.some((other, place) => place !== at && isInside(other, one, place > at)),
  );
  return inner.map(({ name }) => name).toSorted();
}

/** Of two that are alike the later one is the inner. */
function isInside(inner: ProgramSpan, outer: ProgramSpan, isLater: boolean): boolean {
  if (inner.startNs === outer.startNs && inner.endNs === outer.endNs) return isLater;
  return inner.startNs >= outer.startNs && inner.endNs <= outer.endNs;
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, at) => name === b[at]);
}

/** The stretch that holds a moment, by bisection. */
export function stretchAt(stretches: readonly OpenStretch[], ns: number): OpenStretch | undefined {
  let low = 0;
  let high = stretches.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((stretches[middle] as OpenStretch).startNs <= ns) low = middle + 1;
    else high = middle;
  }
  const found = stretches[low - 1];
  return found !== undefined && ns < found.endNs ? found : undefined;
}
