import { describe, expect, it } from 'vitest';
import { byHand } from './hand-clock.js';

/** Numbers below `below`, the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

interface Call {
  readonly name: string;
  readonly start: number;
  end: number;
  readonly inside: Call[];
}

/** How long at least one of them was open between two moments. */
function covered(calls: readonly Call[], from: number, to: number): number {
  let sum = 0;
  let at = from;
  for (const { start, end } of calls.toSorted((a, b) => a.start - b.start)) {
    const [low, high] = [Math.max(at, start), Math.min(to, end)];
    if (high > low) sum += high - low;
    at = Math.max(at, Math.min(to, end));
  }
  return sum;
}

const NAMES = ['a', 'b', 'c', 'd'];

/** What has to come out, from the calls as the test itself wrote them down. */
function expected(calls: readonly Call[]): unknown {
  return NAMES.map((name) => {
    const same = calls.filter((call) => call.name === name);
    const sum = (of: (call: Call) => number): number => same.reduce((total, call) => total + of(call), 0);
    return {
      name,
      calls: same.length,
      sumMs: sum(({ start, end }) => end - start),
      totalMs: covered(same, 0, Infinity),
      ownMs: sum(({ start, end, inside }) => end - start - covered(inside, start, end)),
      ownUnknownCalls: 0,
      open: 0,
      illPaired: 0,
    };
  });
}

function told(t: ReturnType<typeof byHand>['t']): unknown {
  const { categories } = t.snapshot();
  return NAMES.map((name) => {
    const { calls, sumMs, totalMs, ownMs, ownUnknownCalls, open, illPaired } = categories.find(
      (category) => category.name === name,
    )!;
    return { name, calls, sumMs, totalMs, ownMs, ownUnknownCalls, open, illPaired };
  });
}

describe('own and total time, against a plain account of what was called', () => {
  it.each([1, 2, 3, 4, 5])('of synchronous calls, each in one of four ways (%d)', (seed) => {
    const random = numbers(seed);
    const { t, pass } = byHand();
    const all: Call[] = [];
    let now = 1000;
    const spend = (): void => {
      const ms = random(5);
      now += ms;
      pass(ms);
    };
    const methods = new Map(
      NAMES.map((name) => [name, t.profiled(name)((work: () => void) => work(), { kind: 'method', name })]),
    );
    const call = (depth: number, siblings: Call[]): void => {
      const name = NAMES[random(NAMES.length)]!;
      const mine: Call = { name, start: now, end: now, inside: [] };
      siblings.push(mine);
      all.push(mine);
      const work = (): void => {
        spend();
        for (let i = depth < 8 ? random(4) : 0; i > 0; i--) {
          call(depth + 1, mine.inside);
          spend();
        }
        mine.end = now;
        if (random(10) === 0) throw new RangeError('now and then');
      };
      try {
        const way = random(4);
        if (way === 0) t.measure(name, work);
        else if (way === 1) methods.get(name)!(work);
        else if (way === 2) {
          using _span = t.span(name);
          work();
        } else {
          const span = t.span(name);
          try {
            work();
          } finally {
            span.end();
          }
        }
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    };
    for (let i = 0; i < 200; i++) call(0, []);
    expect(all.length).toBeGreaterThan(1000);
    expect(told(t)).toEqual(expected(all));
  });

  it.each([1, 2, 3, 4, 5])(
    'of asynchronous calls that overlap and wait for each other (%d)',
    async (seed) => {
      const random = numbers(seed);
      const { t, pass } = byHand();
      const all: Call[] = [];
      let now = 1000;
      const spend = (): void => {
        const ms = random(5);
        now += ms;
        pass(ms);
      };
      const waiting: (() => void)[] = [];
      const gate = async (): Promise<void> => await new Promise((open) => waiting.push(open));
      const call = async (depth: number, siblings: Call[]): Promise<void> => {
        const name = NAMES[random(NAMES.length)]!;
        const mine: Call = { name, start: now, end: now, inside: [] };
        siblings.push(mine);
        all.push(mine);
        await t.measure(name, async () => {
          const started: Promise<void>[] = [];
          for (let i = depth < 4 ? random(4) : 0; i > 0; i--) {
            const one = call(depth + 1, mine.inside);
            if (random(2) === 0) await one;
            else started.push(one);
            if (random(2) === 0) await gate();
          }
          await Promise.all(started);
          mine.end = now;
        });
      };
      const roots = Array.from({ length: 60 }, () => call(0, []));
      while (waiting.length > 0) {
        const [open] = waiting.splice(random(waiting.length), 1);
        open!();
        // The clock goes on only while all wait: a call ends a few turns after the last line of its function, when others may run.
        await new Promise((done) => setImmediate(done));
        spend();
      }
      await Promise.all(roots);
      expect(all.length).toBeGreaterThan(150);
      expect(told(t)).toEqual(expected(all));
    },
  );
});
