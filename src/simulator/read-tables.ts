import { CHROME_TRACE } from './chrome-trace.js';
import { documentOf } from './json-text.js';
import { bareLine } from './log-lines.js';
import { FLYGYM_PERF } from './flygym-perf.js';
import { FLYGYM_THROUGHPUT } from './flygym-throughput.js';
import { MUJOCO_LOG_TOPICS } from './mujoco-log-topics.js';
import { MUJOCO_TESTSPEED } from './mujoco-testspeed.js';
import { MUJOCO_TIMER_DUMP } from './mujoco-timer-dump.js';
import { MUJOCO_TIMER_TABLE } from './mujoco-timer-table.js';
import { MUJOCO_WARP } from './mujoco-warp.js';
import { NSYS_STATS } from './nsys-stats.js';
import { PYRITE } from './pyrite.js';
import { RACCOON_REPORT } from './raccoon-report.js';
import { RACCOON_TRACE } from './raccoon-trace.js';
import { ROQSIM } from './roqsim.js';
import { TELEMETRY_REPORT } from './telemetry-report.js';
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
  NSYS_STATS,
  RACCOON_REPORT,
  RACCOON_TRACE,
  PYRITE,
  TELEMETRY_REPORT,
  CHROME_TRACE,
];

/**
 * Every table that a text holds, in the order in which they stand there: a log with whatever else is in it, or one JSON document, of a
 * Chrome trace also what was written of it before a crash. None where nothing is known.
 */
export function readTables(text: string): readonly CostTable[] {
  const tables = ofDocument(text);
  if (tables.length > 0) return tables.map(withinReason);
  const lines = text.split('\n').map(bareLine);
  const found = ofLines(lines);
  if (text.length > LONGEST_QUOTED) return found;
  // Quoted in a document or a mail, a table stands further to the right than any program prints it.
  const moved = ofLines(leftmost(lines));
  return rowCount(moved) > rowCount(found) ? moved : found;
}

/** A document or a mail; logs are longer, and nobody moves their lines. */
const LONGEST_QUOTED = 1_000_000;

function rowCount(tables: readonly CostTable[]): number {
  return tables.reduce((sum, { rows }) => sum + rows.length, 0);
}

function ofLines(lines: readonly string[]): readonly CostTable[] {
  return READERS.flatMap((reader) => reader.text?.(lines) ?? [])
    .map(withinReason)
    .toSorted((a, b) => a.lines.from - b.lines.from);
}

/** Each run of lines that are not at the left, moved there as a whole. */
function leftmost(lines: readonly string[]): readonly string[] {
  const moved: string[] = [];
  let run: string[] = [];
  const flush = (): void => {
    const least = Math.min(...run.filter((line) => line.trim() !== '').map(indentOf));
    for (const line of run) moved.push(Number.isFinite(least) ? line.slice(least) : line);
    run = [];
  };
  for (const line of lines) {
    if (line.trim() === '' || indentOf(line) > 0) run.push(line);
    else {
      flush();
      moved.push(line);
    }
  }
  flush();
  return moved;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Three thousand years in microseconds. */
const MOST = 1e17;

/** What no clock and no counter of a simulation shows is not known: sums of it would be infinite. */
function withinReason(table: CostTable): CostTable {
  return { ...onlyReal(table), rows: table.rows.map(onlyReal) };
}

function isReal(value: unknown): boolean {
  return typeof value !== 'number' || (Number.isFinite(value) && Math.abs(value) <= MOST);
}

function onlyReal<Facts extends object>(facts: Facts): Facts {
  const entries = Object.entries(facts);
  // Every number of a row or a table may be left out.
  return entries.every(([, value]) => isReal(value))
    ? facts
    : (Object.fromEntries(entries.filter(([, value]) => isReal(value))) as Facts);
}

/** A reader of a document does not see its text: each table is of all its lines, and the first says that it was cut off. */
function ofDocument(text: string): readonly CostTable[] {
  const read = documentOf(text);
  if (read === undefined) return [];
  const lines = { from: 1, to: lineCount(text) };
  return READERS.flatMap(({ json }) => json?.(read.document) ?? []).map((table, at) => ({
    ...table,
    lines,
    findings: at === 0 && read.finding !== undefined ? [read.finding, ...table.findings] : table.findings,
  }));
}

function lineCount(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1))
    lines += 1;
  return lines;
}
