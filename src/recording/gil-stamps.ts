import { createReadStream } from 'node:fs';
import { stampFile } from './stamp-file.js';

/**
 * File of a recording with a line for each time that a thread asked for the GIL: when it asked and when it had it (nanoseconds of CLOCK_MONOTONIC),
 * thread, nanoseconds asleep and without a CPU meanwhile, and the number of who asked (-1: the interpreter itself), apart by tabs.
 */
export const GIL_FILE = 'gil.tsv';

/** One of these lines. */
export interface GilStamp {
  readonly startNs: number;
  readonly endNs: number;
  readonly tid: number;
  readonly blockedNs: number;
  readonly runnableNs: number;
  /** Row of the recording's `callers`; -1 for none. */
  readonly caller: number;
}

export function gilLine({ startNs, endNs, tid, blockedNs, runnableNs, caller }: GilStamp): string {
  return `${[startNs, endNs, tid, blockedNs, runnableNs, caller].join('\t')}\n`;
}

const LINE = /^(\d{1,19})\t(\d{1,19})\t(\d{1,10})\t(\d{1,16})\t(\d{1,16})\t(-1|\d{1,4})$/;
const LONGEST = 200;
/** What a number of nanoseconds may be off by after years of uptime, where not every whole one can be written. */
const ROUNDING_NS = 4096;

/** Undefined for a line that is none, or tells of more time than there was. */
export function parseGilLine(line: string): GilStamp | undefined {
  const numbers = LINE.exec(line)?.slice(1).map(Number);
  if (numbers === undefined) return undefined;
  const [startNs = 0, endNs = 0, tid = 0, blockedNs = 0, runnableNs = 0, caller = -1] = numbers;
  const isPossible = blockedNs + runnableNs <= endNs - startNs + ROUNDING_NS && endNs >= startNs;
  return isPossible ? { startNs, endNs, tid, blockedNs, runnableNs, caller } : undefined;
}

/** Hands over each line of a recording folder's file, undefined for one that cannot be read; a last one that was cut off is left out. Rejects as `stampFile`. */
export async function eachGilStamp(
  folder: string,
  use: (stamp: GilStamp | undefined) => void,
): Promise<void> {
  let rest = '';
  for await (const chunk of createReadStream(await stampFile(folder, GIL_FILE), 'latin1')) {
    const lines = (rest + String(chunk)).split('\n');
    rest = (lines.pop() ?? '').slice(0, LONGEST);
    for (const line of lines) use(parseGilLine(line));
  }
}
