import type { Finding } from '../model/index.js';
import { shownPid, type Target, type TargetThread } from '../target/index.js';

/** Above every thread id that Linux gives (2^22): such a number is the address of a pthread block. */
const LARGEST_TID = 4_194_304n;

/** Thread id as the sampler printed it -> name of the thread, where it printed one. */
export type PrintedThreads = ReadonlyMap<string, string | undefined>;

/** Which host thread a printed id is. Only ids that differ from the host's. */
export interface ThreadIdMap {
  readonly ids: Readonly<Record<string, number>>;
  /** Mapped by their name only. */
  readonly byName: readonly string[];
  readonly unmapped: readonly string[];
}

/** Finds the `thread (ID): name` frames that begin folded stacks. */
export function printedThreads(raw: string): PrintedThreads {
  const found = new Map<string, string | undefined>();
  for (const [, id = '', name] of raw.matchAll(
    /^(?:process [^\n]*?;)?thread \((0x[0-9A-Fa-f]+|\d+)\)(?:: ([^;\n]*))?/gm,
  )) {
    if (!found.has(id)) found.set(id, name?.replace(/ \d+$/, ''));
  }
  return found;
}

function byName(
  name: string | undefined,
  target: Target,
  living: readonly TargetThread[],
): number | undefined {
  if (name === 'MainThread') return target.pid;
  // The kernel keeps 15 bytes of a name.
  const short = name === undefined ? undefined : Buffer.from(name).toString('latin1', 0, 15);
  const same = living.filter(({ comm }) => Buffer.from(comm).toString('latin1', 0, 15) === short);
  return same.length === 1 ? same[0]?.tid : undefined;
}

/**
 * Maps printed ids to host thread ids. Python up to 3.10 has no OS thread id, so a sampler that does not stop the target prints
 * addresses; from outside a container it prints the container's ids. `lookUp` resolves addresses through the target's memory.
 */
export function mapThreadIds(
  printed: PrintedThreads,
  target: Target,
  living: readonly TargetThread[],
  lookUp: (addresses: readonly bigint[]) => ReadonlyMap<bigint, number> | undefined,
): ThreadIdMap {
  const addresses = [...printed.keys()].map(BigInt).filter((id) => id > LARGEST_TID);
  const found = addresses.length === 0 ? undefined : lookUp(addresses);
  const ids: Record<string, number> = {};
  const named: string[] = [];
  const unmapped: string[] = [];
  const hostTids = new Set(living.map(({ tid }) => tid));
  for (const [id, name] of printed) {
    const value = BigInt(id);
    let tid: number | undefined;
    if (value > LARGEST_TID) {
      tid = found?.get(value);
      if (tid === undefined) {
        tid = byName(name, target, living);
        (tid === undefined ? unmapped : named).push(id);
      }
    } else if (target.nsPid !== undefined) {
      tid = living.find(({ nsTid }) => nsTid === Number(id))?.tid;
      if (tid === undefined && !hostTids.has(Number(id))) unmapped.push(id);
    }
    if (tid === undefined || String(tid) === id) continue;
    // Readers may know the id as a number only.
    ids[id] = tid;
    ids[value.toString()] = tid;
  }
  return { ids, byName: named, unmapped };
}

/** Keeps what an earlier slice mapped, also of threads that have ended since. */
export function mergeThreadIds(before: ThreadIdMap, now: ThreadIdMap): ThreadIdMap {
  const ids = { ...now.ids, ...before.ids };
  const still = (list: readonly string[]): string[] => list.filter((id) => before.ids[id] === undefined);
  const named = [...new Set([...before.byName, ...still(now.byName)])];
  const unmapped = [...new Set([...before.unmapped, ...now.unmapped])].filter((id) => ids[id] === undefined);
  return { ids, byName: named, unmapped };
}

/** Names that the sampler printed, by host thread id. */
export function threadNames(printed: PrintedThreads, { ids }: ThreadIdMap): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const [id, name] of printed)
    if (name !== undefined && name !== '') names.set(ids[id] ?? Number(id), name);
  return names;
}

export function threadIdFindings(
  { byName: named, unmapped }: ThreadIdMap,
  target: Target,
): readonly Finding[] {
  const findings: Finding[] = [];
  if (named.length > 0) {
    findings.push({
      level: 'note',
      id: 'thread-ids-by-name',
      what: `${named.length} threads were matched to the kernel's threads by their name only.`,
      why: `Python ${target.runtimeVersion ?? 'of this version'} does not tell its thread ids, and the thread's own memory could not be read.`,
    });
  }
  if (unmapped.length > 0) {
    const inside = target.nsPid !== undefined;
    findings.push({
      level: 'warning',
      id: 'thread-ids-unmapped',
      what: `${unmapped.length} sampled threads could not be matched to threads of process ${shownPid(target)}.`,
      why: inside
        ? 'The target lives in a pid namespace of its own, and these threads ended before their ids could be looked up: they have samples but no kernel accounting.'
        : 'They ended before their ids could be looked up: they have samples but no kernel accounting.',
    });
  }
  return findings;
}
