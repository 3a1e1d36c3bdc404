/** Puts what ended threads wrote into one buffer for each category, so that a program that makes threads all day has an end of them. */
import { COUNT, FIRST, HEADER, MARK, MAX, MIN, RING, SEQUENCE, bytesOf } from './category.js';
import { readCategory } from './reading.js';
import type { CategorySource } from './reading.js';

export function putTogether(into: Map<string, CategorySource>, ended: readonly CategorySource[]): void {
  for (const source of ended) {
    const known = into.get(source.name) ?? emptyOf(source);
    into.set(source.name, known);
    addTo(known, source);
  }
}

function emptyOf({ name, capacity }: CategorySource): CategorySource {
  return { name, capacity, buffer: new ArrayBuffer(bytesOf(capacity)) };
}

function addTo(known: CategorySource, source: CategorySource): void {
  const { header, histogram, samples } = readCategory(source);
  const kept = readCategory(known).samples;
  const cells = new Float64Array(known.buffer);
  const mins = [cells, header].filter((one) => one[COUNT]! > 0).map((one) => one[MIN]!);
  const [first, max] = [cells[FIRST]!, cells[MAX]!];
  for (let slot = SEQUENCE + 1; slot < HEADER; slot++) cells[slot]! += header[slot]!;
  cells[MARK] = 0;
  cells[FIRST] = Math.max(first, header[FIRST]!);
  cells[MAX] = Math.max(max, header[MAX]!);
  cells[MIN] = mins.length === 0 ? 0 : Math.min(...mins);
  for (const [bucket, count] of histogram.entries()) cells[HEADER + bucket]! += count;
  const last = [...kept, ...samples].slice(-known.capacity);
  // Where a reader looks for the oldest of a full ring.
  const from = cells[COUNT]! - last.length;
  for (const [at, sample] of last.entries()) cells[RING + ((from + at) % known.capacity)] = sample;
}
