import type { ThreadAccounting, ThreadStates } from '../model/index.js';

/**
 * One thread's accounting over several slices: times, switches and looks added up, the name as the last slice gave it.
 * Slices without states leave the ratio of the others alone. Undefined for no slice.
 */
export function poolAccounting(slices: readonly ThreadAccounting[]): ThreadAccounting | undefined {
  const first = slices[0];
  if (first === undefined) return undefined;
  return slices.slice(1).reduce(add, first);
}

/** The same for every thread of a recording, in order of first appearance. */
export function poolThreads(slices: readonly (readonly ThreadAccounting[])[]): readonly ThreadAccounting[] {
  const byTid = new Map<number, ThreadAccounting>();
  for (const accounting of slices.flat()) {
    const before = byTid.get(accounting.tid);
    byTid.set(accounting.tid, before === undefined ? accounting : add(before, accounting));
  }
  return [...byTid.values()];
}

function add(a: ThreadAccounting, b: ThreadAccounting): ThreadAccounting {
  const nsTid = b.nsTid ?? a.nsTid;
  const name = b.name ?? a.name;
  const cpus = b.cpus ?? a.cpus;
  const states = addStates(a.states, b.states);
  return {
    tid: a.tid,
    ...(nsTid === undefined ? {} : { nsTid }),
    ...(name === undefined ? {} : { name }),
    wallNs: a.wallNs + b.wallNs,
    onCpuNs: a.onCpuNs + b.onCpuNs,
    cpuWaitNs: a.cpuWaitNs + b.cpuWaitNs,
    voluntarySwitches: a.voluntarySwitches + b.voluntarySwitches,
    involuntarySwitches: a.involuntarySwitches + b.involuntarySwitches,
    ...(cpus === undefined ? {} : { cpus }),
    ...(states === undefined ? {} : { states }),
  };
}

function addStates(a: ThreadStates | undefined, b: ThreadStates | undefined): ThreadStates | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    looks: a.looks + b.looks,
    running: a.running + b.running,
    gil: a.gil + b.gil,
    sleep: a.sleep + b.sleep,
    other: a.other + b.other,
  };
}
