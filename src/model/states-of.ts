import type { Profile } from './profile.js';

/** What the kernel says of a thread at the moment of a sample, in the order of the column that holds it. */
export const THREAD_STATES = ['unknown', 'running', 'cpu-wait', 'gil-wait', 'sleep', 'blocked'] as const;

export type ThreadState = (typeof THREAD_STATES)[number];

/** As people read it. */
export const STATE_TEXT: Readonly<Record<ThreadState, string>> = {
  unknown: 'unknown',
  running: 'running',
  'cpu-wait': 'waiting for a CPU',
  'gil-wait': 'waiting for the GIL',
  sleep: 'asleep',
  blocked: 'blocked',
};

/** Index into `THREAD_STATES` for each sample; undefined where the source has none. */
export function statesOf({ samples }: Pick<Profile, 'samples'>): Uint8Array | undefined {
  const state: unknown = Reflect.get(samples, 'state');
  return state instanceof Uint8Array && state.length === samples.length ? state : undefined;
}

/** The waits that take a sample out of the bucket where it stands. */
export type StateWait = 'gil-wait' | 'cpu-wait';

export function waitOfState(state: number | undefined): StateWait | undefined {
  const name = state === undefined ? undefined : THREAD_STATES[state];
  return name === 'gil-wait' || name === 'cpu-wait' ? name : undefined;
}
