import type { Profile } from '../model/index.js';

/**
 * Without `--threads`, py-spy writes the stacks of all threads alike. A stack that begins in the bootstrap of Python's `threading`
 * is not of the main thread: such samples become those of a second row, since shares are per thread. How many threads that row
 * stands for is not known, and its name says so.
 */
export function splitUnnamedThreads(profile: Profile): Profile {
  const [only] = profile.threads;
  if (profile.threads.length !== 1 || only?.tid !== undefined || only?.name !== undefined) return profile;
  const started = startedStacks(profile);
  const { samples } = profile;
  const thread = Int32Array.from(samples.stack, (stack) => (stack >= 0 && started[stack] === 1 ? 1 : 0));
  const others = thread.reduce((sum, index) => sum + index, 0);
  if (others === 0 || others === thread.length) return profile;
  return Object.freeze({
    ...profile,
    threads: Object.freeze([only ?? {}, Object.freeze({ ...only, name: 'other threads' })]),
    samples: Object.freeze({ ...samples, thread }),
  });
}

/** By stack row: 1 where its root frame is the bootstrap of a started thread. Parents come first. */
function startedStacks({ stacks, frames }: Profile): Uint8Array {
  const started = new Uint8Array(stacks.length);
  for (let row = 0; row < stacks.length; row += 1) {
    const parent = stacks.parent[row] ?? -1;
    if (parent >= 0) {
      started[row] = started[parent] ?? 0;
      continue;
    }
    const frame = frames[stacks.frame[row] ?? -1];
    const bootstrap = frame?.name === '_bootstrap' || frame?.name === 'Thread._bootstrap';
    started[row] = bootstrap && /(?:^|\/)threading\.py$/.test(frame.file ?? '') ? 1 : 0;
  }
  return started;
}
