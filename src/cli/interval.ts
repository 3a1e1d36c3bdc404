import {
  type Finding,
  type Profile,
  ProfilerError,
  betweenTimes,
  lastSampleS,
  totalWeight,
} from '../model/index.js';
import type { Recording } from '../recording/index.js';
import { cleanText, count, secondText } from '../report/index.js';
import { type Claim, type RuleSet, classifyProfile } from '../rules/index.js';
import { physicsThread } from './answer.js';
import { distinct, requireSamples } from './answer-findings.js';
import type { IntervalFlags } from './flags.js';
import { INTERVAL_SAMPLES, type Loaded } from './source.js';

/** A source cut down to an interval, with the claims that hold for both. */
export interface Cut {
  readonly loaded: Loaded;
  /** By row of the stack table; only where something was cut. */
  readonly claims?: readonly Claim[];
}

/**
 * The samples of the interval that the flags name, where they name one. A recording loses what the kernel charged, which is known of whole
 * slices alone: its samples are then those of a bare file.
 * @throws ProfilerError `bad-interval` (exit code 2), `no-sample-times`, `outside-window`, `no-samples-between`.
 */
export function cutTo(
  loaded: Loaded,
  { from, to }: IntervalFlags,
  { command, ruleSet }: { readonly command: string; readonly ruleSet: RuleSet },
): Cut {
  if (from === undefined && to === undefined) return { loaded };
  if (from !== undefined && to !== undefined && from >= to) throw badInterval(from, to, command);
  if (to === 0) throw badInterval(0, 0, command);
  requireSamples(loaded);
  const { profile, recording } = loaded;
  if (lastSampleS(profile) === undefined) throw noSampleTimes(loaded, 'no interval can be cut out of it');
  const endS = endOfWindowS(loaded);
  const fromS = from ?? 0;
  const toS = to === undefined || to > endS ? endS : to;
  // At the very end there may be the last sample: of a counted one its moment, of a measured one what is over then.
  const holdsEnd = profile.unit === 'samples' && lastSampleS(profile) === endS;
  if (fromS > endS || (fromS === endS && !holdsEnd)) throw outside(fromS, endS, loaded, command);
  const inside = betweenTimes(profile, fromS, toS === endS ? Infinity : toS);
  if (inside.samples.length === 0) throw noneBetween(fromS, toS, endS, loaded, command);
  const claims = classifyProfile(ruleSet, profile);
  const physics = physicsThread(loaded, claims, undefined);
  const { recording: _, folder: __, spans, ...rest } = loaded;
  return {
    claims,
    loaded: {
      ...rest,
      profile: inside,
      ...(spans === undefined ? {} : { spans: spansBetween(spans, fromS, toS) }),
      interval: { fromS, toS, physics },
      findings: distinct([
        ...loaded.findings,
        ...(recording?.findings ?? []),
        ...(recording === undefined ? [] : [onlySamples(recording, inside)]),
      ]),
    },
  };
}

/** Those that were open in it, whole. */
function spansBetween(spans: NonNullable<Loaded['spans']>, fromS: number, toS: number): Loaded['spans'] & {} {
  return spans.filter(({ startNs, endNs }) => startNs < toS * 1e9 && endNs > fromS * 1e9);
}

/** End of the window in seconds since it began: of the last slice, or of the last sample. */
export function endOfWindowS({ profile, recording }: Loaded): number {
  return Math.max(lastSampleS(profile) ?? 0, recordedEndS(recording));
}

function recordedEndS(recording: Recording | undefined): number {
  const first = recording?.slices[0];
  const last = recording?.slices.at(-1);
  if (first === undefined || last === undefined) return 0;
  return Number(BigInt(last.endNs) - BigInt(first.startNs)) / 1e9;
}

function onlySamples({ slices }: Recording, profile: Profile): Finding {
  const known = `The kernel's totals are known of ${slices.length === 1 ? 'the whole recording' : 'whole slices'} alone`;
  return {
    level: 'note',
    id: INTERVAL_SAMPLES,
    what: `Shares are of the samples in the interval (${count(totalWeight(profile))} of all threads); nothing is held against the kernel's totals.`,
    why:
      profile.samples.state === undefined
        ? `${known}, so shares net of waiting cannot be told here.`
        : `${known}; who waited is told by the samples themselves.`,
  };
}

function badInterval(from: number, to: number, command: string): ProfilerError {
  return new ProfilerError(
    {
      id: 'bad-interval',
      what: `From ${secondText(from)} to ${secondText(to)} s is no interval.`,
      why: '--from must be before --to.',
      fix: `profiler ${command} --from 3.2 --to 3.4`,
    },
    2,
  );
}

/** @param so what follows from it: `no interval can be cut out of it`. */
export function noSampleTimes({ source, recording }: Loaded, so: string): ProfilerError {
  const path = source.path === '-' ? 'Standard input' : cleanText(source.path);
  return new ProfilerError({
    id: 'no-sample-times',
    what: `${path} does not say when each sample was taken, so ${so}.`,
    why:
      recording === undefined
        ? `A file of the format ${source.format} counts stacks over its whole window.`
        : `${cleanText(recording.backend)} counts the stacks of a whole slice, and a slice is not the interval that was asked for.`,
    fix: 'profiler attach --backend cpython (of a Python) or --backend node (of a Node): they keep the time of every sample',
  });
}

function outside(fromS: number, endS: number, loaded: Loaded, command: string): ProfilerError {
  return new ProfilerError({
    id: 'outside-window',
    what: `${secondText(fromS)} s is outside of the window, which is from 0 to ${secondText(endS)} s.`,
    why: 'Seconds count from the beginning of the window.',
    fix: asked(command, loaded, `--from ${tick(nearestSampleS(loaded.profile, fromS), Math.floor)}`),
  });
}

function noneBetween(
  fromS: number,
  toS: number,
  endS: number,
  loaded: Loaded,
  command: string,
): ProfilerError {
  const nearestS = nearestSampleS(loaded.profile, (fromS + toS) / 2);
  const from = tick(Math.min(fromS, nearestS), Math.floor);
  // A sample at the end of an interval is none of it.
  const to = tick(Math.max(toS, nearestS + TICK_S), Math.ceil);
  return new ProfilerError({
    id: 'no-samples-between',
    what: `Between ${secondText(fromS)} and ${secondText(toS)} s there is no sample; the window is from 0 to ${secondText(endS)} s.`,
    why: 'The interval is shorter than the time between two samples, or lies between two slices.',
    fix: asked(command, loaded, `--from ${from} --to ${to}`),
  });
}

function asked(command: string, { source }: Loaded, flags: string): string {
  return `profiler ${command} ${source.path === '-' ? 'FILE' : cleanText(source.path)} ${flags}`;
}

/** The finest that is shown of a time. */
const TICK_S = 1e-6;

function tick(seconds: number, round: (value: number) => number): string {
  return secondText(Math.max(0, round(seconds / TICK_S) * TICK_S));
}

/** Time of the sample next to a moment. */
function nearestSampleS({ samples }: Profile, momentS: number): number {
  let nearest = 0;
  let least = Infinity;
  for (const timeNs of samples.timeNs ?? []) {
    const distance = Math.abs(timeNs - momentS * 1e9);
    if (distance >= least) continue;
    least = distance;
    nearest = timeNs;
  }
  return nearest / 1e9;
}
