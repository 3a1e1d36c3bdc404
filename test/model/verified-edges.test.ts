import { describe, expect, it } from 'vitest';
import {
  ProfileBuilder,
  checkProfile,
  foldedLines,
  unverifiedShare,
  withoutUnverifiedEdges,
} from '../../src/model/index.js';
import type { Profile } from '../../src/model/index.js';

/** Stacks as `name:line name:line`, each with its weight and whether it was verified. */
function profileOf(stacks: readonly (readonly [string, number, boolean])[]): Profile {
  const builder = new ProfileBuilder('samples', { format: 'test' });
  const thread = builder.thread({});
  for (const [text, weight, verified] of stacks) {
    let row = -1;
    for (const piece of text.split(' ').filter((one) => one !== '')) {
      const [name = '', line] = piece.split(':');
      row = builder.stack(row, builder.frame({ name, kind: 'python', file: 'x.py', line: Number(line) }));
      builder.verify(row, verified);
    }
    builder.sample(row, thread, weight);
  }
  return builder.build();
}

function drawn(profile: Profile): string[] {
  return [...foldedLines(withoutUnverifiedEdges(profile))].map((line) =>
    line.replaceAll(/ \(x\.py:(\d+)\)/g, ':$1'),
  );
}

describe('a stack with a call that was never verified', () => {
  it('ends at the deepest caller without one', () => {
    const profile = profileOf([
      ['loop:1 step:5 wait:9', 90, true],
      ['loop:1 step:5 wait:9 publish:3 send:4', 2, false],
      ['', 3, false],
    ]);
    expect(drawn(profile)).toEqual(['loop:1;step:5;wait:9 92', ' 3']);
    expect(unverifiedShare(profile)).toBeCloseTo(2 / 95, 12);
    expect(checkProfile(withoutUnverifiedEdges(profile))).toEqual([]);
  });

  it('is told by the line that calls and the function that is called, wherever they were verified', () => {
    const profile = profileOf([
      ['loop:1 step:5 wait:9', 5, true],
      // Another line of the called function, and the same call further out.
      ['loop:1 step:5 wait:10', 4, false],
      ['other:1 step:5 wait:11', 3, false],
      // Another line of the caller does not make that call.
      ['loop:1 step:6 wait:9', 2, false],
    ]);
    expect(drawn(profile)).toEqual([
      'loop:1;step:5;wait:9 5',
      'loop:1;step:5;wait:10 4',
      'other:1 3',
      'loop:1;step:6 2',
    ]);
  });

  it('keeps at least what begins it', () => {
    expect(drawn(profileOf([['main:1 f:2', 7, false]]))).toEqual(['main:1 7']);
  });
});

it('a profile that tells nothing of its edges is drawn as it is', () => {
  const builder = new ProfileBuilder('samples', { format: 'test' });
  builder.sample(builder.stackOf([builder.frame({ name: 'a', kind: 'python' })]), builder.thread({}), 1);
  const profile = builder.build();
  expect(withoutUnverifiedEdges(profile)).toBe(profile);
  expect(unverifiedShare(profile)).toBe(0);
});
