import type { Profile, Thread } from '../model/index.js';
import type { WriteFacts } from './format.js';

/** Process of what names none: viewers want a number. */
const UNKNOWN_PID = 1;
/** Viewers keep ids in 32 bits, or in 31. */
const LARGEST_TID = 2 ** 31 - 1;

export function pidOf(thread: Thread, { process }: WriteFacts): number {
  return thread.pid ?? process?.pid ?? UNKNOWN_PID;
}

/** Name by id, each process once. */
export function processesOf(profile: Profile, facts: WriteFacts): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const thread of profile.threads) {
    const own = thread.pid === undefined ? facts.process?.name : thread.command;
    const pid = pidOf(thread, facts);
    if (!names.has(pid)) names.set(pid, own ?? profile.origin.path ?? profile.origin.format);
  }
  return names;
}

export function threadTitle({ name, tid }: Thread, index: number): string {
  return name ?? (tid === undefined ? `thread ${index + 1}` : `thread ${tid}`);
}

/** Ids of the rows: a thread keeps its own where that is small and no other's. */
export class TidTable {
  readonly #taken = new Set<number>();
  readonly #ids: number[] = [];
  #next = 1;

  constructor(threads: readonly Thread[]) {
    for (const { tid } of threads) if (isSmall(tid)) this.#next = Math.max(this.#next, tid + 1);
    if (this.#next > LARGEST_TID - 3 * threads.length) this.#next = 1;
    // Ids are given before any row asks for a free one.
    for (const [index, { tid }] of threads.entries()) {
      if (!isSmall(tid) || this.#taken.has(tid)) continue;
      this.#taken.add(tid);
      this.#ids[index] = tid;
    }
  }

  of(thread: number): number {
    return (this.#ids[thread] ??= this.next());
  }

  next(): number {
    while (this.#taken.has(this.#next)) this.#next += 1;
    this.#taken.add(this.#next);
    return this.#next;
  }
}

function isSmall(tid: number | undefined): tid is number {
  return tid !== undefined && Number.isSafeInteger(tid) && tid > 0 && tid <= LARGEST_TID;
}
