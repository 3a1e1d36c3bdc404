import { readStampFile } from './stamp-file.js';

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

const LINE = /^(\d{1,19})\t(\d{1,10})\t(\d{1,6})$/;

/** Content of the file; lines that are none, such as a last one that was cut off, are left out. */
export function parseStepStamps(text: string): StepStamps {
  const columns: [number[], number[], number[]] = [[], [], []];
  let isSorted = true;
  for (let at = 0, end = text.indexOf('\n'); end >= 0; at = end + 1, end = text.indexOf('\n', at)) {
    const [, ns, tid, world] = LINE.exec(text.slice(at, end)) ?? [];
    if (ns === undefined) continue;
    isSorted &&= Number(ns) >= (columns[0].at(-1) ?? 0);
    for (const [column, value] of [ns, tid, world].entries()) columns[column]?.push(Number(value));
  }
  const [ns, tid, world] = columns.map((column) => Float64Array.from(column)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  if (isSorted) return { ns, tid, world };
  // Each processor writes for itself, so neighbours may have changed places.
  const order = Uint32Array.from(ns.keys()).sort((a, b) => (ns[a] as number) - (ns[b] as number));
  const inOrder = (column: Float64Array): Float64Array =>
    Float64Array.from(order, (row) => column[row] as number);
  return { ns: inOrder(ns), tid: inOrder(tid), world: inOrder(world) };
}

/** Steps of a recording folder that has them. Rejects as `readStampFile`. */
export async function readStepStamps(folder: string): Promise<StepStamps> {
  return parseStepStamps(await readStampFile(folder, STEP_FILE));
}
