import { readStampFile } from './stamp-file.js';

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

/** Content of the file; lines that are none, such as a last one that was cut off, are left out. */
export function parseGilStamps(text: string): readonly GilStamp[] {
  const found: GilStamp[] = [];
  for (let at = 0, end = text.indexOf('\n'); end >= 0; at = end + 1, end = text.indexOf('\n', at)) {
    const numbers = LINE.exec(text.slice(at, end))?.slice(1).map(Number);
    if (numbers === undefined) continue;
    const [startNs = 0, endNs = 0, tid = 0, blockedNs = 0, runnableNs = 0, caller = -1] = numbers;
    found.push({ startNs, endNs, tid, blockedNs, runnableNs, caller });
  }
  return found;
}

/** Those of a recording folder that has them. Rejects as `readStampFile`. */
export async function readGilStamps(folder: string): Promise<readonly GilStamp[]> {
  return parseGilStamps(await readStampFile(folder, GIL_FILE));
}
