import type { CostRow } from './table.js';

/** Where the time of steps went, summed over any number of them. */
export interface StepParts {
  readonly executeUs: number;
  readonly overheadUs: number;
  readonly dbWriteUs: number;
  readonly dbReadUs: number;
  readonly acquireUs: number;
  readonly otherUs: number;
  readonly sleepUs: number;
  readonly halUs: number;
  readonly computeUs: number;
}

/** Names as the text report has them, so that a report and a trace of one run read alike. */
export const PART = {
  execute: 'step body',
  overhead: 'overhead',
  dbWrite: 'db write',
  dbRead: 'db read',
  acquire: 'resource acquire',
  other: 'other',
  sleep: 'deliberate sleep',
  hal: 'HAL/transport calls',
  compute: 'python compute',
} as const;

export const PART_MEANING: Readonly<Record<string, { readonly meaning: string; readonly lever?: string }>> = {
  [PART.execute]: { meaning: 'what the step is there for' },
  [PART.overhead]: { meaning: 'the robot stands still: run_step around the step body' },
  [PART.dbWrite]: {
    meaning: 'SQLite insert and commit after each step',
    lever: 'collect the records and commit once, or write them from a thread',
  },
  [PART.dbRead]: { meaning: 'the upper bound of how long the step may take, from SQLite' },
  [PART.acquire]: { meaning: 'waiting for a hardware resource that another step holds' },
  [PART.other]: { meaning: 'logging, signatures, asyncio: overhead that no phase accounts for' },
  [PART.sleep]: { meaning: 'asyncio.sleep in the body, with the lag of the loop at its end' },
  [PART.hal]: {
    meaning: 'synchronous calls into hardware: the loop cannot run anything else meanwhile',
    lever: 'call them in a thread, or less often',
  },
  [PART.compute]: { meaning: 'the rest of the body: Python, and whatever blocks without being a known call' },
};

/** Rows of a whole: the two halves of a step, and what they consist of. What is 0 may not have been measured, and is no row. */
export function partRows(
  parts: StepParts,
  under: readonly string[],
  shareOf: (us: number) => { readonly share?: number },
): readonly CostRow[] {
  const row = (name: string, totalUs: number, path: readonly string[]): readonly CostRow[] =>
    totalUs > 0
      ? [
          {
            name,
            path: [...under, ...path],
            role: 'part',
            totalUs,
            ...shareOf(totalUs),
            ...PART_MEANING[name],
          },
        ]
      : [];
  return [
    ...row(PART.execute, parts.executeUs, []),
    ...row(PART.sleep, parts.sleepUs, [PART.execute]),
    ...row(PART.hal, parts.halUs, [PART.execute]),
    ...row(PART.compute, parts.computeUs, [PART.execute]),
    ...row(PART.overhead, parts.overheadUs, []),
    ...row(PART.dbWrite, parts.dbWriteUs, [PART.overhead]),
    ...row(PART.dbRead, parts.dbReadUs, [PART.overhead]),
    ...row(PART.acquire, parts.acquireUs, [PART.overhead]),
    ...row(PART.other, parts.otherUs, [PART.overhead]),
  ];
}
