/**
 * Classes that are decorated as the language has it. Vitest does not know decorators yet, so `decorated.ts` has this compiled; nothing is
 * imported, so that what comes out stands alone.
 */
import type { Telemetry } from '../../src/telemetry/index.js';

export const ERROR = new Error('mine');
export const SECRET = Symbol('secret');

// oxlint-disable-next-line typescript/explicit-module-boundary-types
export function decoratedClasses(t: Telemetry, pass: (ms: number) => void) {
  class World {
    readonly step: number = 2;
    @t.profiled()
    update(by: number): number {
      pass(this.step);
      return this.step * by;
    }
    @t.profiled('World_Render')
    render(): void {
      pass(10);
      this.update(1);
    }
    @t.profiled()
    [SECRET](): void {
      pass(1);
    }
    @t.profiled()
    static load(): string {
      pass(100);
      return this.name;
    }
  }

  class Base {
    @t.profiled()
    work(_a: number, _b: number): number {
      return 1;
    }
    @t.profiled()
    fail(): void {
      throw ERROR;
    }
  }

  class Derived extends Base {
    @t.profiled('derived')
    override work(a: number, b: number): number {
      return super.work(a, b) + 1;
    }
  }

  class Robot {
    readonly name: string = 'rover';
    @t.profiled()
    async drive(): Promise<string> {
      await Promise.resolve();
      pass(5);
      this.#steer();
      return this.name;
    }
    @t.profiled()
    #steer(): void {
      pass(1);
    }
    @t.profiled()
    async plan(): Promise<string> {
      return this.name;
    }
    @t.profiled()
    plain(): Promise<string> {
      return Promise.resolve().then(() => {
        pass(3);
        return this.name;
      });
    }
  }

  class Source {
    readonly last: number = 3;
    readonly cleaned: string[] = [];
    @t.profiled()
    *values(): Generator<number, string, undefined> {
      for (let i = 1; i <= this.last; i++) {
        pass(1);
        t.measure('inner', () => pass(10));
        yield i;
      }
      return 'end';
    }
    @t.profiled()
    *echo(): Generator<string, string, string | undefined> {
      try {
        pass(1);
        const got = yield 'first';
        pass(1);
        yield `got ${got}`;
      } finally {
        this.cleaned.push('cleaned');
      }
      throw ERROR;
    }
    @t.profiled()
    async *later(): AsyncGenerator<number, void, undefined> {
      for (let i = 1; i <= this.last; i++) {
        pass(1);
        await t.measure('inner', async () => {
          await Promise.resolve();
          pass(10);
        });
        yield i;
      }
    }
    @t.profiled()
    async *failing(): AsyncGenerator<number, void, undefined> {
      pass(1);
      yield 1;
      pass(1);
      yield 2;
      throw ERROR;
    }
  }

  return { World, Base, Derived, Robot, Source };
}
