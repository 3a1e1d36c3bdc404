import type { Category } from './category.js';
import { settle } from './async-calls.js';
import { isAsyncFunction, isAsyncGenerator, isGenerator } from './function-kind.js';
import type { OpenCalls } from './open-calls.js';

export interface ProfiledCalls extends OpenCalls {
  readonly depth: number;
  category(name: string): Category;
  measureInContext<T>(category: Category, fn: () => T): T;
}

/** A method as it was, timed: name, length and what it returns are those of the method. */
export function profiled<This, Args extends unknown[], Return>(
  calls: ProfiledCalls,
  name: string,
  method: (this: This, ...args: Args) => Return,
): (this: This, ...args: Args) => Return {
  let category: Category | undefined;
  const isAside = isAsyncFunction(method) || isGenerator(method) || isAsyncGenerator(method);
  const timed = isAside
    ? function (this: This, ...args: Args): Return {
        category ??= calls.category(name);
        // What is called has to be of the method's own kind.
        return calls.measureInContext(category, bound(method, this, args));
      }
    : function (this: This, ...args: Args): Return {
        category ??= calls.category(name);
        if (category.isAsync || (calls.asyncOpen !== 0 && calls.topHandle === calls.depth))
          return calls.measureInContext(category, bound(method, this, args));
        const top = calls.topHandle;
        const level = calls.enter(category);
        let value: Return;
        try {
          value = method.apply(this, args);
        } catch (error) {
          calls.leave(category, level, top);
          throw error;
        }
        if (typeof value === 'object' && value instanceof Promise)
          return settle(calls, category, level, top, value, undefined);
        calls.leave(category, level, top);
        return value;
      };
  return Object.defineProperties(timed, {
    name: { value: method.name, configurable: true },
    length: { value: method.length, configurable: true },
  });
}

/** `bind` keeps the prototype of a function, and so its kind. */
function bound<This, Args extends unknown[], Return>(
  method: (this: This, ...args: Args) => Return,
  self: This,
  args: Args,
): () => Return {
  return Function.prototype.bind.call(method, self, ...args) as () => Return;
}
