import type { ThreadAccounting } from '../model/index.js';
import type { Snapshot, ThreadReading } from './thread-readings.js';

interface Life {
  readonly wallFromNs: bigint;
  /** Undefined for a thread that began inside the slice: its totals began at zero. */
  readonly first: ThreadReading | undefined;
  readonly last: ThreadReading;
}

function lives(snapshots: readonly Snapshot[]): ReadonlyMap<number, Life> {
  const found = new Map<number, Life>();
  let previousNs: bigint | undefined;
  for (const snapshot of snapshots) {
    for (const [tid, reading] of snapshot.threads) {
      const life = found.get(tid);
      if (life !== undefined) found.set(tid, { ...life, last: reading });
      // Born since the last look: it cannot be older than that look, so its window never undercuts its own CPU time.
      else if (previousNs !== undefined)
        found.set(tid, { wallFromNs: previousNs, first: undefined, last: reading });
      else found.set(tid, { wallFromNs: reading.atNs, first: reading, last: reading });
    }
    previousNs = snapshot.atNs;
  }
  return found;
}

/**
 * What the kernel charged every thread between the first and the last of `snapshots`, which are in time order. Looks in between catch
 * threads that come and go inside the slice, and keep what is known of a target that ends before the last look.
 */
export function accountSlice(snapshots: readonly Snapshot[]): readonly ThreadAccounting[] {
  const rows: ThreadAccounting[] = [];
  for (const [tid, { wallFromNs, first, last }] of lives(snapshots)) {
    const wallNs = Number(last.atNs - wallFromNs);
    if (wallNs <= 0) continue;
    const cpuWaitNs = Math.min(wallNs, last.cpuWaitNs - (first?.cpuWaitNs ?? 0));
    // The kernel brings a running thread's sum up to date once a timer tick (4 ms): a busy thread may show up to a tick too much.
    const onCpuNs = Math.min(wallNs - cpuWaitNs, last.onCpuNs - (first?.onCpuNs ?? 0));
    rows.push({
      tid,
      ...(last.nsTid === undefined ? {} : { nsTid: last.nsTid }),
      name: last.comm,
      wallNs,
      onCpuNs,
      cpuWaitNs,
      voluntarySwitches: last.voluntarySwitches - (first?.voluntarySwitches ?? 0),
      involuntarySwitches: last.involuntarySwitches - (first?.involuntarySwitches ?? 0),
      ...(last.cpus === undefined ? {} : { cpus: last.cpus }),
    });
  }
  return rows.sort((a, b) => a.tid - b.tid);
}
