/** One run of a simulation from start to end, by a clock outside it. */
export interface TimedRun {
  /** Seconds that it was told to simulate: exact. */
  readonly simS: number;
  /** Seconds from its start to its end. */
  readonly wallS: number;
  /** How far `wallS` may be off by the way it is written: half a unit of its last digit, in seconds. */
  readonly readingS: number;
}

const RUN = /^(\d+(?:\.\d+)?):(\d+(?:\.(\d+))?)$/;

/** More runs than anybody makes by hand. */
const MOST_RUNS = 1000;

/** Reads `20:26.3,40:36.1`, simulated and wall seconds of each run; undefined where it is none such. */
export function parseTimedRuns(text: string): readonly TimedRun[] | undefined {
  const parts = text.split(',', MOST_RUNS + 1);
  if (parts.length > MOST_RUNS) return undefined;
  const runs = parts.flatMap((part) => {
    const [, sim = '', wall = '', digits = ''] = RUN.exec(part.trim()) ?? [];
    const run = { simS: Number(sim), wallS: Number(wall), readingS: 0.5 * 10 ** -digits.length };
    return run.simS > 0 && run.wallS > 0 && Number.isFinite(run.simS + run.wallS) ? [run] : [];
  });
  return runs.length === parts.length ? runs : undefined;
}

/** The same as text, each wall time with the digits that it was read with. */
export function timedRunsText(runs: readonly TimedRun[]): string {
  return runs
    .map(({ simS, wallS, readingS }) => `${simS}:${wallS.toFixed(Math.max(0, digitsOf(readingS)))}`)
    .join(',');
}

function digitsOf(readingS: number): number {
  return Math.round(-Math.log10(2 * readingS));
}
