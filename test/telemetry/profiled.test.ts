import { beforeAll, describe, expect, it } from 'vitest';
import { compiledClasses } from './decorated.js';
import { byHand } from './hand-clock.js';

let compiled: Awaited<ReturnType<typeof compiledClasses>>;
beforeAll(async () => {
  compiled = await compiledClasses();
});

describe('a decorated method', () => {
  it('is filed under its own name, or the one that is given', () => {
    const { t, pass, of } = byHand();
    const { World } = compiled.decoratedClasses(t, pass);
    const world = new World();
    expect(world.update(21)).toBe(42);
    world.render();
    world[compiled.SECRET]();
    expect(World.load()).toBe('World');
    expect(of('update')).toMatchObject({ calls: 2, sumMs: 4 });
    expect(of('World_Render')).toMatchObject({ calls: 1, sumMs: 12, ownMs: 10 });
    expect(of('secret')).toMatchObject({ calls: 1, sumMs: 1 });
    expect(of('load')).toMatchObject({ calls: 1, sumMs: 100 });
  });

  it('keeps name, length, exceptions and the prototype chain', () => {
    const { t, pass, of } = byHand();
    const { Derived } = compiled.decoratedClasses(t, pass);
    const derived = new Derived();
    expect([derived.work.name, derived.work.length]).toEqual(['work', 2]);
    expect(derived.work(1, 2)).toBe(2);
    expect(() => derived.fail()).toThrow(compiled.ERROR);
    expect(of('work')).toMatchObject({ calls: 1 });
    expect(of('derived')).toMatchObject({ calls: 1 });
    expect(of('fail')).toMatchObject({ calls: 1, open: 0 });
  });

  it('may be asynchronous, by an async function or a plain one, and private', async () => {
    const { t, pass, of } = byHand();
    const { Robot } = compiled.decoratedClasses(t, pass);
    const robot = new Robot();
    expect(await robot.drive()).toBe('rover');
    expect(await robot.plan()).toBe('rover');
    expect(await robot.plain()).toBe('rover');
    expect(await robot.plain()).toBe('rover');
    expect(of('drive')).toMatchObject({ calls: 1, sumMs: 6, ownMs: 5 });
    expect(of('#steer')).toMatchObject({ calls: 1, sumMs: 1 });
    expect(of('plain')).toMatchObject({ calls: 2, sumMs: 6, ownMs: 3, ownUnknownCalls: 1 });
  });

  it('that is a generator took as long as it ran, not as long as its consumer', () => {
    const { t, pass, of } = byHand();
    const { Source } = compiled.decoratedClasses(t, pass);
    const generator = new Source().values();
    expect(Object.prototype.toString.call(generator)).toBe('[object Generator]');
    const seen: number[] = [];
    t.measure('consumer', () => {
      for (const value of generator) {
        seen.push(value);
        pass(1000);
      }
    });
    expect(seen).toEqual([1, 2, 3]);
    expect(of('values')).toMatchObject({ calls: 1, sumMs: 33, totalMs: 33, ownMs: 3, open: 0 });
    expect(of('consumer')).toMatchObject({ sumMs: 3033, ownMs: 3000 });
    expect(generator.next()).toEqual({ value: undefined, done: true });
    expect(of('values')).toMatchObject({ calls: 1 });
  });

  it('that is a generator ends once: by a break, by an exception, in either direction', () => {
    const { t, pass, of } = byHand();
    const { Source } = compiled.decoratedClasses(t, pass);
    const source = new Source();
    for (const value of source.echo()) if (value === 'first') break;
    const thrown = source.echo();
    thrown.next('');
    expect(() => thrown.throw(new TypeError('in'))).toThrow(TypeError);
    const through = source.echo();
    through.next('');
    expect(through.next('this')).toEqual({ value: 'got this', done: false });
    expect(() => through.next('')).toThrow(compiled.ERROR);
    expect(source.cleaned).toEqual(['cleaned', 'cleaned', 'cleaned']);
    expect(of('echo')).toMatchObject({ calls: 3, sumMs: 4, open: 0 });
    // One that is never run to its end is not counted.
    source.echo().next('');
    expect(of('echo')).toMatchObject({ calls: 3, totalMs: 5, open: 0 });
  });

  it('that is a generator may be delegated to, and may be running when it is resumed', () => {
    const { t, pass, of } = byHand();
    const { Source } = compiled.decoratedClasses(t, pass);
    const source = new Source();
    function* all(): Generator<number, string, undefined> {
      return yield* source.values();
    }
    expect([...all()]).toEqual([1, 2, 3]);
    expect(of('values')).toMatchObject({ calls: 1, sumMs: 33 });
    const inner: Generator<number> = t.measure('again', function* () {
      pass(1);
      expect(() => inner.next()).toThrow(TypeError);
      yield 1;
    });
    expect([...inner]).toEqual([1]);
    expect(of('again')).toMatchObject({ calls: 1, sumMs: 1, open: 0 });
  });

  it('that is an asynchronous generator took as long as it worked or waited', async () => {
    const { t, pass, of } = byHand();
    const { Source } = compiled.decoratedClasses(t, pass);
    const seen: number[] = [];
    for await (const value of new Source().later()) {
      seen.push(value);
      pass(1000);
    }
    expect(seen).toEqual([1, 2, 3]);
    expect(of('later')).toMatchObject({ calls: 1, sumMs: 33, totalMs: 33, ownMs: 3, open: 0 });
    expect(of('inner')).toMatchObject({ calls: 3, sumMs: 30 });
  });

  it('that is an asynchronous generator may be asked for several values at once, and may fail', async () => {
    const { t, pass, of } = byHand();
    const { Source } = compiled.decoratedClasses(t, pass);
    const generator = new Source().failing();
    const asked = [generator.next(), generator.next(), generator.next(), generator.next()];
    expect(await Promise.allSettled(asked)).toEqual([
      { status: 'fulfilled', value: { value: 1, done: false } },
      { status: 'fulfilled', value: { value: 2, done: false } },
      { status: 'rejected', reason: compiled.ERROR },
      { status: 'fulfilled', value: { value: undefined, done: true } },
    ]);
    expect(of('failing')).toMatchObject({ calls: 1, sumMs: 2, totalMs: 2, open: 0 });
  });

  it('in the older manner of TypeScript is left as it was', () => {
    const { t } = byHand();
    const prototype = {};
    const descriptor = { value: () => 1 };
    const older = t.profiled() as unknown as (target: object, key: string, descriptor: object) => unknown;
    expect(older(prototype, 'method', descriptor)).toBe(undefined);
    expect(descriptor.value()).toBe(1);
  });
});
