import type { PerfEvent } from './perf-script-event.js';
import type { PerfHeader } from './perf-script-header.js';

/** What a `PERF_RECORD_` line says. */
export function recordOf({ place, record = '', rest }: PerfHeader): PerfEvent {
  if (record === 'SWITCH' || record === 'SWITCH_CPU_WIDE') {
    const words = /^(IN|OUT)\b( preempt)?/.exec(rest);
    const other = /(?:next|prev) pid\/tid: +(-?\d{1,10})\/(-?\d{1,10})/.exec(rest.slice(0, 200));
    if (words !== null) {
      return {
        kind: 'switch',
        ...place,
        direction: words[1] === 'IN' ? 'in' : 'out',
        preempted: words[2] !== undefined,
        ...(other !== null && { other: { pid: Number(other[1]), tid: Number(other[2]) } }),
      };
    }
  }
  if (record === 'LOST' || record === 'LOST_SAMPLES') {
    const count = /(?:^|\s)lost:? *(\d{1,15})(?=\s|$)/.exec(rest.slice(0, 200));
    if (count !== null) return { kind: 'lost', ...place, count: Number(count[1]) };
  }
  if (record === 'THROTTLE' || record === 'UNTHROTTLE') {
    return { kind: 'throttle', ...place, on: record === 'THROTTLE' };
  }
  return { kind: 'record', ...place, record, text: rest.replace(/^:\s{1,8}/, '') };
}
