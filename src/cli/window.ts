import type { Profile } from '../model/index.js';
import type { Recording, Slice } from '../recording/index.js';
import type { RunFacts, Window } from '../report/index.js';
import { programName } from './program-name.js';
import type { Loaded } from './source.js';

function sliceS(slice: Slice): number {
  return Number(BigInt(slice.endNs) - BigInt(slice.startNs)) / 1e9;
}

/** Measured length of a recording: its slices added up, the gaps between them left out. */
export function recordedS(recording: Recording): number {
  return recording.slices.reduce((sum, slice) => sum + sliceS(slice), 0);
}

function readErrors(slices: readonly Slice[]): number | undefined {
  const known = slices.flatMap((slice) => slice.errors ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0);
}

/**
 * Times that the sampler looked: each look is one sample of every thread, or an error. Undefined where a slice does not say how many
 * errors it had.
 */
function looks({ slices }: Recording, { samples, threads }: Profile): number | undefined {
  const errors = slices.map((slice) => slice.errors);
  if (errors.includes(undefined)) return undefined;
  const seen = new Float64Array(threads.length);
  for (let row = 0; row < samples.length; row += 1) {
    const thread = samples.thread[row] ?? 0;
    seen[thread] = (seen[thread] ?? 0) + (samples.weight[row] ?? 0);
  }
  // A thread that began late or ended early was there for fewer.
  const most = seen.reduce((best, weight) => Math.max(best, weight), 0);
  return errors.reduce<number>((sum, value) => sum + (value ?? 0), most);
}

/** Window of a recording. `physicsSamples` is of the thread that the answer is about. */
export function recordingWindow(
  recording: Recording,
  profile: Profile,
  physicsSamples: number | undefined,
): Window {
  const wallS = recordedS(recording);
  const ticks = looks(recording, profile);
  const errors = readErrors(recording.slices);
  return {
    wallS,
    rateHz: recording.rateHz,
    ...(physicsSamples === undefined || wallS <= 0 ? {} : { achievedRateHz: physicsSamples / wallS }),
    ...(ticks === undefined ? {} : { ticks }),
    ...(errors === undefined ? {} : { errors }),
  };
}

/** Window of a bare file: what the user states, and nothing else. */
export function statedWindow(durationS: number | undefined, rateHz: number | undefined): Window {
  return {
    ...(durationS === undefined ? {} : { wallS: durationS }),
    ...(rateHz === undefined ? {} : { rateHz }),
    ...(durationS === undefined || rateHz === undefined ? {} : { ticks: Math.round(durationS * rateHz) }),
  };
}

/** Window of what has no recording: the interval that was chosen, else what the user states. */
export function bareWindow(
  { interval }: Pick<Loaded, 'interval'>,
  { durationS, rateHz }: { readonly durationS?: number; readonly rateHz?: number },
): Window {
  if (interval === undefined) return statedWindow(durationS, rateHz);
  const { fromS, toS } = interval;
  return {
    from: fromS,
    to: toS,
    wallS: Number((toS - fromS).toFixed(9)),
    ...(rateHz === undefined ? {} : { rateHz }),
  };
}

/** Facts for the first line of an answer from a recording. */
export function runFacts(recording: Recording, folder: string): RunFacts {
  const { target } = recording;
  return {
    title: recording.label ?? target.containerName ?? target.container ?? programName(target.command),
    pid: target.pid,
    ...(target.nsPid === undefined ? {} : { nsPid: target.nsPid }),
    command: target.command,
    route: recording.route,
    ...(target.chosenBecause === undefined ? {} : { chosenBecause: target.chosenBecause }),
    priority: priorityText(recording.policy),
    folder,
    ...(recording.phase === undefined ? {} : { phase: recording.phase }),
    ended: recording.ended,
  };
}

/** What was lost in reading and sampling together, for one thread of a profile. */
export function lostTicks(profile: Profile, thread: number, errors: number): number {
  let without = 0;
  const { samples } = profile;
  for (let row = 0; row < samples.length; row += 1) {
    if (samples.thread[row] === thread && samples.stack[row] === -1) without += samples.weight[row] ?? 0;
  }
  return without + errors;
}

/** How the sampler got its turns; `kernel`: the kernel takes the samples itself. */
function priorityText(policy: string): string {
  if (policy === 'kernel') return 'sampled by the kernel';
  if (policy === 'unknown') return 'priority not known';
  return policy.startsWith('fifo') || policy.startsWith('rr') ? 'real-time priority' : 'normal priority';
}
