import type { Finding, Profile } from '../model/index.js';
import { weightsOf } from './breakdown.js';
import { frameText } from './folded-frames.js';
import type { Claim } from './rule.js';
import { roleOfName } from './roles.js';

/** Below this share of a thread's samples, unknown lines change no answer. */
const UNKNOWN_FROM = 0.01;

/** What the claims of one thread leave open: lines without text that decide a bucket. Frame names are raw. */
export function claimFindings(
  profile: Profile,
  claims: readonly Claim[],
  threadIndex: number,
): readonly Finding[] {
  let all = 0;
  let unknown = 0;
  let pacer = 0;
  let hottest: { readonly row: number; readonly samples: number } | undefined;
  for (const [row, samples] of weightsOf(profile, threadIndex)) {
    all += samples;
    const claim = claims[row];
    if (claim?.sourceUnknown !== true) continue;
    unknown += samples;
    if (claim.bucket === 'pacer') pacer += samples;
    if (hottest === undefined || samples > hottest.samples) hottest = { row, samples };
  }
  if (hottest === undefined || unknown < UNKNOWN_FROM * all) return [];
  const frame = profile.frames[profile.stacks.frame[hottest.row] ?? -1];
  const where = frame === undefined ? 'a line' : frameText(frame);
  return [
    {
      level: 'note',
      id: 'source-unknown',
      what: `${unknown} of ${all} samples are sorted by their function alone, most of them in ${where}: the text of the line is not known.`,
      why:
        pacer > 0
          ? `Pace: sleep or work unknown (${pacer} samples); a step function may hold loop code beside physics.`
          : 'A step function may hold loop code beside physics.',
      fix: 'profiler attach --pid PID',
    },
  ];
}

/** Software rendering, seen from its threads or libraries; undefined where there is none. */
export function softwareRenderingFinding(profile: Profile, claims: readonly Claim[]): Finding | undefined {
  const driverThreads = profile.threads.map((thread) => roleOfName(thread.name) === 'driver');
  const { samples } = profile;
  let onThreads = 0;
  let inCalls = 0;
  for (let i = 0; i < samples.length; i++) {
    const row = samples.stack[i] ?? -1;
    const claim = claims[row];
    const weight = samples.weight[i] ?? 0;
    if (driverThreads[samples.thread[i] ?? -1] === true || claim?.rule?.id === 'mujoco/gl-driver-thread')
      onThreads += weight;
    else if (claim?.bucket === 'render' && isSoftware(profile, row)) inCalls += weight;
  }
  if (onThreads + inCalls === 0) return undefined;
  return {
    level: 'note',
    id: 'software-rendering',
    what: `Software rendering is in use: ${onThreads} samples on threads of its driver, ${inCalls} inside its libraries on other threads.`,
    why: 'No GPU renders for this process, often because the container has none.',
    fix: 'Pass a GPU to the process and set MUJOCO_GL=egl.',
  };
}

const SOFTWARE = /(?:llvmpipe|libgallium|swrast|libOSMesa|osmesa\/__init__\.py)/;

function isSoftware(profile: Profile, row: number): boolean {
  for (let at = row; at >= 0; at = profile.stacks.parent[at] ?? -1) {
    const frame = profile.frames[profile.stacks.frame[at] ?? -1];
    if (SOFTWARE.test(frame?.module ?? frame?.file ?? '')) return true;
  }
  return false;
}
