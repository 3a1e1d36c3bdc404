import { describe, expect, it, vi } from 'vitest';
import { byHand } from './hand-clock.js';

function thrown(fn: () => unknown): unknown {
  try {
    fn();
  } catch (caught) {
    return caught;
  }
  return expect.unreachable();
}

describe('measure', () => {
  it('keeps calls, totals, least and largest, and the first call apart', () => {
    const { t, pass, of } = byHand();
    for (const ms of [40, 2, 4]) t.measure('step', () => pass(ms));
    expect(of('step')).toEqual({
      name: 'step',
      threads: 1,
      calls: 3,
      sumMs: 46,
      totalMs: 46,
      ownMs: 46,
      ownUnknownCalls: 0,
      ownUnknownMs: 0,
      meanMs: 46 / 3,
      minMs: 2,
      maxMs: 40,
      firstMs: 40,
      meanOfOthersMs: 3,
      p50Ms: 4.03125,
      p90Ms: 40,
      p99Ms: 40,
      p999Ms: 40,
      kept: 3,
      keptP99Ms: 39.28,
      open: 0,
      illPaired: 0,
      clockBack: 0,
      untouchedPromises: 0,
      refused: 0,
      torn: 0,
    });
  });

  it('takes what was measured inside from own time, not from the total', () => {
    const { t, pass, of } = byHand();
    t.measure('frame', () => {
      pass(1);
      t.measure('update', () => {
        pass(10);
        t.measure('physics', () => pass(100));
        t.measure('physics', () => pass(200));
      });
      pass(2);
      t.measure('render', () => pass(1000));
    });
    expect(of('frame')).toMatchObject({ sumMs: 1313, totalMs: 1313, ownMs: 3 });
    expect(of('update')).toMatchObject({ sumMs: 310, ownMs: 10 });
    expect(of('physics')).toMatchObject({ calls: 2, sumMs: 300, ownMs: 300 });
    expect(of('render')).toMatchObject({ ownMs: 1000 });
  });

  it('covers each moment of a recursion once', () => {
    const { t, pass, of } = byHand();
    const down = (levels: number): void =>
      t.measure('down', () => {
        pass(1);
        if (levels > 1) down(levels - 1);
      });
    down(1000);
    // 1000 + 999 + … + 1
    expect(of('down')).toMatchObject({
      calls: 1000,
      sumMs: 500_500,
      totalMs: 1000,
      ownMs: 1000,
      maxMs: 1000,
    });
  });

  it('covers each moment of a recursion through another category once', () => {
    const { t, pass, of } = byHand();
    const even = (n: number): unknown => t.measure('even', () => (pass(1), n > 0 && odd(n - 1)));
    const odd = (n: number): unknown => t.measure('odd', () => (pass(10), n > 0 && even(n - 1)));
    even(3);
    expect(of('even')).toMatchObject({ calls: 2, sumMs: 22 + 11, totalMs: 22, ownMs: 2 });
    expect(of('odd')).toMatchObject({ calls: 2, sumMs: 21 + 10, totalMs: 21, ownMs: 20 });
  });

  it('hands on what the function returns', () => {
    const { t } = byHand();
    const value = { a: 1 };
    expect(t.measure('x', () => value)).toBe(value);
    expect(t.measure('x', () => null)).toBe(null);
    // oxlint-disable-next-line unicorn/no-thenable -- that is what it is about
    const thenable = { then: () => expect.unreachable('a thenable that is no promise must not be started') };
    expect(t.measure('x', () => thenable)).toBe(thenable);
  });

  it('lets exceptions through as they are, and times what threw', () => {
    const { t, pass, of } = byHand();
    const error = new Error('mine');
    const { stack } = error;
    const caught = thrown(() =>
      t.measure('outer', () => {
        pass(1);
        t.measure('inner', () => {
          pass(2);
          throw error;
        });
      }),
    );
    expect(caught).toBe(error);
    expect(error.stack).toBe(stack);
    expect(
      thrown(() =>
        t.measure('text', () => {
          throw undefined;
        }),
      ),
    ).toBe(undefined);
    expect(of('outer')).toMatchObject({ calls: 1, sumMs: 3, ownMs: 1, open: 0 });
    expect(of('inner')).toMatchObject({ calls: 1, sumMs: 2, ownMs: 2 });
  });

  it('grows with the stack, and survives its end', () => {
    const { t, of } = byHand();
    let depth = 0;
    const down = (): void => t.measure('down', () => (depth++, down()));
    expect(down).toThrow(RangeError);
    const found = of('down')!;
    // Where there was no more room, a call may have begun and not ended.
    expect(found.calls + found.open).toBeGreaterThanOrEqual(depth);
    t.measure('after', () => {});
    expect(of('after')).toMatchObject({ calls: 1 });
  });

  it('keeps counts, totals, least and largest of the whole run beside the last durations', () => {
    const { t, pass, of } = byHand({ capacity: 100 });
    t.measure('step', () => pass(5000));
    for (let i = 1; i <= 1000; i++) t.measure('step', () => pass(i));
    expect(of('step')).toMatchObject({
      calls: 1001,
      sumMs: 505_500,
      maxMs: 5000,
      minMs: 1,
      firstMs: 5000,
      kept: 100,
    });
    // The last hundred are 901 to 1000.
    expect(of('step')?.keptP99Ms).toBe(901 + 99 * 0.99);
  });
});

describe('record', () => {
  it('files a duration that was measured elsewhere', () => {
    const { t, of } = byHand();
    t.measure('outer', () => t.record('gpu', 7));
    expect(of('gpu')).toMatchObject({ calls: 1, sumMs: 7, totalMs: 7, ownMs: 7 });
    expect(of('outer')).toMatchObject({ calls: 1, sumMs: 0, ownMs: 0 });
  });

  it('refuses what is no duration, and says so', () => {
    const { t, of } = byHand();
    for (const wrong of [-1, Number.NaN, Infinity, '3' as never]) t.record('gpu', wrong);
    expect(of('gpu')).toMatchObject({ calls: 1, sumMs: 3, refused: 3 });
    expect(t.snapshot().notes).toEqual(['gpu: 3 values given to record() were no durations.']);
  });
});

describe('frames', () => {
  it('are filed under Frame_Total, with what is measured in them inside', () => {
    const { t, pass, of } = byHand();
    for (const ms of [10, 20]) {
      t.startFrame();
      t.measure('update', () => pass(ms));
      pass(1);
      t.endFrame();
    }
    expect(of('Frame_Total')).toMatchObject({ calls: 2, sumMs: 32, ownMs: 2, minMs: 11, maxMs: 21 });
  });

  it('that were never started are skipped, as Pyrite skips them', () => {
    const { t } = byHand();
    t.endFrame();
    expect(t.snapshot()).toMatchObject({ categories: [], notes: [] });
  });

  it('that were started again are left out, as if they had not begun', () => {
    const { t, pass, of } = byHand();
    t.measure('loop', () => {
      t.startFrame();
      pass(100);
      t.startFrame();
      pass(1);
      t.endFrame();
      t.endFrame();
    });
    expect(of('Frame_Total')).toMatchObject({ calls: 1, sumMs: 1, ownMs: 1, illPaired: 1, open: 0 });
    expect(of('loop')).toMatchObject({ sumMs: 101, ownMs: 100 });
  });
});

describe('the clock', () => {
  it('may go back: never a negative duration, and it is counted', () => {
    const { t, pass, of } = byHand();
    t.measure('outer', () => {
      pass(10);
      t.measure('inner', () => pass(-5));
      pass(1);
    });
    expect(of('inner')).toMatchObject({ calls: 1, sumMs: 0, minMs: 0, totalMs: 0, clockBack: 1 });
    expect(of('outer')).toMatchObject({ calls: 1, sumMs: 6, ownMs: 6, clockBack: 0 });
    expect(t.snapshot().notes).toEqual([
      'inner: the clock went back, or was none, in 1 call, counted as 0 ms.',
    ]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no clock');
      },
    ],
    ['is no number', () => 'noon' as never],
    ['stands at infinity', () => Infinity],
  ])('that %s harms nobody', (_, clock) => {
    const { t, of } = byHand({ clock });
    expect(t.measure('x', () => 5)).toBe(5);
    t.span('x').end();
    expect(of('x')).toMatchObject({ calls: 2, sumMs: 0, totalMs: 0, ownMs: 0, clockBack: 2 });
  });
});

describe('categories', () => {
  it('beyond the limit share one, and that is said', () => {
    const { t, pass, of } = byHand({ maxCategories: 3, capacity: 10 });
    for (let i = 0; i < 1000; i++) t.measure(`chunk ${i}`, () => pass(1));
    t.measure('chunk 1', () => pass(1));
    expect(t.snapshot().categories.map(({ name, calls }) => [name, calls])).toEqual([
      ['chunk 0', 1],
      ['chunk 1', 2],
      ['chunk 2', 1],
      ['(other categories)', 997],
    ]);
    expect(of('(other categories)')).toMatchObject({ sumMs: 997, ownMs: 997 });
    expect(t.snapshot().notes).toEqual([
      '997 calls of categories beyond the first 3 of a thread are in (other categories): names with a number in them make a category each (maxCategories).',
    ]);
  });

  it('ten million of them take no more memory than a few', () => {
    const { t, of } = byHand({ maxCategories: 8, capacity: 16 });
    for (let i = 0; i < 10_000_000; i++) t.record(`${i}`, 1);
    expect(of('(other categories)')).toMatchObject({ calls: 10_000_000 - 8, sumMs: 10_000_000 - 8 });
    // Nine of them, of 18 + 3008 + 2 × 16 numbers each.
    expect(t.snapshot().bytes).toBe(9 * 3058 * 8);
  });

  it('for which there is no memory harm nobody', () => {
    const { t, pass, of } = byHand();
    t.measure('before', () => pass(1));
    vi.stubGlobal('SharedArrayBuffer', () => expect.unreachable('no constructor, so it throws'));
    expect(t.measure('without', () => 5)).toBe(5);
    using _span = t.span('without too');
    vi.unstubAllGlobals();
    t.measure('before', () => pass(1));
    expect(of('before')).toMatchObject({ calls: 2, sumMs: 2 });
    expect(of('(no memory)')).toMatchObject({ calls: 1 });
  });

  it('may have any name', () => {
    const { t } = byHand();
    const names = ['', '__proto__', 'a\nb', 'x'.repeat(300)];
    for (const name of [...names, undefined as never, 7 as never, Symbol('s') as never]) t.record(name, 1);
    expect(t.snapshot().categories.map(({ name, calls }) => [name, calls])).toEqual([
      ['', 1],
      ['__proto__', 1],
      ['a\nb', 1],
      ['x'.repeat(200), 1],
      ['(not a text)', 3],
    ]);
  });
});

describe('options', () => {
  it('that cannot be are as if they had not been given', () => {
    const { t, of } = byHand({ capacity: -1, maxCategories: Number.NaN, endedThreads: 1.5 });
    t.record('x', 1);
    expect(of('x')).toMatchObject({ calls: 1 });
    expect(t.snapshot().bytes).toBe((18 + 3008 + 2 * 10_000) * 8);
  });

  it('of a telemetry that is asked for twice are those of the first, and that is said', () => {
    const { t } = byHand({ name: 'asked twice', capacity: 10 });
    const again = byHand({ name: 'asked twice', capacity: 20 });
    expect(again.t).toBe(t);
    expect(t.snapshot().notes).toEqual([
      'It was asked for again with another capacity, clock: what the first asked for holds.',
    ]);
  });
});
