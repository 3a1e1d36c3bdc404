/** All calls of one method of the hardware. In seconds. */
export interface HalStat {
  readonly calls: number;
  readonly total: number;
  readonly max: number;
}

const MAX_METHODS = 10_000;
const OTHER_CALLS = '(other calls)';

/** By `Class.method`; bounded, since a name may be made by the program. */
export function addCall(stats: Map<string, HalStat>, method: string, seconds: number): void {
  const name = stats.has(method) || stats.size < MAX_METHODS ? method : OTHER_CALLS;
  const { calls, total, max } = stats.get(name) ?? { calls: 0, total: 0, max: 0 };
  stats.set(name, { calls: calls + 1, total: total + seconds, max: Math.max(max, seconds) });
}
