import type { Snapshot } from '../capture/index.js';
import type { Recording } from '../recording/index.js';

/** A thread that gives its CPU up at an even rate, as a paced loop does. */
export interface SteadyThread {
  readonly tid: number;
  readonly perS: number;
}

/** Fewer are as well those of a program that waits. */
const FEWEST_PER_S = 20;
const WINDOWS = 3;
const WINDOW_NS = 900_000_000;
/** How far a window may be off their mean. */
const EVEN = 0.2;
/** A program that waits for something in a loop uses less of a CPU. */
const LEAST_CPU = 0.05;

interface Rate {
  readonly perS: number;
  readonly cpu: number;
}

function ratesOf(snapshots: readonly Snapshot[], tid: number): readonly Rate[] {
  const rates: Rate[] = [];
  let to = snapshots.at(-1)?.threads.get(tid);
  for (const snapshot of snapshots.toReversed()) {
    const from = snapshot.threads.get(tid);
    if (to === undefined || from === undefined) break;
    const ns = Number(to.atNs - from.atNs);
    if (ns < WINDOW_NS) continue;
    rates.push({
      perS: (to.voluntarySwitches - from.voluntarySwitches) / (ns / 1e9),
      cpu: (to.onCpuNs - from.onCpuNs) / ns,
    });
    to = from;
  }
  return rates;
}

/** Whether thread `tid` slept at an even rate, and worked between, over the last three seconds or so. */
export function steadyThread(snapshots: readonly Snapshot[], tid: number): SteadyThread | undefined {
  const rates = ratesOf(snapshots, tid).slice(0, WINDOWS);
  if (rates.length < WINDOWS) return undefined;
  const mean = rates.reduce((sum, { perS }) => sum + perS, 0) / rates.length;
  const even = rates.every(({ perS }) => Math.abs(perS - mean) <= EVEN * mean);
  const works = rates.every(({ cpu }) => cpu >= LEAST_CPU);
  return mean >= FEWEST_PER_S && even && works ? { tid, perS: mean } : undefined;
}

/** Whether any thread was on a CPU for a good part of the last two windows: all that a program without a known loop shows. */
export function worksOn(snapshots: readonly Snapshot[]): boolean {
  const tids = [...(snapshots.at(-1)?.threads.keys() ?? [])];
  return tids.some((tid) => {
    const rates = ratesOf(snapshots, tid).slice(0, 2);
    return rates.length === 2 && rates.every(({ cpu }) => cpu >= 2 * LEAST_CPU);
  });
}

/** Whether it still does so in a slice. */
export function stillSteady({ tid, perS }: SteadyThread, { slices }: Recording): boolean {
  const row = slices.flatMap(({ accounting }) => accounting).find((thread) => thread.tid === tid);
  return row !== undefined && row.voluntarySwitches / (row.wallNs / 1e9) >= perS / 2;
}
