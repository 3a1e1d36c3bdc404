import { bareLine } from './log-lines.js';
import { FLYGYM_PERF } from './flygym-perf.js';
import { FLYGYM_THROUGHPUT } from './flygym-throughput.js';
import { MUJOCO_LOG_TOPICS } from './mujoco-log-topics.js';
import { MUJOCO_TESTSPEED } from './mujoco-testspeed.js';
import { MUJOCO_TIMER_DUMP } from './mujoco-timer-dump.js';
import { MUJOCO_TIMER_TABLE } from './mujoco-timer-table.js';
import { MUJOCO_WARP } from './mujoco-warp.js';
import { ROQSIM } from './roqsim.js';
import type { CostTable, TableReader } from './table.js';

const READERS: readonly TableReader[] = [
  ROQSIM,
  MUJOCO_TIMER_TABLE,
  MUJOCO_TESTSPEED,
  MUJOCO_LOG_TOPICS,
  MUJOCO_TIMER_DUMP,
  MUJOCO_WARP,
  FLYGYM_PERF,
  FLYGYM_THROUGHPUT,
];

/**
 * Every table that a text holds, in the order in which they stand there: a log with whatever else is in it, or one JSON document. None
 * where nothing is known.
 */
export function readTables(text: string): readonly CostTable[] {
  const document = parsed(text);
  if (document !== undefined) return READERS.flatMap(({ json }) => json?.(document) ?? []);
  const lines = text.split('\n').map(bareLine);
  return READERS.flatMap((reader) => reader.text?.(lines) ?? []).toSorted(
    (a, b) => a.lines.from - b.lines.from,
  );
}

/** A document begins with a bracket; a log that does is none. */
function parsed(text: string): unknown {
  if (!/^\uFEFF?\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
