import { readExe } from '../proc/command.js';
import { PROC } from '../proc/file.js';
import { readMaps } from '../proc/maps.js';
import type { GilRange } from '../target.js';
import { findGilRange } from './gil-range.js';
import { type PythonFacts, readPythonFacts } from './interpreter.js';

/** What is known of a Python by its number alone, as one sees it who shares its pid namespace. */
export interface Interpreter extends PythonFacts {
  /** Where its runtime is; absent where that is not found, and in a free-threaded build. */
  readonly runtime?: GilRange;
}

/** `undefined` where we may not look into the process, or it has ended. */
export function interpreterOf(pid: number, proc: string = PROC): Interpreter | undefined {
  const maps = readMaps(pid, proc);
  if (maps === undefined || maps.length === 0) return undefined;
  const facts = readPythonFacts(pid, maps, readExe(pid, proc), proc);
  const runtime = findGilRange({ pid, ...facts }, proc);
  return { ...facts, ...(runtime === undefined ? {} : { runtime }) };
}
