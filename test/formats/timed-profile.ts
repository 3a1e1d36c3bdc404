import { ProfileBuilder } from '../../src/model/index.js';
import type { Profile } from '../../src/model/index.js';

/** A profile of one thread, `main`: stacks as `run>f` (none: no usable one), with weights and times. Every frame is at line 3 of a.py. */
export function timedProfile(
  unit: Profile['unit'],
  rows: readonly (readonly [stack: string, weight: number, timeNs: number])[],
): Profile {
  const builder = new ProfileBuilder(unit, { format: 'cpython', path: 'r' });
  const thread = builder.thread({ tid: 7, name: 'main' });
  for (const [stack, weight, timeNs] of rows) {
    const frames = stack
      .split('>')
      .map((name) => (name === '' ? -1 : builder.frame({ name, kind: 'python', file: 'a.py', line: 3 })));
    builder.sample(stack === '' ? -1 : builder.stackOf(frames), thread, weight, timeNs);
  }
  return builder.build();
}

/** The same with what the kernel said at each sample: an index into the states. */
export function withStates(profile: Profile, state: readonly number[]): Profile {
  const column = { state: Uint8Array.from(state) };
  return { ...profile, samples: { ...profile.samples, ...column } };
}
