import type { LoopRate } from '../model/index.js';
import type { Snapshot, ThreadReading } from './thread-readings.js';

/** More threads than this are never candidates for the physics thread. */
const MOST_THREADS = 16;
/** A value is taken when at least this much of a second has passed since the last one. */
const SECOND_NS = 900_000_000;
/** Switches a second, and CPU share, below which a thread does nothing worth a loop rate. */
const FEW_SWITCHES = 5;
const LITTLE_CPU = 0.05;
/** Below it, a thread was not merely blocked all the time. */
const MOSTLY = 0.5;
/** A thread that would run this much of its time if it always got a CPU has no sleep to count. */
const NEVER_SLEEPS = 0.9;

/** Snapshots of the three phases, each in time order. */
export interface LoopPhases {
  readonly before: readonly Snapshot[];
  readonly during: readonly Snapshot[];
  readonly after: readonly Snapshot[];
}

type Pair = readonly [Snapshot, Snapshot];

function secondsOf(snapshots: readonly Snapshot[]): readonly Pair[] {
  const pairs: Pair[] = [];
  let from: Snapshot | undefined;
  for (const snapshot of snapshots) {
    if (from !== undefined && Number(snapshot.atNs - from.atNs) < SECOND_NS) continue;
    if (from !== undefined) pairs.push([from, snapshot]);
    from = snapshot;
  }
  return pairs;
}

function between(pair: Pair, tid: number): readonly [ThreadReading, ThreadReading] | undefined {
  const from = pair[0].threads.get(tid);
  const to = pair[1].threads.get(tid);
  return from === undefined || to === undefined || to.atNs <= from.atNs ? undefined : [from, to];
}

function switchesPerS(pair: Pair, tid: number): readonly number[] {
  const ends = between(pair, tid);
  if (ends === undefined) return [];
  const [from, to] = ends;
  return [(to.voluntarySwitches - from.voluntarySwitches) / (Number(to.atNs - from.atNs) / 1e9)];
}

/** CPU seconds per second of the whole process: what a loop that never sleeps gives up is taken by the sampler. */
function cpuPerS(pair: Pair): number {
  let sum = 0;
  for (const tid of pair[1].threads.keys()) {
    const ends = between(pair, tid);
    if (ends !== undefined) sum += (ends[1].onCpuNs - ends[0].onCpuNs) / Number(ends[1].atNs - ends[0].atNs);
  }
  return sum;
}

interface Activity {
  readonly tid: number;
  readonly switches: number;
  readonly cpu: number;
  /** Share of the time that it ran, of the time that it was not waiting for a CPU. */
  readonly busy: number;
}

function activityOf(pairs: readonly Pair[], tid: number): Activity {
  let switches = 0;
  let onNs = 0;
  let waitNs = 0;
  let wallNs = 0;
  for (const pair of pairs) {
    const ends = between(pair, tid);
    if (ends === undefined) continue;
    switches += ends[1].voluntarySwitches - ends[0].voluntarySwitches;
    onNs += ends[1].onCpuNs - ends[0].onCpuNs;
    waitNs += ends[1].cpuWaitNs - ends[0].cpuWaitNs;
    wallNs += Number(ends[1].atNs - ends[0].atNs);
  }
  if (wallNs === 0) return { tid, switches: 0, cpu: 0, busy: 0 };
  return {
    tid,
    switches: switches / (wallNs / 1e9),
    cpu: onNs / wallNs,
    busy: onNs / Math.max(onNs, wallNs - waitNs),
  };
}

/**
 * The observer effect, per thread that does anything: loop rate in every second before, during and after the recording.
 * `primary` stands first, whatever it does; the rest by CPU time. Seconds in which a thread did not live all along are left out.
 */
export function loopRates(
  phases: LoopPhases,
  primary: number,
): readonly (LoopRate & { readonly tid: number })[] {
  const before = secondsOf(phases.before);
  const during = secondsOf(phases.during);
  const after = secondsOf(phases.after);
  const all = [...before, ...during, ...after];
  const tids = new Set(all.flatMap(([, to]) => [...to.threads.keys()]));
  return [...tids]
    .map((tid) => activityOf(all, tid))
    .filter(({ tid, switches, cpu }) => tid === primary || switches >= FEW_SWITCHES || cpu >= LITTLE_CPU)
    .sort((a, b) => Number(b.tid === primary) - Number(a.tid === primary) || b.cpu - a.cpu || a.tid - b.tid)
    .slice(0, MOST_THREADS)
    .map(({ tid, switches, busy }) => {
      const measure = busy >= NEVER_SLEEPS || switches < FEW_SWITCHES ? 'cpu' : 'voluntary-switches';
      const values = (pairs: readonly Pair[]): readonly number[] =>
        measure === 'cpu' ? pairs.map(cpuPerS) : pairs.flatMap((pair) => switchesPerS(pair, tid));
      return { tid, measure, before: values(before), during: values(during), after: values(after) };
    });
}

/**
 * The thread to look at most closely when the user named none: the main thread, unless it idles while another one works
 * (a simulation that steps in a thread of its own). `snapshots` span at least a few tenths of a second.
 */
export function primaryThread(snapshots: readonly Snapshot[], pid: number): number {
  const first = snapshots[0];
  const last = snapshots.at(-1);
  if (first === undefined || last === undefined || first === last) return pid;
  const active = [...last.threads.keys()]
    .map((tid) => activityOf([[first, last]], tid))
    .sort((a, b) => b.cpu - a.cpu);
  const main = active.find(({ tid }) => tid === pid);
  const busiest = active[0];
  if (main === undefined || busiest === undefined) return pid;
  const mainIdles = main.cpu < 0.01 && main.switches < 20;
  return mainIdles && busiest.cpu > 2 * main.cpu ? busiest.tid : pid;
}

/** How often a second thread `tid` gave its CPU up between the first and the last snapshot, if it lived all along. */
export function sleepsPerS(snapshots: readonly Snapshot[], tid: number): number | undefined {
  const first = snapshots[0];
  const last = snapshots.at(-1);
  return first === undefined || last === undefined ? undefined : switchesPerS([first, last], tid)[0];
}

/** Share of wall time that thread `tid` was blocked between the first and the last snapshot, if it lived all along. */
export function blockedShare(snapshots: readonly Snapshot[], tid: number): number | undefined {
  const first = snapshots[0];
  const last = snapshots.at(-1);
  const ends = first === undefined || last === undefined ? undefined : between([first, last], tid);
  if (ends === undefined) return undefined;
  const [from, to] = ends;
  const busyNs = to.onCpuNs - from.onCpuNs + (to.cpuWaitNs - from.cpuWaitNs);
  const share = Math.max(0, 1 - busyNs / Number(to.atNs - from.atNs));
  // Time that another guest of this machine took is in no account. Who never gave its CPU up in between did not block.
  const neverGaveUp = to.voluntarySwitches === from.voluntarySwitches;
  return neverGaveUp && share < MOSTLY ? 0 : share;
}
