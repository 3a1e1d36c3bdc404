import { describe, expect, it } from 'vitest';
import { ProfileBuilder, betweenTimes, checkProfile, lastSampleS } from '../../src/model/index.js';
import type { Profile } from '../../src/model/index.js';

function profileOf(unit: Profile['unit'], rows: readonly (readonly [number, number, number?])[]): Profile {
  const builder = new ProfileBuilder(unit, { format: 'cpython' });
  const threads = ['a', 'b'].map((name) => builder.thread({ name }));
  const stack = builder.stack(-1, builder.frame({ name: 'f', kind: 'python' }));
  for (const [timeS, weight, thread = 0] of rows)
    builder.sample(stack, threads[thread]!, weight, timeS * 1e9);
  builder.lostSamples(3);
  return builder.build();
}

const rowsOf = ({ samples }: Profile) =>
  Array.from(samples.weight, (weight, row) => [samples.timeNs![row]! / 1e9, weight, samples.thread[row]]);

describe('the samples of an interval', () => {
  it('are those at its begin and after, and before its end', () => {
    const profile = profileOf('samples', [
      [0.5, 1],
      [1, 1, 1],
      [1.5, 2],
      [2, 1],
    ]);
    const cut = betweenTimes(profile, 1, 2);
    expect(rowsOf(cut)).toEqual([
      [1, 1, 1],
      [1.5, 2, 0],
    ]);
    expect(checkProfile(cut)).toEqual([]);
    expect([cut.threads, cut.stacks, cut.lost]).toEqual([profile.threads, profile.stacks, profile.lost]);
  });

  it('are not held against how often the sampler looked over the whole window', () => {
    const profile = { ...profileOf('samples', [[1, 1]]), ticks: { taken: 10_000, due: 10_029 } };
    expect(betweenTimes(profile, 0, 2).ticks).toBeUndefined();
  });

  it('are those at a begin that no binary number holds exactly', () => {
    const profile = profileOf('samples', [[0.001005982, 1]]);
    expect(Math.round(0.001005982 * 1e9)).not.toBe(0.001005982 * 1e9);
    const whole = { ...profile, samples: { ...profile.samples, timeNs: Float64Array.of(1_005_982) } };
    expect(betweenTimes(whole, 0.001005982, Infinity).samples.length).toBe(1);
    expect(betweenTimes(whole, 0, 0.001005982).samples.length).toBe(0);
  });

  it('are of a measured one what lies inside', () => {
    const profile = profileOf('nanoseconds', [
      [0.5, 0.75e9],
      [1.25, 0.25e9],
      [1.5, 2e9],
      [3.5, 1e9],
    ]);
    expect(rowsOf(betweenTimes(profile, 1, 2))).toEqual([
      [1, 0.25e9, 0],
      [1.25, 0.25e9, 0],
      [1.5, 0.5e9, 0],
    ]);
    expect(rowsOf(betweenTimes(profile, 2, 2.5))).toEqual([[2, 0.5e9, 0]]);
    expect(rowsOf(betweenTimes(profile, 4.5, 9))).toEqual([]);
  });

  it('keep every column that the source has', () => {
    const profile = profileOf('samples', [
      [0, 1],
      [1, 1],
      [2, 1],
    ]);
    const state = Uint8Array.from([1, 3, 2]);
    const holder = Int32Array.from([0, 1, -1]);
    const cut = betweenTimes(
      { ...profile, samples: Object.assign({ state, holder }, profile.samples) },
      1,
      9,
    );
    expect(cut.samples).toMatchObject({
      length: 2,
      state: Uint8Array.of(3, 2),
      holder: Int32Array.of(1, -1),
    });
  });

  it('end where the last one does', () => {
    expect(lastSampleS(profileOf('samples', [[2, 5]]))).toBe(2);
    expect(
      lastSampleS(
        profileOf('nanoseconds', [
          [2, 5e9],
          [3, 1e9],
        ]),
      ),
    ).toBe(7);
    const builder = new ProfileBuilder('samples', { format: 'folded' });
    builder.sample(-1, builder.thread({}), 1);
    const profile = builder.build();
    expect(lastSampleS(profile)).toBeUndefined();
    expect(() => betweenTimes(profile, 0, 1)).toThrow(RangeError);
  });
});
