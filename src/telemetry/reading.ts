/** Reads what a thread writes, while it writes. */
import { COUNT, HEADER, RING, SEQUENCE, bytesOf } from './category.js';

export interface CategorySource {
  readonly name: string;
  readonly capacity: number;
  readonly buffer: ArrayBufferLike;
}

export interface Reading {
  readonly name: string;
  /** Numbers over the whole run, by the indices of `category.ts`. */
  readonly header: Float64Array;
  readonly histogram: Float64Array;
  /** The last durations, in the order in which they ended. */
  readonly samples: Float64Array;
  readonly isTorn: boolean;
}

/** A write takes some 50 ns: whoever is found writing as often as that has been stopped in the middle of it, for good or for a while. */
const TRIES = 1000;
const PAUSES = 5;

/** `pause` gives another thread the time to go on. */
export function readCategory(source: CategorySource, pause?: (words: Int32Array) => void): Reading {
  const cells = new Float64Array(source.buffer);
  const words = new Int32Array(source.buffer);
  let header = cells.slice(0, HEADER);
  let isTorn = true;
  for (let i = 1; i <= TRIES * PAUSES && isTorn; i++) {
    const before = Atomics.load(words, SEQUENCE);
    header = cells.slice(0, HEADER);
    isTorn = before % 2 !== 0 || Atomics.load(words, SEQUENCE) !== before;
    if (isTorn && i % TRIES === 0) pause?.(words);
  }
  const histogram = cells.slice(HEADER, RING);
  return {
    name: source.name,
    header,
    histogram,
    samples: lastOf(cells, words, source.capacity, header[COUNT]!),
    isTorn,
  };
}

/** Those of the first `count` that are still there; what is overwritten while they are copied is left out. */
function lastOf(cells: Float64Array, words: Int32Array, capacity: number, count: number): Float64Array {
  const ring = cells.slice(RING, RING + capacity);
  // One more may be half written.
  const isBeingWritten = Atomics.load(words, SEQUENCE) % 2 !== 0;
  const written = cells[COUNT]! + (isBeingWritten ? 1 : 0);
  const from = Math.min(count, Math.max(0, count - capacity, written - capacity));
  const samples = new Float64Array(count - from);
  const first = from % capacity;
  const upToEnd = ring.subarray(first, Math.min(capacity, first + samples.length));
  samples.set(upToEnd);
  samples.set(ring.subarray(0, samples.length - upToEnd.length), upToEnd.length);
  return samples;
}

/** What another thread announces is believed only if it has the size that it says. */
export function isSource(value: unknown): value is CategorySource {
  if (typeof value !== 'object' || value === null) return false;
  const { name, capacity, buffer } = value as Partial<Record<keyof CategorySource, unknown>>;
  return (
    typeof name === 'string' &&
    typeof capacity === 'number' &&
    typeof SharedArrayBuffer !== 'undefined' &&
    buffer instanceof SharedArrayBuffer &&
    buffer.byteLength === bytesOf(capacity)
  );
}
