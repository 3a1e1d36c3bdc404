import type { Snapshot, ThreadReading } from '../../src/capture/thread-readings.js';

/** Readings at `atS` seconds: tid -> CPU seconds, waiting seconds, voluntary switches. */
export function at(atS: number, threads: Record<number, readonly [number, number, number]>): Snapshot {
  const atNs = BigInt(Math.round(atS * 1e9));
  const readings = Object.entries(threads).map(([tid, [on, wait, switches]]): [number, ThreadReading] => [
    Number(tid),
    {
      tid: Number(tid),
      comm: `t${tid}`,
      atNs,
      onCpuNs: on * 1e9,
      cpuWaitNs: wait * 1e9,
      voluntarySwitches: switches,
      involuntarySwitches: 2 * switches,
    },
  ]);
  return { atNs, threads: new Map(readings) };
}
