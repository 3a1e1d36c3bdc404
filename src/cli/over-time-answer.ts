import { ProfilerError, lastSampleS } from '../model/index.js';
import {
  type Breakdown,
  type OverTime,
  type OverTimeAnswer,
  binLength,
  cleanText,
  overTime,
} from '../report/index.js';
import type { Claim } from '../rules/index.js';
import { distinct, requireSamples } from './answer-findings.js';
import { endOfWindowS, noSampleTimes } from './interval.js';
import type { Loaded } from './source.js';

/** Moments in which changes are looked for: shorter ones hold little more than single calls. */
const JUDGED_BINS = 30;

/**
 * The first thread of the answer over time, in at most so many bins; undefined where the source has no times of its samples, or none of that
 * thread.
 */
export function overTimeOf(
  loaded: Loaded,
  claims: readonly Claim[],
  { threads }: Breakdown,
  mostBins: number,
): OverTime | undefined {
  const { profile, interval } = loaded;
  const thread = threads.find(({ index }) => index >= 0);
  if (thread === undefined || lastSampleS(profile) === undefined) return undefined;
  const { samples } = profile;
  let looks = 0;
  for (let row = 0; row < samples.length; row += 1) if (samples.thread[row] === thread.index) looks += 1;
  const fromS = interval?.fromS ?? 0;
  const toS = interval?.toS ?? endOfWindowS(loaded);
  if (looks === 0 || !(toS > fromS)) return undefined;
  const facts = { profile, thread: thread.index, role: thread.role, claims, fromS, toS };
  const drawn = overTime({ ...facts, binS: binLength(toS - fromS, looks, mostBins) });
  // What changed is judged at one length of a moment, so that every picture of a recording has the same words.
  const judgedS = binLength(toS - fromS, looks, JUDGED_BINS);
  return judgedS === drawn.binS
    ? drawn
    : { ...drawn, changes: overTime({ ...facts, binS: judgedS }).changes };
}

/**
 * Answer of `buckets --over-time`.
 * @throws ProfilerError `no-sample-times`.
 */
export function overTimeAnswer(
  loaded: Loaded,
  claims: readonly Claim[],
  breakdown: Breakdown,
  mostBins: number,
): OverTimeAnswer {
  requireSamples(loaded);
  const found = overTimeOf(loaded, claims, breakdown, mostBins);
  if (found === undefined) {
    if (lastSampleS(loaded.profile) !== undefined) throw oneMoment(loaded);
    throw noSampleTimes(loaded, 'nothing can be said of one second or another');
  }
  const { source, window, lost } = breakdown;
  return {
    source,
    window,
    overTime: found,
    lost,
    // What is wrong with the shares over the kernel's totals is no matter of these.
    findings: distinct([...loaded.findings, ...(loaded.recording?.findings ?? [])]),
  };
}

function oneMoment({ source }: Loaded): ProfilerError {
  const path = source.path === '-' ? 'Standard input' : cleanText(source.path);
  return new ProfilerError({
    id: 'one-moment',
    what: `All samples of ${path} are of one moment, which has no duration that could be drawn.`,
    why: 'A time line goes from the first moment to the last.',
    fix: `profiler buckets ${source.path === '-' ? 'FILE' : path}`,
  });
}
