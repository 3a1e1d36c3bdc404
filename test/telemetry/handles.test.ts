import { describe, expect, it } from 'vitest';
import { byHand, turns } from './hand-clock.js';

describe('span', () => {
  it('ends with its block', () => {
    const { t, pass, of } = byHand();
    {
      using _outer = t.span('outer');
      pass(1);
      {
        using _inner = t.span('inner');
        pass(10);
      }
      t.measure('called', () => pass(100));
    }
    expect(of('outer')).toMatchObject({ calls: 1, sumMs: 111, ownMs: 1, illPaired: 0, open: 0 });
    expect(of('inner')).toMatchObject({ sumMs: 10, ownMs: 10 });
  });

  it('ends when its block throws', () => {
    const { t, pass, of } = byHand();
    const error = new Error('mine');
    expect(() => {
      using _span = t.span('x');
      pass(3);
      throw error;
    }).toThrow(error);
    expect(of('x')).toMatchObject({ calls: 1, sumMs: 3, open: 0 });
  });

  it('inside of measure counts as its child', () => {
    const { t, pass, of } = byHand();
    t.measure('outer', () => {
      pass(1);
      using _span = t.span('inner');
      pass(10);
      t.measure('innermost', () => pass(100));
    });
    expect(of('outer')).toMatchObject({ sumMs: 111, ownMs: 1 });
    expect(of('inner')).toMatchObject({ sumMs: 110, ownMs: 10 });
  });

  it('ended twice is counted, and ends nobody else', () => {
    const { t, pass, of } = byHand();
    const first = t.span('first');
    pass(1);
    first.end();
    const second = t.span('second');
    pass(10);
    first.end();
    first[Symbol.dispose]();
    pass(100);
    second.end();
    expect(of('first')).toMatchObject({ calls: 1, sumMs: 1, illPaired: 2, open: 0 });
    expect(of('second')).toMatchObject({ calls: 1, sumMs: 110, ownMs: 110, illPaired: 0 });
  });

  it('disposed of twice is counted, and ends nobody else', () => {
    const { t, pass, of } = byHand();
    for (let i = 0; i < 100; i++) t.span('warm')[Symbol.dispose]();
    const first = t.span('first');
    first[Symbol.dispose]();
    for (let i = 0; i < 30; i++) {
      using _span = t.span('between');
      first[Symbol.dispose]();
      pass(1);
    }
    expect(of('first')).toMatchObject({ calls: 1, illPaired: 30 });
    expect(of('between')).toMatchObject({ calls: 30, sumMs: 30, illPaired: 0 });
  });

  it('ended out of order is counted; durations hold, and those around it are right', () => {
    const { t, pass, of } = byHand();
    t.measure('around', () => {
      const a = t.span('a');
      pass(1);
      const b = t.span('b');
      pass(10);
      a.end();
      pass(100);
      b.end();
      pass(1000);
      t.measure('after', () => pass(10_000));
    });
    expect(of('a')).toMatchObject({
      calls: 1,
      sumMs: 11,
      ownMs: 0,
      ownUnknownCalls: 1,
      ownUnknownMs: 11,
      illPaired: 1,
    });
    expect(of('b')).toMatchObject({ calls: 1, sumMs: 110, ownMs: 110, illPaired: 0 });
    // What `a` took alone is not known to be of anybody else.
    expect(of('around')).toMatchObject({ sumMs: 11_111, ownMs: 1001 });
    expect(of('after')).toMatchObject({ ownMs: 10_000 });
    expect(t.snapshot().notes).toEqual([
      'a: 1 end out of order, of a span that had ended, or never made; durations hold, own time of these is not known.',
      'a: own time is of 0 of 1 call; of the others it is not known what was inside.',
    ]);
  });

  it('ended inside of what was measured in it leaves that right', () => {
    const { t, pass, of } = byHand();
    const outer = t.span('outer');
    const early = t.span('early');
    t.measure('work', () => {
      pass(1);
      early.end();
      pass(10);
    });
    pass(100);
    outer.end();
    expect(of('work')).toMatchObject({ sumMs: 11, ownMs: 11 });
    expect(of('early')).toMatchObject({ sumMs: 1, illPaired: 1 });
    expect(of('outer')).toMatchObject({ sumMs: 111, ownMs: 100, illPaired: 0 });
  });

  it('never ended is said; what follows is right', () => {
    const { t, pass, of } = byHand();
    let lost = t.span('warm');
    lost.end();
    t.measure('work', () => {
      lost = t.span('lost');
      pass(1);
    });
    t.measure('next', () => pass(10));
    expect(of('work')).toMatchObject({ sumMs: 1 });
    expect(of('next')).toMatchObject({ sumMs: 10, ownMs: 10 });
    expect(of('lost')).toMatchObject({ calls: 0, open: 1 });
    expect(t.snapshot().notes).toEqual(['lost: 1 call begun and not ended.']);
    // Much later, when others have its place.
    const a = t.span('a');
    lost.end();
    pass(100);
    a.end();
    expect(of('lost')).toMatchObject({ calls: 1, sumMs: 11, open: 0, illPaired: 1 });
    expect(of('a')).toMatchObject({ sumMs: 100, ownMs: 100, illPaired: 0 });
  });

  it('a million of them that nobody ends: bounded, and the rest is right', () => {
    const { t, pass, of } = byHand();
    for (let i = 0; i < 1_000_000; i++) t.span('lost');
    t.measure('outer', () => {
      pass(1);
      t.measure('inner', () => pass(10));
    });
    const span = t.span('late');
    pass(100);
    span.end();
    expect(of('lost')).toMatchObject({ calls: 0, open: 1_000_000 });
    expect(of('outer')).toMatchObject({ sumMs: 11, ownMs: 1 });
    expect(of('late')).toMatchObject({ sumMs: 100, ownUnknownCalls: 1, illPaired: 0 });
  });

  it.each([1, 2, 3, 4, 5])(
    'begun and ended in any order: durations hold, and what follows is right (%d)',
    (seed) => {
      let state = seed;
      const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
      const { t, pass, of } = byHand();
      const open: { readonly span: ReturnType<typeof t.span>; readonly from: number }[] = [];
      const over: ReturnType<typeof t.span>[] = [];
      let [now, calls, sum, again] = [0, 0, 0, 0];
      const spend = (): void => {
        const ms = random(4);
        now += ms;
        pass(ms);
      };
      const chaos = (depth: number): void => {
        for (let i = 0; i < 30; i++) {
          spend();
          const what = random(8);
          if (what < 3) open.push({ span: t.span('x'), from: now });
          else if (what < 6 && open.length > 0) {
            const { span, from } = open.splice(
              random(3) === 0 ? random(open.length) : open.length - 1,
              1,
            )[0]!;
            span.end();
            over.push(span);
            calls++;
            sum += now - from;
          } else if (what === 6 && over.length > 0) {
            over[random(over.length)]!.end();
            again++;
          } else if (depth < 4) t.measure('y', () => chaos(depth + 1));
        }
      };
      for (let i = 0; i < 5; i++) chaos(0);
      for (const { span, from } of open.splice(0)) {
        span.end();
        calls++;
        sum += now - from;
      }
      expect(calls).toBeGreaterThan(300);
      expect(of('x')).toMatchObject({ calls, sumMs: sum, open: 0 });
      expect(of('x')!.illPaired).toBeGreaterThanOrEqual(again);
      t.measure('outer', () => {
        using _span = t.span('middle');
        pass(1);
        t.measure('inner', () => pass(10));
      });
      expect(of('outer')).toMatchObject({ sumMs: 11, ownMs: 0 });
      expect(of('middle')).toMatchObject({ sumMs: 11, ownMs: 1, illPaired: 0, ownUnknownCalls: 0 });
      expect(t).toMatchObject({ depth: 0, topHandle: 0, holes: 0 });
    },
  );

  it('held over an await: durations hold, also when several overlap', async () => {
    const { t, pass, of } = byHand();
    const gates: (() => void)[] = [];
    const gate = (): Promise<void> => new Promise((open) => gates.push(open));
    const handler = async (): Promise<void> => {
      using _span = t.span('handler');
      pass(1);
      await gate();
      pass(10);
    };
    const both = [handler(), handler()];
    gates[0]!();
    await turns();
    gates[1]!();
    await Promise.all(both);
    // The first from 0 to 12, the second from 1 to 22.
    expect(of('handler')).toMatchObject({ calls: 2, sumMs: 12 + 21, totalMs: 22, open: 0, illPaired: 1 });
    t.measure('after', () => pass(5));
    expect(of('after')).toMatchObject({ ownMs: 5 });
  });
});
