import { PROC, listIds, readProcText } from './file.js';
import { readStat } from './stat.js';

/** Children of a process. The kernel lists them where it was built to; else all processes are asked for their parent. */
export function childrenOf(pid: number): readonly number[] {
  const listed = readProcText(PROC, String(pid), 'task', String(pid), 'children');
  if (listed !== undefined) return listed.split(' ').filter(Boolean).map(Number);
  return listIds(PROC).filter((one) => readStat(one)?.ppid === pid);
}
