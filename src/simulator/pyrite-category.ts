import { asRecord, asWhole } from '../formats/index.js';
import { asTime } from './trace-events.js';

/** A category of the report. Milliseconds are written with three digits behind the point: whole microseconds. */
export interface PyriteCategory {
  readonly name: string;
  readonly calls: number;
  readonly meanUs: number;
  readonly minUs: number;
  readonly maxUs: number;
  readonly p99Us: number;
  readonly totalUs: number;
  /** The ring of at least one thread is full: calls and total are of the last ones only. */
  readonly isCapped: boolean;
}

export const FRAME = 'Frame_Total';
const KEYS: ReadonlySet<string> = new Set(['Calls', 'Avg_ms', 'Min_ms', 'Max_ms', 'P99_ms', 'Total_Time_ms']);

/** Samples that a ring keeps of each category, for each thread; the program may be built with another number. */
export const RING = 10_000;

export function categoryOf(name: string, value: unknown): PyriteCategory | undefined {
  const fields = asRecord(value);
  if (fields === undefined || Object.keys(fields).length !== KEYS.size) return undefined;
  const us = (key: string): number => Math.round((asTime(fields[key]) ?? Number.NaN) * 1000);
  const calls = asWhole(fields['Calls']) ?? 0;
  const category = {
    name,
    calls,
    meanUs: us('Avg_ms'),
    minUs: us('Min_ms'),
    maxUs: us('Max_ms'),
    p99Us: us('P99_ms'),
    totalUs: us('Total_Time_ms'),
    isCapped: calls % RING === 0,
  };
  const isRead = Object.values(category).every((one) => typeof one !== 'number' || Number.isFinite(one));
  return calls > 0 && isRead ? category : undefined;
}
