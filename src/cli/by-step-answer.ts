import { ProfilerError, lastSampleS } from '../model/index.js';
import { readStepStamps, type Recording, type StepStamps } from '../recording/index.js';
import { type Breakdown, byStep, type ByStep, type ByStepAnswer, cleanText } from '../report/index.js';
import type { Claim } from '../rules/index.js';
import { distinct, requireSamples } from './answer-findings.js';
import { noSampleTimes } from './interval.js';
import type { Loaded } from './source.js';

/** The first thread of the answer by step; undefined where there are no steps, no times, or no whole step. Throws `steps-unreadable`. */
export async function byStepOf(
  { profile, recording, folder }: Loaded,
  claims: readonly Claim[],
  { threads }: Breakdown,
  mostGroups: number,
): Promise<ByStep | undefined> {
  const thread = threads.find(({ index }) => index >= 0);
  if (recording?.steps?.file === undefined || folder === undefined || thread === undefined) return undefined;
  if (lastSampleS(profile) === undefined) return undefined;
  return byStep({
    profile,
    thread: thread.index,
    role: thread.role,
    claims,
    startsNs: startsOf(await stampsOf(folder), recording),
    windows: windowsOf(recording),
    mostGroups,
  });
}

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
    findings: distinct([...loaded.findings, ...(recording?.findings ?? [])]),
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

function originOf({ slices }: Recording): bigint {
  return BigInt(slices[0]?.startNs ?? 0);
}

function windowsOf(recording: Recording): readonly (readonly [number, number])[] {
  const origin = originOf(recording);
  return recording.slices.map(({ startNs, endNs }) => [
    Number(BigInt(startNs) - origin),
    Number(BigInt(endNs) - origin),
  ]);
}

/** Steps of the world that is stepped most, since the first sample was due. */
function startsOf({ ns, world }: StepStamps, recording: Recording): Float64Array {
  const counts = new Map<number, number>();
  for (const one of world) counts.set(one, (counts.get(one) ?? 0) + 1);
  const [most] = [...counts].toSorted((a, b) => b[1] - a[1]);
  const origin = Number(originOf(recording));
  return ns.filter((_, row) => world[row] === most?.[0]).map((one) => one - origin);
}

function noSteps({ source, recording }: Loaded): ProfilerError {
  const path = cleanText(source.path);
  const why =
    recording?.steps === undefined
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
