import { describe, expect, it } from 'vitest';
import { byHand, turns } from './hand-clock.js';

/** Gates that a test opens: nothing here waits for a clock. */
function gates(): {
  readonly at: (name: string) => Promise<void>;
  readonly open: (name: string) => Promise<void>;
} {
  const known = new Map<string, { promise: Promise<void>; open: () => void }>();
  const gate = (name: string): { promise: Promise<void>; open: () => void } => {
    const same = known.get(name);
    if (same !== undefined) return same;
    let resolve: (() => void) | undefined;
    const promise = new Promise<void>((settle) => {
      resolve = settle;
    });
    const made = { promise, open: (): void => resolve?.() };
    known.set(name, made);
    return made;
  };
  return {
    at: (name) => gate(name).promise,
    open: async (name) => {
      gate(name).open();
      await turns();
    },
  };
}

describe('an asynchronous call', () => {
  it('lasts until its promise has settled', async () => {
    const { t, pass, of } = byHand();
    const { at, open } = gates();
    const answer = t.measure('call', async () => {
      pass(1);
      await at('go');
      pass(2);
      return 'value';
    });
    pass(10);
    await open('go');
    expect(await answer).toBe('value');
    expect(of('call')).toMatchObject({
      calls: 1,
      sumMs: 13,
      totalMs: 13,
      ownMs: 13,
      ownUnknownCalls: 0,
      open: 0,
    });
  });

  it('hands on a rejection as it is, and nobody hears of it twice', async () => {
    const { t, pass, of } = byHand();
    const error = new Error('mine');
    const unhandled: unknown[] = [];
    const hear = (reason: unknown): number => unhandled.push(reason);
    process.on('unhandledRejection', hear);
    await expect(
      t.measure('call', async () => {
        pass(3);
        await turns();
        throw error;
      }),
    ).rejects.toBe(error);
    await expect(t.measure('plain', () => Promise.reject(error))).rejects.toBe(error);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', hear);
    expect(unhandled).toEqual([]);
    expect(of('call')).toMatchObject({ calls: 1, sumMs: 3, open: 0 });
    expect(of('plain')).toMatchObject({ calls: 1, open: 0 });
  });

  it('that nobody waits for is still an unhandled rejection', async () => {
    const { t } = byHand();
    const error = new Error('nobody waits');
    const heard = new Promise((resolve) => process.once('unhandledRejection', resolve));
    void t.measure('call', () => Promise.reject(error));
    expect(await heard).toBe(error);
  });

  it("is without its own calls' time, also of those that overlap", async () => {
    const { t, pass, of } = byHand();
    const { at, open } = gates();
    const outer = t.measure('outer', async () => {
      pass(1);
      const a = t.measure('inner', async () => await at('a'));
      pass(10);
      const b = t.measure('inner', async () => await at('b'));
      await a;
      await b;
      await at('end');
    });
    pass(100);
    await open('a');
    pass(1000);
    await open('b');
    pass(10_000);
    await open('end');
    await outer;
    expect(of('outer')).toMatchObject({ sumMs: 11_111, ownMs: 10_001, ownUnknownCalls: 0 });
    // From 1 to 111, and from 11 to 1111: together from 1 to 1111.
    expect(of('inner')).toMatchObject({ calls: 2, sumMs: 110 + 1100, totalMs: 1110, ownMs: 110 + 1100 });
  });

  it('knows what is inside after it waited, and not what others do meanwhile', async () => {
    const { t, pass, of } = byHand();
    const { at, open } = gates();
    const handler = (name: string) => (): Promise<void> =>
      t.measure(name, async () => {
        await at(name);
        t.measure(`${name} work`, () => {
          pass(10);
          t.measure(`${name} deep`, () => pass(1));
        });
      });
    const both = [handler('a')(), handler('b')()];
    await open('b');
    await open('a');
    await Promise.all(both);
    expect(of('a')).toMatchObject({ sumMs: 22, ownMs: 11 });
    expect(of('b')).toMatchObject({ sumMs: 11, ownMs: 0 });
    expect(of('a work')).toMatchObject({ sumMs: 11, ownMs: 10 });
  });

  it('inside a synchronous one counts as far as it ran before it gave way', async () => {
    const { t, pass, of } = byHand();
    const { at, open } = gates();
    let inner: Promise<void> | undefined;
    t.measure('outer', () => {
      pass(1);
      inner = t.measure('inner', async () => {
        pass(10);
        await at('go');
        pass(100);
      });
      pass(1000);
    });
    await open('go');
    await inner;
    expect(of('outer')).toMatchObject({ sumMs: 1011, ownMs: 1001 });
    expect(of('inner')).toMatchObject({ sumMs: 1110, ownMs: 1110 });
  });

  it('by a plain function: its own time is not known the first time, and known from then on', async () => {
    const { t, pass, of } = byHand();
    const { at, open } = gates();
    const inner = async (gate: string): Promise<void> => {
      await at(gate);
      t.measure('inner', () => pass(10));
    };
    const first = t.measure('plain', () => inner('first'));
    pass(1);
    await open('first');
    await first;
    expect(of('plain')).toMatchObject({
      calls: 1,
      sumMs: 11,
      ownMs: 0,
      ownUnknownCalls: 1,
      ownUnknownMs: 11,
    });
    const second = t.measure('plain', () => inner('second'));
    pass(2);
    await open('second');
    await second;
    expect(of('plain')).toMatchObject({ calls: 2, sumMs: 23, ownMs: 2, ownUnknownCalls: 1 });
    // The same category may also be synchronous.
    expect(t.measure('plain', () => (pass(5), 'value'))).toBe('value');
    expect(of('plain')).toMatchObject({ calls: 3, sumMs: 28, ownMs: 7, ownUnknownCalls: 1 });
    expect(() =>
      t.measure('plain', () => {
        throw new TypeError('at once');
      }),
    ).toThrow(TypeError);
    expect(of('plain')).toMatchObject({ calls: 4, open: 0 });
  });

  it('that outlives the one that it began in is no part of it afterwards', async () => {
    const { t, pass, of } = byHand();
    const { at, open } = gates();
    let inner: Promise<void> | undefined;
    const outer = t.measure('outer', async () => {
      pass(1);
      inner = t.measure('inner', async () => await at('inner'));
      await at('outer');
    });
    pass(10);
    await open('outer');
    await outer;
    pass(100);
    await open('inner');
    await inner;
    expect(of('outer')).toMatchObject({ sumMs: 11, ownMs: 1 });
    expect(of('inner')).toMatchObject({ sumMs: 110, ownMs: 110 });
  });

  it('with a promise that has something of its own is handed on untouched, and that is said', async () => {
    const { t, pass, of } = byHand();
    class Cancelable extends Promise<number> {
      cancel(): string {
        return 'cancelled';
      }
    }
    const cancelable = new Cancelable((resolve) => resolve(1));
    const extended = Object.assign(Promise.resolve(2), { json: () => 3 });
    expect(t.measure('http', () => cancelable)).toBe(cancelable);
    expect(t.measure('http', () => extended)).toBe(extended);
    pass(100);
    expect(of('http')).toMatchObject({ calls: 2, sumMs: 0, untouchedPromises: 2 });
    expect(t.snapshot().notes).toEqual([
      'http: 2 calls returned a promise with something of its own, and ended there; in an async function it is timed to the end.',
    ]);
    expect(await t.measure('http', async () => await cancelable)).toBe(1);
  });

  it('with a span held over an await: whole durations, own time of the span not known', async () => {
    const { t, pass, of } = byHand();
    const { at, open } = gates();
    const call = t.measure('call', async () => {
      pass(1);
      using _span = t.span('span');
      pass(10);
      await at('go');
      t.measure('work', () => pass(100));
    });
    await open('go');
    await call;
    expect(of('call')).toMatchObject({ sumMs: 111, ownMs: 1 });
    expect(of('span')).toMatchObject({ sumMs: 110, ownUnknownCalls: 1, illPaired: 0, open: 0 });
    expect(of('work')).toMatchObject({ ownMs: 100 });
  });

  it('inside a span: own time of the span is not known, since it does not wait for its place', async () => {
    const { t, pass, of } = byHand();
    const { at, open } = gates();
    const run = async (): Promise<void> => {
      using _span = t.span('span');
      await t.measure('call', async () => await at('go'));
    };
    const running = run();
    pass(7);
    await open('go');
    await running;
    expect(of('span')).toMatchObject({ sumMs: 7, ownUnknownCalls: 1, illPaired: 0 });
    expect(of('call')).toMatchObject({ sumMs: 7, ownMs: 7 });
  });

  it('that never settles stays open, and is said', async () => {
    const { t, pass, of } = byHand();
    void t.measure('never', () => new Promise(() => {}));
    pass(5);
    t.measure('work', () => pass(1));
    expect(of('never')).toMatchObject({ calls: 0, open: 1 });
    expect(of('work')).toMatchObject({ calls: 1, ownMs: 1 });
  });

  it('a thousand at once, each with its own calls: none is mixed up', async () => {
    const { t, pass, of } = byHand();
    const call = (i: number): Promise<void> =>
      t.measure('call', async () => {
        for (let j = 0; j < i % 7; j++) await Promise.resolve();
        await t.measure('inner', async () => {
          await Promise.resolve();
          t.measure('work', () => pass(1));
        });
      });
    await Promise.all(Array.from({ length: 1000 }, (_, i) => call(i)));
    expect(of('call')).toMatchObject({ calls: 1000, ownUnknownCalls: 0, illPaired: 0, open: 0 });
    expect(of('inner')).toMatchObject({ calls: 1000, open: 0 });
    expect(of('work')).toMatchObject({ calls: 1000, sumMs: 1000, ownMs: 1000 });
  });
});
