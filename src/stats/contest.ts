/** One of two threads that want the GIL. Shares of its wall time, and the part of its GIL wait for which the other is to blame, 0 to 1. */
export interface Contestant {
  readonly onCpu: number;
  readonly cpuWait: number;
  readonly gilWait: number;
  readonly forOther: number;
}

/** What one of them got of the time that it wanted to run: parts of `wanted`, which is a share of its wall time. */
export interface Lot {
  /** On a CPU, or waiting for one, or for the GIL. */
  readonly wanted: number;
  readonly ran: number;
  /** Waited for a CPU. */
  readonly withoutCpu: number;
  /** Waited for the GIL because of the other. */
  readonly waited: number;
}

export interface Contest {
  readonly first: Lot;
  readonly other: Lot;
  /** Who is in whose way. `each-other`: neither waits twice as much as the other. */
  readonly verdict: 'first-delays-other' | 'other-delays-first' | 'each-other' | 'neither';
  /** The one that waits does so for at least half of the time that it wants to run. */
  readonly starves: boolean;
}

/** Part of the time that a thread wants to run from which on waiting for another is worth a word. */
const MATTERS = 0.1;
/** So many times as much has one to wait for the other to be the one that suffers. */
const CLEARLY = 2;
/** Part from which on waiting is starving. */
const STARVES = 0.5;

/** Who of two threads keeps the GIL from whom. Undefined where one of them never wants to run. */
export function contest(first: Contestant, other: Contestant): Contest | undefined {
  const own = lotOf(first);
  const theirs = lotOf(other);
  if (own === undefined || theirs === undefined) return undefined;
  const verdict = verdictOf(own.waited, theirs.waited);
  return {
    first: own,
    other: theirs,
    verdict,
    starves: verdict !== 'neither' && Math.max(own.waited, theirs.waited) >= STARVES,
  };
}

function lotOf({ onCpu, cpuWait, gilWait, forOther }: Contestant): Lot | undefined {
  const wanted = onCpu + cpuWait + gilWait;
  if (!(wanted > 0)) return undefined;
  return {
    wanted,
    ran: onCpu / wanted,
    withoutCpu: cpuWait / wanted,
    waited: (gilWait * forOther) / wanted,
  };
}

function verdictOf(first: number, other: number): Contest['verdict'] {
  if (Math.max(first, other) < MATTERS) return 'neither';
  if (first >= CLEARLY * other) return 'other-delays-first';
  return other >= CLEARLY * first ? 'first-delays-other' : 'each-other';
}
