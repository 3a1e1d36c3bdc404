import { expect, it } from 'vitest';
import { countedSamples, ofThread, ProfileBuilder } from '../../src/model/index.js';

function timed(weights: readonly number[]) {
  const builder = new ProfileBuilder('nanoseconds', { format: 'cpuprofile' });
  const main = builder.thread({});
  const stacks = ['a', 'b'].map((name) => builder.stackOf([builder.frame({ name, kind: 'js' })]));
  for (const [row, weight] of weights.entries())
    builder.sample(stacks[row % 2] ?? -1, main, weight, row * 1000);
  return builder.build();
}

it('times become as many samples as they hold, and their sum is kept', () => {
  const counted = countedSamples(timed([1_400_000, 1_400_000, 1_400_000, 1_400_000, 900_000]), 1000);
  expect(counted.unit).toBe('samples');
  // 3.7 of the one and 2.8 of the other: they take turns, and neither is rounded at the other's cost.
  const { length, stack, weight, timeNs } = counted.samples;
  const sums = [0, 0];
  for (let row = 0; row < length; row += 1) sums[stack[row]!]! += weight[row]!;
  expect(sums).toEqual([4, 3]);
  expect([...weight]).toEqual([1, 1, 2, 2, 1]);
  // When each was taken is kept.
  expect([...timeNs!]).toEqual([0, 1000, 2000, 3000, 4000]);
});

it('a profile of samples stays as it is', () => {
  const builder = new ProfileBuilder('samples', { format: 'pyspy-raw' });
  builder.sample(-1, builder.thread({}), 3);
  const profile = builder.build();
  expect(countedSamples(profile, 100)).toBe(profile);
});

it('all samples become those of one thread', () => {
  const { threads } = ofThread(countedSamples(timed([1e6, 1e6]), 1000), { tid: 7, name: 'lidar' });
  expect(threads).toEqual([{ tid: 7, name: 'lidar' }]);
});
