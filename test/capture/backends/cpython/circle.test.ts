import { expect, it } from 'vitest';
import { Circle } from '../../../../src/capture/backends/cpython/circle.js';

/** How many frames pass before the circle is noticed; undefined where none is among so many. */
function noticedAfter(frames: (at: number) => number, most: number): number | undefined {
  const circle = new Circle();
  circle.begin();
  for (let at = 0; at < most; at += 1) if (circle.closes(frames(at))) return at;
  return undefined;
}

it.each([
  [0, 1],
  [0, 2],
  [5, 3],
  [300, 7],
  [2, 1000],
])('a circle behind %i frames, of %i, is noticed within three times as many', (before, length) => {
  const found = noticedAfter(
    (at) => (at < before ? 8 * (at + 1) : 8 * (before + 1 + ((at - before) % length))),
    20_000,
  );
  expect(found).toBeGreaterThanOrEqual(before + length);
  expect(found).toBeLessThanOrEqual(3 * Math.max(before, length) + length + 1);
});

it('a stack that is only deep has none', () => {
  expect(noticedAfter((at) => 8 * (at + 1), 20_000)).toBeUndefined();
});
