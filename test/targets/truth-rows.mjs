// Reads what truth_loop.c and truth_loop.mjs keep: a count, then rows of four numbers of 64 bits, little endian. A row is nanoseconds of
// CLOCK_MONOTONIC and the nanoseconds that physics, raycast and publishing have had so far.
import { readFileSync } from 'node:fs';

const ROW_BYTES = 32;

function readRows(path) {
  const bytes = readFileSync(path);
  const count = Number(bytes.readBigUInt64LE(0));
  return Array.from({ length: count }, (_, index) => {
    const at = 8 + index * ROW_BYTES;
    const value = (offset) => bytes.readBigUInt64LE(at + offset);
    return { at: value(0), totals: [value(8), value(16), value(24)] };
  });
}

function lastBefore(rows, ns) {
  const index = rows.findLastIndex(({ at }) => at <= ns);
  if (index < 0) throw new Error('the window begins before the first step');
  return index;
}

/** Shares of wall time of each function, and steps a second, over windows of CLOCK_MONOTONIC nanoseconds, which the rows must cover. */
export function truthOver(path, windows) {
  const rows = readRows(path);
  const sums = [0n, 0n, 0n];
  let wallNs = 0n;
  let steps = 0;
  for (const [from, to] of windows) {
    const first = lastBefore(rows, from);
    const last = lastBefore(rows, to);
    // A row tells of a step that has ended: the window is that of the steps.
    wallNs += rows[last].at - rows[first].at;
    steps += last - first;
    for (const [index, total] of rows[last].totals.entries())
      sums[index] += total - rows[first].totals[index];
  }
  const share = (index) => Number(sums[index]) / Number(wallNs);
  return {
    physics: share(0),
    raycast: share(1),
    publishing: share(2),
    stepsPerS: steps / (Number(wallNs) / 1e9),
  };
}
