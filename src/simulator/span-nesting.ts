import type { Track } from './chrome-spans.js';

/** By key: what its durations took, without those inside others of the same key, and without whatever is inside them. */
export interface NestedTotals {
  readonly totalUs: Float64Array;
  readonly selfUs: Float64Array;
  /** Of each thread, the time in which anything was open. */
  readonly busyUs: Float64Array;
  /** Durations that go on after the one in which they began. */
  readonly overlaps: number;
}

/** Starts and lengths are rounded apart from each other: a part may end this much after its whole. */
const ROUNDING_US = 2;

export function nestedTotals(tracks: readonly Track[], keys: number): NestedTotals {
  const totalUs = new Float64Array(keys);
  const selfUs = new Float64Array(keys);
  const busyUs = new Float64Array(tracks.length);
  const openOf = new Uint32Array(keys);
  let overlaps = 0;
  for (const [place, { startUs, endUs, key }] of tracks.entries()) {
    const open: number[] = [];
    let busy = 0;
    const close = (until: number): void => {
      for (let top = open.at(-1); top !== undefined && (endUs[top] as number) <= until; top = open.at(-1)) {
        open.pop();
        openOf[key[top] as number] = (openOf[key[top] as number] as number) - 1;
      }
    };
    for (const span of outermostFirst(startUs, endUs)) {
      const [start, end, own] = [startUs[span] as number, endUs[span] as number, key[span] as number];
      close(start);
      const outer = open.at(-1);
      const shared = outer === undefined ? 0 : Math.min(end, endUs[outer] as number) - start;
      if (outer !== undefined) {
        const outerKey = key[outer] as number;
        selfUs[outerKey] = (selfUs[outerKey] as number) - shared;
        if (end > (endUs[outer] as number) + ROUNDING_US) overlaps += 1;
      }
      selfUs[own] = (selfUs[own] as number) + end - start;
      if (openOf[own] === 0) totalUs[own] = (totalUs[own] as number) + end - start;
      busy += end - start - shared;
      openOf[own] = (openOf[own] as number) + 1;
      open.push(span);
    }
    close(Number.POSITIVE_INFINITY);
    busyUs[place] = busy;
  }
  return { totalUs, selfUs, busyUs, overlaps };
}

/** By start; of those that start together the longest is around the others. */
function outermostFirst(startUs: readonly number[], endUs: readonly number[]): Uint32Array {
  const order = Uint32Array.from(startUs.keys());
  const compare = (a: number, b: number): number =>
    (startUs[a] as number) - (startUs[b] as number) || (endUs[b] as number) - (endUs[a] as number);
  const isSorted = order.every((span, at) => at === 0 || compare(order[at - 1] as number, span) <= 0);
  return isSorted ? order : order.sort(compare);
}
