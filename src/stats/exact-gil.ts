/** One time that a thread asked for the GIL: nanoseconds, moments of one clock. */
export interface GilAsked {
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

/** @param windows disjoint, `[from, to]` in the same nanoseconds; some time must be in them. */
export function exactGil(
  asked: readonly GilAsked[],
  windows: readonly (readonly [number, number])[],
): ExactGil {
  const wallNs = windows.reduce((sum, [from, to]) => sum + to - from, 0);
  const byCaller = new Map<number, number>();
  const lengths: number[] = [];
  let blockedNs = 0;
  let runnableNs = 0;
  let taken = 0;
  for (const one of asked) {
    const inside = insideOf(one, windows);
    if (inside === 0) continue;
    taken += 1;
    runnableNs += one.runnableNs * inside;
    if (one.blockedNs === 0) continue;
    lengths.push(one.blockedNs);
    blockedNs += one.blockedNs * inside;
    byCaller.set(one.caller, (byCaller.get(one.caller) ?? 0) + one.blockedNs * inside);
  }
  lengths.sort((a, b) => a - b);
  const perS = (count: number): number => count / (wallNs / 1e9);
  return {
    share: blockedNs / wallNs,
    cpuWait: runnableNs / wallNs,
    takenPerS: perS(taken),
    waitsPerS: perS(lengths.length),
    medianS: (lengths[lengths.length >> 1] ?? 0) / 1e9,
    longestS: (lengths.at(-1) ?? 0) / 1e9,
    callers: [...byCaller]
      .map(([caller, ns]) => ({ caller, share: ns / wallNs }))
      .sort((a, b) => b.share - a.share || a.caller - b.caller),
  };
}

/** Part of it that lies in the windows; what is there at a moment of no length lies there whole. */
function insideOf({ startNs, endNs }: GilAsked, windows: readonly (readonly [number, number])[]): number {
  let inside = 0;
  for (const [from, to] of windows) {
    if (startNs === endNs && startNs >= from && startNs < to) return 1;
    inside += Math.max(0, Math.min(endNs, to) - Math.max(startNs, from));
  }
  return startNs === endNs ? 0 : inside / (endNs - startNs);
}
