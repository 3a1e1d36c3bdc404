import { ProfilerError } from './finding.js';
import { ProfileBuilder } from './profile-builder.js';
import type { Origin, Profile } from './profile.js';
import type { Thread } from './thread.js';

/**
 * All profiles as one: weights and losses added, frames, stacks and threads shared. Each profile's times count from its own beginning:
 * of several they are kept where it is told when each began, and all have times; states and ticks are kept where all have them.
 * @param startsNs when each profile began, since the first did.
 * @throws ProfilerError `mixed-units` if the profiles count different things.
 */
export function mergeProfiles(
  profiles: readonly Profile[],
  origin: Origin,
  startsNs: readonly number[] = [0],
): Profile {
  const unit = profiles[0]?.unit ?? 'samples';
  const other = profiles.find((profile) => profile.unit !== unit);
  if (other !== undefined) {
    throw new ProfilerError({
      id: 'mixed-units',
      what: `${other.origin.path ?? 'One profile'} counts ${other.unit}, the others count ${unit}.`,
      why: 'Samples of one tool and times of another have no common sum.',
      fix: 'Read them one at a time.',
    });
  }
  const builder = new ProfileBuilder(unit, origin);
  const timed =
    startsNs.length === profiles.length &&
    profiles.every(({ samples }) => samples.length === 0 || samples.timeNs !== undefined);
  // A state says something of a moment: without states of all there are none.
  const stated = profiles.every(({ samples }) => samples.length === 0 || samples.state !== undefined);
  const verified = profiles.some(({ stacks }) => stacks.verified !== undefined);
  for (const [at, profile] of profiles.entries()) {
    copyInto(builder, profile, () => true, { startNs: timed ? startsNs[at] : undefined, stated, verified });
  }
  const ticks = profiles.flatMap((profile) => profile.ticks ?? []);
  if (ticks.length === profiles.length) for (const each of ticks) builder.ticks(each);
  return builder.build();
}

/** The samples of the threads that `keep` accepts; a GIL held by another thread has an unknown holder. Losses stay: they belong to the source as a whole. */
export function filterByThread(profile: Profile, keep: (thread: Thread, index: number) => boolean): Profile {
  const builder = new ProfileBuilder(profile.unit, profile.origin);
  const stated = profile.samples.state !== undefined;
  copyInto(builder, profile, keep, { startNs: 0, stated, verified: profile.stacks.verified !== undefined });
  if (profile.ticks !== undefined) builder.ticks(profile.ticks);
  return builder.build();
}

interface CopyOptions {
  /** Added to every time; undefined: times are left out. */
  readonly startNs: number | undefined;
  readonly stated: boolean;
  /** Whether the result tells of its edges: those of a source that does not tell count as verified. */
  readonly verified: boolean;
}

function copyInto(
  builder: ProfileBuilder,
  profile: Profile,
  keep: (thread: Thread, index: number) => boolean,
  { startNs, stated, verified }: CopyOptions,
): void {
  const { stacks, samples } = profile;
  const thread = profile.threads.map((each, index) => (keep(each, index) ? builder.thread(each) : -1));
  const wanted = new Uint8Array(stacks.length);
  for (let row = 0; row < samples.length; row += 1) {
    if ((thread[samples.thread[row] as number] as number) < 0) continue;
    for (
      let at = samples.stack[row] as number;
      at >= 0 && wanted[at] === 0;
      at = stacks.parent[at] as number
    ) {
      wanted[at] = 1;
    }
  }
  const frame = new Int32Array(profile.frames.length).fill(-1);
  const stack = new Int32Array(stacks.length).fill(-1);
  for (let row = 0; row < stacks.length; row += 1) {
    if (wanted[row] === 0) continue;
    const parent = stacks.parent[row] as number;
    const index = stacks.frame[row] as number;
    const source = profile.frames[index];
    if (source !== undefined && frame[index] === -1) frame[index] = builder.frame(source);
    const copied = builder.stack(parent < 0 ? -1 : (stack[parent] as number), frame[index] as number);
    stack[row] = copied;
    if (verified) builder.verify(copied, stacks.verified === undefined || stacks.verified[row] === 1);
  }
  for (let row = 0; row < samples.length; row += 1) {
    const owner = thread[samples.thread[row] as number] as number;
    if (owner < 0) continue;
    const at = samples.stack[row] as number;
    const timeNs = samples.timeNs?.[row];
    const time = startNs === undefined || timeNs === undefined ? undefined : startNs + timeNs;
    const holder = samples.holder?.[row] ?? -1;
    builder.sample(
      at < 0 ? -1 : (stack[at] as number),
      owner,
      samples.weight[row] as number,
      time,
      stated ? samples.state?.[row] : undefined,
      holder < 0 ? -1 : (thread[holder] as number),
    );
  }
  builder.lost(profile.lost);
  for (const finding of profile.findings ?? []) builder.finding(finding);
}
