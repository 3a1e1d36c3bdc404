import type { ThreadAccounting } from '../model/index.js';
import type { Recording } from '../recording/index.js';
import type { Span, ThreadAnswer, Timeline, TimelineCell } from '../report/index.js';

/** Columns of a timeline: slices next to each other share one where there are more. */
const MOST_SPANS = 240;

/** Every thread's time slice by slice, in the order of the answer; undefined for a recording without accounts. */
export function timelineOf({ slices }: Recording, threads: readonly ThreadAnswer[]): Timeline | undefined {
  const [first] = slices;
  if (first === undefined || slices.every(({ accounting }) => accounting.length === 0)) return undefined;
  const startNs = BigInt(first.startNs);
  const seconds = (ns: string): number => Number(BigInt(ns) - startNs) / 1e9;
  const each = Math.ceil(slices.length / MOST_SPANS);
  const groups = Array.from({ length: Math.ceil(slices.length / each) }, (_, at) =>
    slices.slice(at * each, (at + 1) * each),
  );
  const spans = groups.map((group): Span => ({
    startS: seconds(group[0]?.startNs ?? '0'),
    endS: seconds(group.at(-1)?.endNs ?? '0'),
  }));
  const byTid = groups.map((group) => {
    const rows = new Map<number, ThreadAccounting[]>();
    for (const one of group.flatMap(({ accounting }) => accounting)) {
      const known = rows.get(one.tid);
      if (known === undefined) rows.set(one.tid, [one]);
      else known.push(one);
    }
    return rows;
  });
  const rows = threads.flatMap((answer) => {
    const { tid } = answer.thread;
    if (tid === undefined || answer.totals === undefined) return [];
    const cells = byTid.map((group) => cellOf(group.get(tid) ?? []));
    return [{ thread: answer.thread, role: answer.role, cells, onCpu: answer.totals.onCpu }];
  });
  const [physics, ...others] = rows;
  if (physics === undefined) return undefined;
  const isPhysics = physics.role === 'physics';
  const busiest = (isPhysics ? others : rows).toSorted((a, b) => b.onCpu - a.onCpu);
  return { spans, threads: isPhysics ? [physics, ...busiest] : busiest };
}

function cellOf(accounts: readonly ThreadAccounting[]): TimelineCell | undefined {
  const sum = (of: (one: ThreadAccounting) => number): number =>
    accounts.reduce((total, one) => total + of(one), 0);
  const wall = sum((one) => one.wallNs);
  if (wall <= 0) return undefined;
  // The kernel and the window round apart: no share is above the whole.
  const onCpu = Math.min(1, sum((one) => one.onCpuNs) / wall);
  const cpuWait = Math.min(1 - onCpu, sum((one) => one.cpuWaitNs) / wall);
  return { onCpu, cpuWait, blocked: 1 - onCpu - cpuWait };
}
