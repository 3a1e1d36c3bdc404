import { PROC } from '../proc/file.js';
import { withMemory, type ReadMemory } from '../proc/memory.js';
import { listThreads } from '../proc/tasks.js';
import type { Target } from '../target.js';

/** Offset of `tid` in glibc's `struct pthread` on x86-64; aarch64 and musl have others. */
const USUAL_OFFSET = 0x2d0;
const LAST_OFFSET = 0x400;

/**
 * Kernel thread ids of pthread ids (addresses of the C library's thread blocks), which are all that Python up to 3.10
 * tells a sampler. Ids of threads that have ended are left out. `undefined` when the memory may not be read or no
 * offset passes the check: every id must name a live thread of its own, and one of them the first thread.
 */
export function pthreadTids(
  target: Target,
  pthreadIds: readonly bigint[],
  proc: string = PROC,
): ReadonlyMap<bigint, number> | undefined {
  const ids = [...new Set(pthreadIds)];
  const liveTids = new Map(
    listThreads(target.pid, proc).map((thread) => [thread.nsTid ?? thread.tid, thread.tid]),
  );
  const first = target.nsPid ?? target.pid;
  return withMemory(target.pid, proc, (read) => {
    const offsets = [USUAL_OFFSET];
    for (let offset = 0; offset <= LAST_OFFSET; offset += 4) offsets.push(offset);
    for (const offset of offsets) {
      const tids = tidsAt(offset, ids, liveTids, first, read);
      if (tids !== undefined) return tids;
    }
    return undefined;
  });
}

function tidsAt(
  offset: number,
  ids: readonly bigint[],
  liveTids: ReadonlyMap<number, number>,
  first: number,
  read: ReadMemory,
): ReadonlyMap<bigint, number> | undefined {
  const found = new Map<bigint, number>();
  let firstSeen = false;
  for (const id of ids) {
    const value = read(id + BigInt(offset), 4)?.readInt32LE(0);
    // The block of an ended thread is unmapped, or kept for reuse with a cleared or stale field.
    const tid = value === undefined ? undefined : liveTids.get(value);
    if (tid === undefined) continue;
    firstSeen ||= value === first;
    found.set(id, tid);
  }
  const distinct = new Set(found.values()).size === found.size;
  return firstSeen && distinct && found.size * 2 > ids.length ? found : undefined;
}
