/** All calls of one method of the hardware. In seconds. */
export interface HalStat {
  readonly calls: number;
  readonly total: number;
  readonly max: number;
}

const MAX_METHODS = 10_000;
const OTHER_CALLS = '(other calls)';

/** By `Class.method`; bounded, since a name may be made by the program. */
export class HalStats {
  readonly byMethod = new Map<string, { calls: number; total: number; max: number }>();

  add(method: string, seconds: number): void {
    const known = this.byMethod.get(method);
    if (known !== undefined) {
      known.calls += 1;
      known.total += seconds;
      if (seconds > known.max) known.max = seconds;
    } else if (this.byMethod.size < MAX_METHODS || method === OTHER_CALLS)
      this.byMethod.set(method, { calls: 1, total: seconds, max: seconds });
    else this.add(OTHER_CALLS, seconds);
  }
}
