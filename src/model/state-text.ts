import { SAMPLE_STATES, type SampleState } from './sample-state.js';

/** What the kernel said of a thread, as people read it. */
export const STATE_TEXT: Readonly<Record<SampleState, string>> = {
  unknown: 'unknown',
  running: 'running',
  'cpu-wait': 'waiting for a CPU',
  'gil-wait': 'waiting for the GIL',
  sleep: 'asleep',
  blocked: 'blocked',
};

/** The waits that take a sample out of the bucket where it stands. */
export type StateWait = 'gil-wait' | 'cpu-wait';

/** @param state index into `SAMPLE_STATES`; undefined: not known. */
export function waitOfState(state: number | undefined): StateWait | undefined {
  const name = state === undefined ? undefined : SAMPLE_STATES[state];
  return name === 'gil-wait' || name === 'cpu-wait' ? name : undefined;
}
