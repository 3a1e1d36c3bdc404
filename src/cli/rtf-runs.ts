import { InvalidArgumentError } from 'commander';
import type { Rtf } from '../report/index.js';
import { factorOfRuns, parseTimedRuns, type TimedRun, timedRunsText } from '../simulator/index.js';
import type { Io } from './io.js';
import { runsLevel } from './runs-level.js';

/** Parses `20:26.3,40:36.1`. */
export function timedRuns(text: string): readonly TimedRun[] {
  const runs = parseTimedRuns(text);
  if (runs === undefined)
    throw new InvalidArgumentError('It must be simulated and wall seconds of runs: 20:26.3,40:36.1.');
  return runs;
}

/** How fast a simulation can run, by runs that the user timed. Throws what `factorOfRuns` throws. */
export function runsRtf(_: Io, { runs = [] }: { readonly runs?: readonly TimedRun[] }): Promise<Rtf> {
  const { level, studentT } = runsLevel(runs);
  const { factor, ...rest } = factorOfRuns(runs, studentT);
  const { findings, startUpS, bounds } = rest;
  return Promise.resolve({
    source: timedRunsText(runs),
    factor: factor.value,
    low: factor.low,
    high: factor.high,
    measured: { way: 'runs', runs, startUpS, bounds, level },
    findings,
  });
}
