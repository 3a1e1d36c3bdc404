import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** File of a recording that has a line for each step: nanoseconds of CLOCK_MONOTONIC, thread, and which world, apart by tabs. */
export const STEP_FILE = 'steps.tsv';

/** Steps as they began, in order of time; a row for each. */
export interface StepStamps {
  /** Nanoseconds of CLOCK_MONOTONIC. */
  readonly ns: Float64Array;
  readonly tid: Float64Array;
  /** `mjData` that was stepped, by number, the first that was seen being 0. */
  readonly world: Float64Array;
}

export function stepLine(ns: number, tid: number, world: number): string {
  return `${ns}\t${tid}\t${world}\n`;
}

const LINE = /^(\d{1,16})\t(\d{1,10})\t(\d{1,6})$/;

/** Content of the file; lines that are none, such as a last one that was cut off, are left out. */
export function parseStepStamps(text: string): StepStamps {
  const rows: { readonly ns: number; readonly tid: number; readonly world: number }[] = [];
  for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) {
    const [, ns, tid, world] = LINE.exec(line) ?? [];
    if (ns !== undefined) rows.push({ ns: Number(ns), tid: Number(tid), world: Number(world) });
  }
  // Each processor writes for itself, so neighbours may have changed places.
  rows.sort((a, b) => a.ns - b.ns);
  return {
    ns: Float64Array.from(rows, ({ ns }) => ns),
    tid: Float64Array.from(rows, ({ tid }) => tid),
    world: Float64Array.from(rows, ({ world }) => world),
  };
}

/** Longer, and no string can hold it: three hours of 1000 steps a second. */
const MOST_BYTES = 400e6;

/** Steps of a recording folder that has them. Rejects where the file is gone, or too large. */
export async function readStepStamps(folder: string): Promise<StepStamps> {
  const { size } = await stat(join(folder, STEP_FILE));
  if (size > MOST_BYTES) throw new RangeError(`${STEP_FILE} has ${size} bytes`);
  return parseStepStamps(await readFile(join(folder, STEP_FILE), 'utf8'));
}
