import { listIds, PROC, readProcText } from '../proc/file.js';
import { hasEnded, readStat } from '../proc/stat.js';
import { OWNER_VARIABLE, ownerState } from './owner.js';

/** A process whose environment says which profiler started it. */
export interface OwnedProcess {
  readonly pid: number;
  readonly startTicks: number;
}

/**
 * Samplers whose profiler has ended. A profiler that is killed between starting one and writing it down leaves only this mark.
 * Processes that we may not look into are left out.
 */
export function orphans(proc: string = PROC): readonly OwnedProcess[] {
  return listIds(proc).flatMap((pid) => {
    const environment = readProcText(proc, String(pid), 'environ');
    if (environment === undefined || !environment.includes(`${OWNER_VARIABLE}=`)) return [];
    const mark = environment
      .split('\0')
      .find((line) => line.startsWith(`${OWNER_VARIABLE}=`))
      ?.slice(OWNER_VARIABLE.length + 1);
    const stat = readStat(pid, proc);
    return stat === undefined || hasEnded(stat) || ownerState(mark, proc) !== 'ended'
      ? []
      : [{ pid, startTicks: stat.startTicks }];
  });
}
