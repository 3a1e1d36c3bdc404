type Callable = (this: unknown, ...args: readonly unknown[]) => unknown;

/** What stands in the place of a method, and how to get back. */
interface Mark {
  readonly original: Callable;
  /** Undefined where the method was inherited. */
  readonly before: PropertyDescriptor | undefined;
  /** From then on it only passes calls on: it may have to stay where something else was put over it. */
  isClosed: boolean;
}

/** The same in every copy of this package, so that two of them in one program can tell each other's wrappers. */
const MARK = Symbol.for('sim-profiler.patch');

interface Patch {
  readonly owner: object;
  readonly key: PropertyKey;
  readonly label: string;
  readonly wrapper: Callable;
  readonly mark: Mark;
}

/** Calls the original, and times it. */
export type Around = (call: () => unknown) => unknown;

/** Methods that are replaced for a while, and put back in the reverse order. */
export class Patches {
  readonly #made: Patch[] = [];

  /** False for what cannot be replaced, or is no method: nothing has changed then. A getter is not called. */
  add(owner: object, key: PropertyKey, label: string, around: Around, isGenerator = false): boolean {
    const found = descriptorOf(owner, key);
    if (typeof found?.value !== 'function' || isClass(found.value)) return false;
    if (!isGenerator && GENERATOR.test(kindOf(found.value))) return false;
    const before = Reflect.getOwnPropertyDescriptor(owner, key);
    const mark: Mark = { original: found.value as Callable, before, isClosed: false };
    const wrapper = wrapperOf(mark, around);
    const put = {
      ...(before ?? { enumerable: found.enumerable ?? false, writable: true, configurable: true }),
      value: wrapper,
    };
    if (!Reflect.defineProperty(owner, key, put)) return false;
    this.#made.push({ owner, key, label, wrapper, mark });
    return true;
  }

  /** Undoes them, and names those that stay, since somebody else has put something over them. */
  undo(): readonly string[] {
    const staying: string[] = [];
    for (const patch of this.#made.splice(0).toReversed()) {
      patch.mark.isClosed = true;
      if (!putBack(patch)) staying.push(patch.label);
    }
    return staying;
  }
}

function wrapperOf(mark: Mark, around: Around): Callable {
  const { original } = mark;
  const wrapper = function wrapper(this: unknown, ...args: readonly unknown[]): unknown {
    if (new.target !== undefined)
      return Reflect.construct(original, args, new.target === wrapper ? original : new.target);
    if (mark.isClosed) return Reflect.apply(original, this, args);
    return around(() => Reflect.apply(original, this, args));
  } as Callable;
  for (const key of Reflect.ownKeys(original)) {
    if (key === 'prototype' || key === 'arguments' || key === 'caller' || key === MARK) continue;
    Reflect.defineProperty(
      wrapper,
      key,
      Reflect.getOwnPropertyDescriptor(original, key) as PropertyDescriptor,
    );
  }
  Object.defineProperty(wrapper, MARK, { value: mark });
  return wrapper;
}

function putBack({ owner, key, wrapper, mark }: Patch): boolean {
  const now = Reflect.getOwnPropertyDescriptor(owner, key);
  if (now?.value !== wrapper) {
    // Another profiler's lies over ours, maybe of another copy of this package: it takes ours away when it goes.
    const over = markOf(now?.value);
    return over !== undefined && reaches(over, mark);
  }
  const { before, original } = lowestInUse(mark);
  if (before === undefined) return Reflect.deleteProperty(owner, key);
  return Reflect.defineProperty(owner, key, { ...before, value: original });
}

/** Under a wrapper may lie those of profilers that have gone already, and could not take theirs away. */
function lowestInUse(mark: Mark): Mark {
  let lowest = mark;
  while (lowest.before !== undefined) {
    const under = markOf(lowest.original);
    if (under?.isClosed !== true) break;
    lowest = under;
  }
  return lowest;
}

function reaches(from: Mark, to: Mark): boolean {
  for (let mark: Mark | undefined = from; mark !== undefined; mark = markOf(mark.original))
    if (mark === to) return true;
  return false;
}

function markOf(value: unknown): Mark | undefined {
  if (typeof value !== 'function') return undefined;
  return (value as { readonly [MARK]?: Mark })[MARK];
}

/** Its own, or that of whatever it inherits from. */
export function descriptorOf(owner: object, key: PropertyKey): PropertyDescriptor | undefined {
  for (let at: object | null = owner; at !== null; at = Reflect.getPrototypeOf(at)) {
    const found = Reflect.getOwnPropertyDescriptor(at, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Their calls end before they begin. */
const GENERATOR = /^(?:Async)?GeneratorFunction$/;

function kindOf(value: object): string {
  return (value as { readonly constructor?: { readonly name?: string } }).constructor?.name ?? '';
}

function isClass(value: object): boolean {
  return Reflect.getOwnPropertyDescriptor(value, 'prototype')?.writable === false;
}
