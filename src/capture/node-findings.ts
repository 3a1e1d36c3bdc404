import type { Finding } from '../model/index.js';
import type { NodeSlice } from './node-slice.js';

/** A timer that comes this late now and then misses the step of any robot. */
const LATE_MS = 20;
const HIGH_GC = 0.05;

function ms(value: number): string {
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
}

/** What Node told of its event loop, its garbage collector and its workers, over all slices. */
export function nodeFindings(slices: readonly NodeSlice[]): readonly Finding[] {
  return [...loopFinding(slices), ...silentFinding(slices)];
}

function loopFinding(slices: readonly NodeSlice[]): readonly Finding[] {
  const told = slices.flatMap(({ loop, seconds }) => (loop === undefined ? [] : [{ ...loop, seconds }]));
  if (told.length === 0) return [];
  const total = told.reduce((sum, { seconds }) => sum + seconds, 0);
  const mean = (of: (one: (typeof told)[number]) => number): number =>
    told.reduce((sum, one) => sum + of(one) * one.seconds, 0) / total;
  const max = Math.max(...told.map(({ delayMs }) => delayMs.max));
  const count = told.reduce((sum, { gc }) => sum + gc.count, 0);
  const gcMs = told.reduce((sum, { gc }) => sum + gc.ms, 0);
  const longest = Math.max(...told.map(({ gc }) => gc.longestMs));
  const busy = told.every(({ utilization }) => utilization !== undefined)
    ? `, and had something to run ${(100 * mean(({ utilization = 0 }) => utilization)).toFixed(1)} % of the time`
    : '';
  const p50 = mean(({ delayMs }) => delayMs.p50);
  const p99 = Math.max(...told.map(({ delayMs }) => delayMs.p99));
  const share = gcMs / (total * 1000);
  const isLate = p99 >= LATE_MS || share >= HIGH_GC;
  return [
    {
      level: isLate ? 'warning' : 'note',
      id: 'node-event-loop',
      what: `The event loop of the main thread was late by ${ms(p50)} (median), ${ms(p99)} (99th percentile), ${ms(max)} at most${busy}.`,
      why: `Garbage was collected ${count} times, ${ms(gcMs)} in all (${(100 * share).toFixed(1)} % of the time), ${ms(longest)} at longest. Told by Node itself (perf_hooks) while it was sampled.`,
    },
  ];
}

function silentFinding(slices: readonly NodeSlice[]): readonly Finding[] {
  const silent = Math.max(0, ...slices.map(({ silentWorkers }) => silentWorkers));
  if (silent === 0) return [];
  return [
    {
      level: 'warning',
      id: 'node-workers-silent',
      what: `${silent} worker thread${silent === 1 ? '' : 's'} gave no profile.`,
      why: 'A worker in native code does not answer its inspector, and one that ends takes its profile along. What the kernel charged them is kept.',
      fix: 'profiler attach … --backend perf',
    },
  ];
}
