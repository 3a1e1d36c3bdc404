import { COUNT, RING, SEQUENCE } from './category.js';
import type { Category } from './category.js';
import { toldName } from './inspected.js';

/** What a thread measured of one category, for a profiler that looks at it from outside. */
export interface RecentSpans {
  readonly name: string;
  /** Over the whole run. */
  readonly calls: number;
  /** Spans that are kept: when each ended and how long it took, newest first, as doubles in base64. */
  readonly spans: string;
  /** Durations among them that are no stretch of time: recorded, or of a generator. */
  readonly unplaced: number;
}

/** Of all categories together: as base64 what an inspector answers in a moment. */
const MOST_SPANS = 2_600_000;

/** Those of each category, where many have to share the room. */
export function recentSpansOf(categories: readonly Category[], sinceMs: number): readonly RecentSpans[] {
  const most = Math.floor(MOST_SPANS / categories.length);
  return categories.map((category) => recentSpans(category, sinceMs, most));
}

/** Those that ended from a moment on. To be called in the thread that writes them, which may be in the middle of it. */
export function recentSpans(category: Category, sinceMs: number, most = Infinity): RecentSpans {
  const { name, capacity, cells, words } = category;
  const calls = cells[COUNT]!;
  // The place that is being written to is that of the oldest.
  const kept = Math.min(calls, capacity - (words[SEQUENCE]! % 2), most);
  const pairs = new Float64Array(2 * (sinceMs === Infinity ? 0 : kept));
  let length = 0;
  let unplaced = 0;
  for (let back = 1; 2 * back <= pairs.length; back++) {
    const cell = RING + ((calls - back) % capacity);
    const end = cells[cell + capacity]!;
    if (end < sinceMs) break;
    if (Number.isFinite(end)) {
      pairs[length++] = end;
      pairs[length++] = cells[cell]!;
    } else unplaced++;
  }
  const bytes = Buffer.from(pairs.buffer, 0, 8 * length);
  return { name: toldName(name), calls, spans: bytes.toString('base64'), unplaced };
}
