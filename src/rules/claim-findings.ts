import { type Finding, type Frame, type Profile, frameText } from '../model/index.js';
import { weightsOf } from './breakdown.js';
import type { Claim } from './rule.js';

/** Below this share of a thread's samples, unknown lines change no answer. */
const UNKNOWN_FROM = 0.01;

/** What the claims of one thread leave open: lines without text that decide a bucket, other than idle ones, which
 * are nearly certain. Frame names are raw. */
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
    if (claim?.sourceUnknown !== true || claim.bucket === 'idle') continue;
    unknown += samples;
    if (claim.bucket === 'pacer') pacer += samples;
    if (
      hottest === undefined ||
      samples > hottest.samples ||
      (samples === hottest.samples && isBefore(profile, row, hottest.row))
    ) {
      hottest = { row, samples };
    }
  }
  if (hottest === undefined || unknown < UNKNOWN_FROM * all) return [];
  const frame = lineOf(profile, hottest.row);
  const where = frame === undefined ? 'a line' : frameText(frame);
  return [
    {
      level: 'note',
      id: 'source-unknown',
      what: `${unknown} of ${all} samples are sorted by their function alone, most of them in ${where}: the text of that line is not known, since only a recording of a live target keeps it.`,
      why:
        pacer > 0
          ? `Pace: sleep or work unknown (${pacer} samples), and a step function may hold loop code beside physics.`
          : 'A step function may hold loop code beside physics.',
      fix: 'profiler attach --pid PID',
    },
  ];
}

/** Nearest frame from the leaf that has lines of source. */
function lineOf(profile: Profile, stack: number): Frame | undefined {
  for (let row = stack; row >= 0; row = profile.stacks.parent[row] ?? -1) {
    const frame = profile.frames[profile.stacks.frame[row] ?? -1];
    if (frame?.kind === 'python') return frame;
  }
  return undefined;
}

/** Of two stacks with equal samples the same one is named, however the lines of the file were ordered. */
function isBefore(profile: Profile, row: number, other: number): boolean {
  const text = (stack: number): string => {
    const frame = lineOf(profile, stack);
    return frame === undefined ? '' : frameText(frame);
  };
  return text(row) < text(other);
}
