import { ProfileBuilder } from './profile-builder.js';
import type { Profile } from './profile.js';
import type { Thread } from './thread.js';

/**
 * A profile of times as one of samples: each weighs as many of its rate as its time holds. The kernel's accounting is split by samples,
 * and how sure a share is depends on how many there are. Rounded so that the sums are kept. A profile of samples stays as it is.
 */
export function countedSamples(profile: Profile, rateHz: number): Profile {
  if (profile.unit === 'samples') return profile;
  const builder = new ProfileBuilder('samples', profile.origin);
  const { samples } = profile;
  const carried = new Map<number, number>();
  copy(builder, profile, (row) => {
    // By stack: two that take turns would else round each other up and down.
    const key = (samples.stack[row] ?? -1) + 1 + (samples.thread[row] ?? 0) * (profile.stacks.length + 1);
    const exact = (carried.get(key) ?? 0) + ((samples.weight[row] ?? 0) * rateHz) / 1e9;
    const whole = Math.round(exact);
    carried.set(key, exact - whole);
    return whole;
  });
  return builder.build();
}

/** The same samples, all of one thread. */
export function ofThread(profile: Profile, thread: Thread): Profile {
  const builder = new ProfileBuilder(profile.unit, profile.origin);
  copy(builder, profile, (row) => profile.samples.weight[row] ?? 0, thread);
  return builder.build();
}

function copy(
  builder: ProfileBuilder,
  profile: Profile,
  weightOf: (row: number) => number,
  only?: Thread,
): void {
  const { stacks, samples } = profile;
  const frames = profile.frames.map((frame) => builder.frame(frame));
  const threads = (only === undefined ? profile.threads : profile.threads.map(() => only)).map((thread) =>
    builder.thread(thread),
  );
  const rows = new Int32Array(stacks.length);
  for (let row = 0; row < stacks.length; row += 1) {
    const parent = stacks.parent[row] ?? -1;
    const copied = builder.stack(
      parent < 0 ? -1 : (rows[parent] ?? -1),
      frames[stacks.frame[row] ?? -1] ?? -1,
    );
    rows[row] = copied;
    if (stacks.verified !== undefined) builder.verify(copied, stacks.verified[row] === 1);
  }
  for (let row = 0; row < samples.length; row += 1) {
    const weight = weightOf(row);
    const stack = samples.stack[row] ?? -1;
    if (weight <= 0) continue;
    const thread = threads[samples.thread[row] ?? -1] ?? -1;
    const holder = samples.holder?.[row] ?? -1;
    builder.sample(
      stack < 0 ? -1 : (rows[stack] ?? -1),
      thread,
      weight,
      samples.timeNs?.[row],
      samples.state?.[row],
      // Of one thread alone, who held the GIL is not known any more.
      holder < 0 || only !== undefined ? -1 : (threads[holder] ?? -1),
    );
  }
  builder.lost(profile.lost);
  if (profile.ticks !== undefined) builder.ticks(profile.ticks);
  for (const finding of profile.findings ?? []) builder.finding(finding);
}
