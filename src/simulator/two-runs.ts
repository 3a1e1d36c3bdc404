/**
 * How fast a simulation can run, from runs of different length: what a run takes beside its loop (start, loading, end) is in each of them,
 * so it cancels. Wall seconds over simulated seconds are a straight line, its slope is the inverse of the real-time factor and where it
 * begins is the start-up.
 */
import { type Finding, ProfilerError } from '../model/index.js';
import { type TimedRun, timedRunsText } from './timed-runs.js';

/** A figure with its interval. */
export interface Bounded {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** What runs of different length say of a simulation. */
export interface RunsFactor {
  readonly factor: Bounded;
  /** Seconds of a run that are not its loop. */
  readonly startUpS: Bounded;
  /**
   * What the intervals hold: `reading`, only the digits that wall times were written with; `scatter`, also how much runs differed by
   * chance.
   */
  readonly bounds: 'reading' | 'scatter';
  readonly findings: readonly Finding[];
}

/** Factor of a two-sided interval of Student's t for so many degrees of freedom. */
export type StudentT = (degrees: number) => number;

/** Parts of the slope that may be uncertain before it says nothing. */
const MOST_UNCERTAIN = 0.8;
/** Runs of equal length commonly differ by a few percent: of two runs, a difference below this says nothing. */
const SMALLEST_DIFFERENCE = 0.05;
/** This near to 1 it is more likely a pacer than a coincidence. */
const NEAR_REAL_TIME = 0.01;

/**
 * Throws ProfilerError `runs-same-length`, `runs-contradict` where longer runs took no longer, and `runs-too-close` where what is not
 * known of the wall times is too large a part of their difference.
 */
export function factorOfRuns(runs: readonly TimedRun[], studentT: StudentT): RunsFactor {
  const lengths = groups(runs);
  if (lengths.length < 2) throw sameLength(runs);
  const slope = combined(runs, lengths, slopeWeights(runs), studentT);
  const startUpS = combined(runs, lengths, startWeights(runs), studentT);
  if (slope.value <= 0) throw contradiction(runs);
  const half = slope.high - slope.value;
  const longest = Math.max(...runs.map(({ wallS }) => wallS));
  const differenceS = slope.value * span(runs);
  const isSmall = runs.length === 2 && differenceS < SMALLEST_DIFFERENCE * longest;
  if (half >= MOST_UNCERTAIN * slope.value || isSmall)
    throw tooClose(runs, slope, Math.max(half, isSmall ? slope.value : 0));
  const factor = { value: 1 / slope.value, low: 1 / slope.high, high: 1 / slope.low };
  const bounds = runs.length === 2 ? 'reading' : 'scatter';
  return {
    factor,
    startUpS,
    bounds,
    findings: [
      ...(bounds === 'reading' ? [scatterUnknown(runs)] : []),
      // Of one run of each length the interval does not hold what runs differ by.
      ...(startUpS.high < (bounds === 'reading' ? -SMALLEST_DIFFERENCE * longest : 0)
        ? [negativeStartUp(startUpS.value)]
        : []),
      ...(Math.abs(factor.value - 1) <= NEAR_REAL_TIME ? [maybePaced(factor.value)] : []),
    ],
  };
}

/** Runs of one length each. */
function groups(runs: readonly TimedRun[]): readonly (readonly TimedRun[])[] {
  const found = new Map<number, TimedRun[]>();
  for (const run of runs) found.set(run.simS, [...(found.get(run.simS) ?? []), run]);
  return [...found.values()];
}

function span(runs: readonly TimedRun[]): number {
  const sims = runs.map(({ simS }) => simS);
  return Math.max(...sims) - Math.min(...sims);
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** What each wall time counts for in the slope of the line that fits them best. */
function slopeWeights(runs: readonly TimedRun[]): readonly number[] {
  const middle = mean(runs.map(({ simS }) => simS));
  const spread = runs.reduce((sum, { simS }) => sum + (simS - middle) ** 2, 0);
  return runs.map(({ simS }) => (simS - middle) / spread);
}

/** The same for where that line begins. */
function startWeights(runs: readonly TimedRun[]): readonly number[] {
  const middle = mean(runs.map(({ simS }) => simS));
  return slopeWeights(runs).map((weight) => 1 / runs.length - middle * weight);
}

/**
 * A sum of weighted wall times. Its interval is that of Student's t for what runs differ by chance, and on top of it, since a rounded figure
 * may be off the same way in every run, the worst that the digits allow.
 */
function combined(
  runs: readonly TimedRun[],
  lengths: readonly (readonly TimedRun[])[],
  weights: readonly number[],
  studentT: StudentT,
): Bounded {
  const weightOf = new Map(runs.map((run, index) => [run, weights[index] ?? 0]));
  const sum = (of: (run: TimedRun, weight: number) => number, over = runs): number =>
    over.reduce((total, run) => total + of(run, weightOf.get(run) ?? 0), 0);
  const value = sum(({ wallS }, weight) => weight * wallS);
  const reading = sum(({ readingS }, weight) => Math.abs(weight) * readingS);
  const half = reading + scatter(runs, lengths, sum, studentT);
  return { value, low: value - half, high: value + half };
}

type WeightedSum = (of: (run: TimedRun, weight: number) => number, over?: readonly TimedRun[]) => number;

function scatter(
  runs: readonly TimedRun[],
  lengths: readonly (readonly TimedRun[])[],
  sum: WeightedSum,
  studentT: StudentT,
): number {
  if (runs.length === 2) return 0;
  if (lengths.length === 2 && lengths.every(({ length }) => length > 1)) {
    // Longer runs scatter more, so each length has a variance of its own (Welch and Satterthwaite).
    const parts = lengths.map((group) => ({
      variance: varianceOf(group.map(({ wallS }) => wallS)) * sum((_, weight) => weight ** 2, group),
      degrees: group.length - 1,
    }));
    const whole = parts.reduce((total, { variance }) => total + variance, 0);
    if (whole === 0) return 0;
    const degrees =
      whole ** 2 / parts.reduce((total, { variance, degrees: own }) => total + variance ** 2 / own, 0);
    // Two that are equal in their variance have a whole number of degrees, less what floating point leaves of it.
    return studentT(degrees + 1e-9) * Math.sqrt(whole);
  }
  const slopes = slopeWeights(runs);
  const slope = runs.reduce((total, { wallS }, index) => total + wallS * (slopes[index] ?? 0), 0);
  const middle = { simS: mean(runs.map(({ simS }) => simS)), wallS: mean(runs.map(({ wallS }) => wallS)) };
  const residuals = runs.map(({ simS, wallS }) => wallS - middle.wallS - slope * (simS - middle.simS));
  const degrees = runs.length - 2;
  const variance = residuals.reduce((total, residual) => total + residual ** 2, 0) / degrees;
  return studentT(degrees) * Math.sqrt(variance * sum((_, weight) => weight ** 2));
}

function varianceOf(values: readonly number[]): number {
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1);
}

function extremes(runs: readonly TimedRun[]): { readonly shortest: number; readonly longest: number } {
  const sims = runs.map(({ simS }) => simS);
  return { shortest: Math.min(...sims), longest: Math.max(...sims) };
}

function sameLength(runs: readonly TimedRun[]): ProfilerError {
  const [first] = runs;
  const simS = first?.simS ?? 0;
  return new ProfilerError({
    id: 'runs-same-length',
    what:
      runs.length === 1
        ? `One run of ${simS} s alone tells no real-time factor.`
        : `All ${runs.length} runs simulated ${simS} s.`,
    why: 'Start-up cancels only in the difference of runs of different length.',
    fix: `profiler rtf --runs ${timedRunsText(runs.slice(0, 1))},${simS * 2}:WALL`,
  });
}

function contradiction(runs: readonly TimedRun[]): ProfilerError {
  const { shortest, longest } = extremes(runs);
  return new ProfilerError({
    id: 'runs-contradict',
    what: `Runs of ${longest} s took no longer than those of ${shortest} s.`,
    why: 'Each is given as SIM:WALL, in this order; or the first run was cold, or the runs are too short for the scatter of start-up.',
    fix: `profiler rtf --measure ${shortest},${longest * 2} --repeat 3 --warm-up -- CMD --seconds {}`,
  });
}

function tooClose(runs: readonly TimedRun[], slope: Bounded, uncertain: number): ProfilerError {
  const { shortest, longest } = extremes(runs);
  const differenceS = slope.value * (longest - shortest);
  // So much longer that a tenth of the difference is uncertain.
  const times = Math.min(100, Math.max(2, Math.ceil(uncertain / (0.1 * slope.value))));
  const isScatter = runs.length > 2;
  const isReading = slope.high - slope.value >= MOST_UNCERTAIN * slope.value;
  const off = seconds((slope.high - slope.value) * (longest - shortest));
  return new ProfilerError({
    id: 'runs-too-close',
    what: `The runs of ${shortest} s and ${longest} s differ by ${seconds(differenceS)} of wall time${isScatter ? `, give or take ${off}: too uncertain` : ': too little'} to tell a real-time factor.`,
    why: isScatter
      ? 'Runs of the same length differ that much by chance: a busy machine, or a start that takes longer at times. Longer runs, and more of them, help.'
      : isReading
        ? `By the digits that were given it may be off by ${off}.`
        : 'Two runs of the same length often differ by a few percent as well.',
    fix: `profiler rtf --measure ${shortest},${Number((shortest + times * (longest - shortest)).toPrecision(6))} --repeat 3 -- CMD --seconds {}`,
  });
}

function seconds(value: number): string {
  return `${Number(value.toPrecision(2))} s`;
}

function scatterUnknown(runs: readonly TimedRun[]): Finding {
  const { shortest, longest } = extremes(runs);
  return {
    level: 'warning',
    id: 'scatter-unknown',
    what: 'There is one run of each length: by how much runs differ by chance is not known, and not in the interval.',
    why: 'The interval holds what the digits of the wall times allow, and nothing else; start-up alone may differ by more.',
    fix: `profiler rtf --measure ${shortest},${longest} --repeat 3 -- CMD --seconds {}`,
  };
}

function negativeStartUp(startUpS: number): Finding {
  return {
    level: 'warning',
    id: 'start-up-negative',
    what: `Start-up comes out at ${seconds(startUpS)}, which cannot be.`,
    why: 'The longer runs were slower for each simulated second: another command, a busier machine, or a simulation that slows down as it goes.',
  };
}

function maybePaced(factor: number): Finding {
  return {
    level: 'note',
    id: 'maybe-paced',
    what: `A real-time factor of ${factor.toFixed(3)} is what a pacer makes of a simulation that could run faster.`,
    why: 'How fast it can run shows only without pacing.',
    fix: 'Run it without pacing (roqsim: --pacing asap), and measure again.',
  };
}
