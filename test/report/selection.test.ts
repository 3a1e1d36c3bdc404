import { expect, it } from 'vitest';
import { NO_STATES, ProfileBuilder } from '../../src/model/index.js';
import type { Profile } from '../../src/model/index.js';
import { leavesOf, poolSamples } from '../../src/report/index.js';
import { UNCLAIMED } from '../../src/rules/index.js';

/** Two threads on one stack and without one, as `thread stack state`. */
function profileOf(samples: readonly (readonly [number, number, number])[]): Profile {
  const builder = new ProfileBuilder('samples', { format: 'cpython' });
  for (const tid of [1, 2]) builder.thread({ tid });
  builder.stackOf([builder.frame({ name: 'f', kind: 'python' })]);
  samples.forEach(([thread, stack, state], at) => builder.sample(stack, thread, 1, at, state, -1));
  return builder.build();
}

it('samples of a stack are pooled by thread and by what the thread did', () => {
  const profile = profileOf([
    [0, 0, 1],
    [1, 0, 3],
    [0, 0, 4],
    [0, -1, 2],
    [1, 0, 5],
    [0, 0, 1],
    [1, -1, 3],
  ]);
  expect(poolSamples(profile, {}, () => UNCLAIMED)).toEqual([
    { stack: 0, thread: 0, weight: 3, states: { ...NO_STATES, running: 2, sleep: 1 } },
    { stack: -1, thread: 0, weight: 1, states: { ...NO_STATES, 'cpu-wait': 1 } },
    { stack: 0, thread: 1, weight: 2, states: { ...NO_STATES, 'gil-wait': 1, blocked: 1 } },
    { stack: -1, thread: 1, weight: 1, states: { ...NO_STATES, 'gil-wait': 1 } },
  ]);
  // A thread of which too few states are known is pooled as without; the other is not.
  const unknown = profileOf([
    [0, 0, 0],
    [0, 0, 1],
    [1, 0, 1],
  ]);
  expect(
    poolSamples(unknown, {}, () => UNCLAIMED).map(({ weight, states }) => [weight, states?.running]),
  ).toEqual([
    [2, undefined],
    [1, 1],
  ]);
});

it('samples count by their states where they tell them, else by their leaf', () => {
  const states = { ...NO_STATES, running: 2, sleep: 1, blocked: 3, 'gil-wait': 4, 'cpu-wait': 5, unknown: 6 };
  const entry = { stack: 0, thread: 0, weight: 21 };
  expect(leavesOf({ ...entry, states }, () => 'work')).toEqual({ work: 2, sleep: 4, wait: 5, gil: 4 });
  expect(leavesOf(entry, () => 'wait')).toEqual({ work: 0, sleep: 0, wait: 21, gil: 0 });
});
