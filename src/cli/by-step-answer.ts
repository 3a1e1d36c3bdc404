import { type Finding, isStep, ProfilerError, lastSampleS } from '../model/index.js';
import {
  readStepStamps,
  type Recording,
  sliceStart,
  type StepStamps,
  timeOrigin,
} from '../recording/index.js';
import {
  type Breakdown,
  byNamedStep,
  type ByNamedStepAnswer,
  byStep,
  type ByStep,
  type ByStepAnswer,
  cleanText,
} from '../report/index.js';
import type { Claim } from '../rules/index.js';
import { distinct, requireSamples } from './answer-findings.js';
import { noSampleTimes } from './interval.js';
import type { Loaded } from './source.js';

/** The first thread of the answer by step; undefined where there are no steps, no times, or no whole step. Throws `steps-unreadable`. */
export async function byStepOf(
  { profile, recording, folder, spans }: Loaded,
  claims: readonly Claim[],
  { threads }: Breakdown,
  mostGroups: number,
): Promise<ByStep | undefined> {
  const thread = threads.find(({ index }) => index >= 0);
  if (recording === undefined || folder === undefined || thread === undefined) return undefined;
  if (lastSampleS(profile) === undefined) return undefined;
  const startsNs =
    recording.steps?.file === undefined
      ? frameStarts(spans, thread.thread.tid)
      : startsOf(await stampsOf(folder), recording);
  if (startsNs === undefined) return undefined;
  return byStep({
    profile,
    thread: thread.index,
    role: thread.role,
    claims,
    startsNs,
    windows: windowsOf(recording),
    mostGroups,
  });
}

/** Beginnings of the frames that a program marks by itself; undefined where it marks none. */
function frameStarts(spans: Loaded['spans'] = [], tid: number | undefined): Float64Array | undefined {
  const frames = spans.filter((span) => span.kind === 'frame' && span.tid === tid);
  return frames.length === 0 ? undefined : Float64Array.from(frames, ({ startNs }) => startNs).sort();
}

/**
 * Answer of `buckets --by-step` of a program that names its steps: of the first thread that does. Undefined where none does.
 * @throws ProfilerError `no-sample-times`.
 */
export function namedStepAnswer(
  loaded: Loaded,
  claims: readonly Claim[],
  { source, window, threads, lost }: Breakdown,
): ByNamedStepAnswer | undefined {
  const { profile, recording, spans = [] } = loaded;
  const steps = spans.filter(isStep);
  const thread = threads.find(
    ({ index, thread: { tid } }) => index >= 0 && steps.some((step) => step.tid === tid),
  );
  if (recording === undefined || thread === undefined) return undefined;
  if (lastSampleS(profile) === undefined) throw noSampleTimes(loaded, 'no step has samples of its own');
  const found = byNamedStep({
    profile,
    thread: thread.index,
    role: thread.role,
    claims,
    spans: steps.filter(({ tid }) => tid === thread.thread.tid),
    windows: windowsOf(recording),
  });
  if (found === undefined) return undefined;
  return {
    source,
    window,
    byStep: found,
    lost,
    findings: distinct([...loaded.findings, ...recording.findings]),
  };
}

const FRAMES_AS_STEPS: Finding = {
  level: 'note',
  id: 'frames-as-steps',
  what: 'A step is a frame here, as the program marks them (startFrame).',
  why: 'It names no steps of its own, and no probe saw any.',
};

/**
 * Answer of `buckets --by-step`.
 * @throws ProfilerError `no-steps`, `no-sample-times`, `steps-unreadable`.
 */
export async function byStepAnswer(
  loaded: Loaded,
  claims: readonly Claim[],
  breakdown: Breakdown,
  mostGroups: number,
): Promise<ByStepAnswer> {
  requireSamples(loaded);
  const { profile, recording } = loaded;
  if (recording?.steps?.file !== undefined && lastSampleS(profile) === undefined)
    throw noSampleTimes(loaded, 'no step has samples of its own');
  const found = await byStepOf(loaded, claims, breakdown, mostGroups);
  if (found === undefined) throw noSteps(loaded);
  const { source, window, lost } = breakdown;
  return {
    source,
    window,
    byStep: found,
    lost,
    findings: distinct([
      ...loaded.findings,
      ...(recording?.findings ?? []),
      ...(recording?.steps?.file === undefined ? [FRAMES_AS_STEPS] : []),
    ]),
  };
}

async function stampsOf(folder: string): Promise<StepStamps> {
  try {
    return await readStepStamps(folder);
  } catch {
    throw new ProfilerError({
      id: 'steps-unreadable',
      what: `The steps of ${cleanText(folder)} cannot be read.`,
      why: 'The recording says that it has a file of them, and it is gone, too large, or not ours to read.',
      fix: `profiler buckets ${cleanText(folder)}`,
    });
  }
}

function windowsOf(recording: Recording): readonly (readonly [number, number])[] {
  const origin = timeOrigin(recording);
  return recording.slices.map((slice) => [
    Number(sliceStart(slice) - origin),
    Number(BigInt(slice.endNs) - origin),
  ]);
}

/** Steps of the world that is stepped most, since the first sample was due. */
function startsOf({ ns, world }: StepStamps, recording: Recording): Float64Array {
  const counts = new Map<number, number>();
  for (const one of world) counts.set(one, (counts.get(one) ?? 0) + 1);
  const [most] = [...counts].toSorted((a, b) => b[1] - a[1]);
  const origin = Number(timeOrigin(recording));
  return ns.filter((_, row) => world[row] === most?.[0]).map((one) => one - origin);
}

function noSteps({ source, recording }: Loaded): ProfilerError {
  const path = cleanText(source.path);
  const why =
    recording?.backend === 'node'
      ? 'A Node program tells its steps or frames itself, by sim-profiler/telemetry (StepProfiler, startFrame); this one did not.'
      : recording?.steps === undefined
        ? 'Steps are seen by a probe on mj_step, which takes root of the machine, and a program that runs MuJoCo.'
        : recording.steps.file === undefined
          ? `Steps are not written down beside perf, nor where a probe on each would slow the loop by more than 1 % (it makes ${Math.round(recording.steps.stepsPerS)} a second).`
          : 'No step began and ended while it was sampled.';
  return new ProfilerError({
    id: 'no-steps',
    what: `${path === '-' ? 'Standard input' : path} does not say when each step began.`,
    why,
    fix: 'profiler buckets --over-time',
  });
}
