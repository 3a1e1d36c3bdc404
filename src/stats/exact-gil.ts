/** One time that a thread asked for the GIL: nanoseconds, moments of one clock. */
export interface GilAsked {
  readonly tid: number;
  readonly startNs: number;
  readonly endNs: number;
  readonly blockedNs: number;
  readonly runnableNs: number;
  readonly caller: number;
}

/** How much of windows a thread waited for the GIL, each time counted. */
export interface ExactGil {
  /** Part of the windows in which it was asleep until the GIL was let go. */
  readonly share: number;
  /** Part in which it was woken for the GIL and had no CPU yet: no GIL wait, but a CPU wait because of one. */
  readonly cpuWait: number;
  /** How often a second it took the GIL, and how often it had to wait for it. */
  readonly takenPerS: number;
  readonly waitsPerS: number;
  /** Length of a wait in seconds; 0 where there was none. */
  readonly medianS: number;
  readonly longestS: number;
  /** Wait by who asked, most first; `caller` -1 is the interpreter itself. */
  readonly callers: readonly { readonly caller: number; readonly share: number }[];
}

/** Disjoint, `[from, to]` in nanoseconds, in order. */
export type GilWindows = readonly (readonly [number, number])[];

interface Sums {
  blockedNs: number;
  runnableNs: number;
  taken: number;
  untilNs: number;
  readonly lengths: number[];
  readonly byCaller: Map<number, number>;
}

/** Adds up, thread by thread, however many times there were. */
export class GilTally {
  readonly #windows: GilWindows;
  readonly #wallNs: number;
  readonly #threads = new Map<number, Sums>();
  #impossible = 0;

  /** @param windows some time must be in them. */
  constructor(windows: GilWindows) {
    this.#windows = windows;
    this.#wallNs = windows.reduce((sum, [from, to]) => sum + to - from, 0);
  }

  /** Times that began before the same thread had the GIL the time before. */
  get impossible(): number {
    return this.#impossible;
  }

  /** Of one thread in the order in which they ended. */
  add(one: GilAsked): void {
    const sums = this.#threads.get(one.tid) ?? {
      blockedNs: 0,
      runnableNs: 0,
      taken: 0,
      untilNs: 0,
      lengths: [],
      byCaller: new Map<number, number>(),
    };
    this.#threads.set(one.tid, sums);
    if (one.startNs < sums.untilNs) {
      this.#impossible += 1;
      return;
    }
    sums.untilNs = one.endNs;
    const inside = insideOf(one, this.#windows);
    if (inside === 0) return;
    sums.taken += 1;
    sums.runnableNs += one.runnableNs * inside;
    if (one.blockedNs === 0) return;
    sums.lengths.push(one.blockedNs);
    sums.blockedNs += one.blockedNs * inside;
    sums.byCaller.set(one.caller, (sums.byCaller.get(one.caller) ?? 0) + one.blockedNs * inside);
  }

  /** What one thread comes to: nothing where it never asked. */
  of(tid: number): ExactGil {
    const sums = this.#threads.get(tid);
    const lengths = sums?.lengths.toSorted((a, b) => a - b) ?? [];
    const share = (ns: number): number => ns / this.#wallNs;
    const perS = (count: number): number => count / (this.#wallNs / 1e9);
    return {
      share: share(sums?.blockedNs ?? 0),
      cpuWait: share(sums?.runnableNs ?? 0),
      takenPerS: perS(sums?.taken ?? 0),
      waitsPerS: perS(lengths.length),
      medianS: (lengths[lengths.length >> 1] ?? 0) / 1e9,
      longestS: (lengths.at(-1) ?? 0) / 1e9,
      callers: [...(sums?.byCaller ?? [])]
        .map(([caller, ns]) => ({ caller, share: share(ns) }))
        .sort((a, b) => b.share - a.share || a.caller - b.caller),
    };
  }
}

/** Part of it that lies in the windows; what is there at a moment of no length lies there whole. */
function insideOf({ startNs, endNs }: GilAsked, windows: GilWindows): number {
  let inside = 0;
  for (const [from, to] of windows) {
    if (startNs === endNs && startNs >= from && startNs < to) return 1;
    inside += Math.max(0, Math.min(endNs, to) - Math.max(startNs, from));
  }
  return startNs === endNs ? 0 : inside / (endNs - startNs);
}
