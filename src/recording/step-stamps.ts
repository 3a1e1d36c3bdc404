/** File of a recording that has a line for each step: nanoseconds of CLOCK_MONOTONIC, thread, and which world, apart by tabs. */
export const STEP_FILE = 'steps.tsv';

/** Steps as they began, in order of time. */
export interface StepStamps {
  readonly ns: readonly bigint[];
  readonly tid: readonly number[];
  /** `mjData` that was stepped, by number, the first that was seen being 0. */
  readonly world: readonly number[];
}

export function stepLine(ns: number, tid: number, world: number): string {
  return `${ns}\t${tid}\t${world}\n`;
}

/** Content of the file; lines that are none, such as a last one that was cut off, are left out. */
export function parseStepStamps(text: string): StepStamps {
  const rows: { readonly ns: bigint; readonly tid: number; readonly world: number }[] = [];
  for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) {
    const [, ns, tid, world] = /^(\d{1,19})\t(\d{1,10})\t(\d{1,6})$/.exec(line) ?? [];
    if (ns !== undefined) rows.push({ ns: BigInt(ns), tid: Number(tid), world: Number(world) });
  }
  // Processors write for themselves: neighbours may have changed places.
  rows.sort((a, b) => (a.ns < b.ns ? -1 : a.ns > b.ns ? 1 : 0));
  return {
    ns: rows.map(({ ns }) => ns),
    tid: rows.map(({ tid }) => tid),
    world: rows.map(({ world }) => world),
  };
}
