/**
 * What the kernel said of a thread at the moment of a sample. `running` is on a CPU, or displaced from it by the sampler itself at that
 * very moment; `cpu-wait` is runnable without a CPU; `sleep` is a sleep or a poll; `blocked` is anything else. The place in this list is
 * what a profile stores.
 */
export const SAMPLE_STATES = ['unknown', 'running', 'cpu-wait', 'gil-wait', 'sleep', 'blocked'] as const;

export type SampleState = (typeof SAMPLE_STATES)[number];

/** Weight of some samples by the state of their thread. */
export type StateWeights = Readonly<Record<SampleState, number>>;

/** No samples. */
export const NO_STATES: StateWeights = {
  unknown: 0,
  running: 0,
  'cpu-wait': 0,
  'gil-wait': 0,
  sleep: 0,
  blocked: 0,
};

/** Sum of all of them. */
export function addStates(all: Iterable<StateWeights>): StateWeights {
  const sum = { ...NO_STATES };
  for (const one of all) for (const state of SAMPLE_STATES) sum[state] += one[state];
  return sum;
}

/** All samples, those of unknown state too. */
export function statesWeight(states: StateWeights): number {
  return SAMPLE_STATES.reduce((sum, state) => sum + states[state], 0);
}
