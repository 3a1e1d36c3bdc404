import { descriptorOf } from './patches.js';
import type { Patches, Around } from './patches.js';

/** What `instrument` did. */
export interface Instrumented extends Disposable {
  /** Methods whose calls are timed now. */
  readonly methods: readonly string[];
  /** Those that were asked for and are not: getters, classes, generators, what is frozen or not there. */
  readonly leftAlone: readonly string[];
  /** Puts them back now, rather than when the profiler ends. */
  readonly undo: () => void;
}

/** Everything that an object can do, its own and what it inherits, without what begins with `_` and the constructor. */
export function publicMethods(owner: object): readonly string[] {
  const names = new Set<string>();
  for (let at: object | null = owner; at !== null && !isBuiltIn(at); at = Reflect.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  return [...names].filter(
    (name) =>
      name !== 'constructor' &&
      !name.startsWith('_') &&
      typeof descriptorOf(owner, name)?.value === 'function',
  );
}

function isBuiltIn(at: object): boolean {
  return at === Object.prototype || at === Function.prototype;
}

/** As raccoon names a call: by the class, not by the object. */
export function callName(owner: object, method: PropertyKey): string {
  return `${className(owner)}.${String(method)}`;
}

function className(owner: object): string {
  if (typeof owner === 'function') return owner.name === '' ? '(unnamed)' : owner.name;
  const made = descriptorOf(owner, 'constructor')?.value as unknown;
  return typeof made === 'function' && made.name !== '' ? made.name : 'Object';
}

export function instrumented(
  patches: Patches,
  owner: object,
  methods: readonly string[],
  around: (label: string) => Around,
): { readonly methods: readonly string[]; readonly leftAlone: readonly string[] } {
  const done: string[] = [];
  const leftAlone: string[] = [];
  for (const method of methods) {
    const label = callName(owner, method);
    const isDone = patches.add(owner, method, label, around(label));
    (isDone ? done : leftAlone).push(method);
  }
  return { methods: done, leftAlone };
}
