import { readFileSync } from 'node:fs';
import type { MachineCpu } from '../recording/index.js';

/** A tick of `/proc/stat` (USER_HZ, 100 on every machine that Node runs on). */
const TICK_NS = 1e7;
/** Its fields of time in use: user (with that of guests), nice, system, irq, softirq and steal. Between them are idle and iowait. */
const IN_USE: readonly number[] = [0, 1, 2, 5, 6, 7];
const STOLEN = 7;

/** The first line of `/proc/stat`, proc_stat(5): time of all CPUs since the machine began. Undefined where it is not there. */
export function parseMachineCpu(text: string): MachineCpu | undefined {
  const fields = /^cpu +((?:\d+ ?)+)$/m.exec(text)?.[1]?.trim().split(' ').map(Number);
  const stolen = fields?.[STOLEN];
  if (fields === undefined || stolen === undefined) return undefined;
  const busy = IN_USE.reduce((sum, index) => sum + (fields[index] ?? 0), 0);
  return { busyNs: busy * TICK_NS, stolenNs: stolen * TICK_NS };
}

export function readMachineCpu(): MachineCpu | undefined {
  try {
    return parseMachineCpu(readFileSync('/proc/stat', 'utf8'));
  } catch {
    return undefined;
  }
}

/** From the first of these readings that has it to the last. */
export function machineCpuBetween(
  readings: readonly { readonly machineCpu?: MachineCpu }[],
): MachineCpu | undefined {
  const known = readings.flatMap(({ machineCpu }) => machineCpu ?? []);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined || first === last) return undefined;
  const stolenNs = Math.max(0, last.stolenNs - first.stolenNs);
  return { busyNs: Math.max(stolenNs, last.busyNs - first.busyNs), stolenNs };
}
