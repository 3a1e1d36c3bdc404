/**
 * What threads are called in Python: `threading` keeps its Thread objects in `_active`, by `get_ident()`, which is the `pthread_t`.
 * From `sys.modules` to a name it is some ten reads; they are done in small portions, between samples.
 */
import type { Layout } from './layout.js';
import type { Memory } from './memory.js';
import type { ObjectLayout } from './object-layout.js';
import { AT_ONCE, pythonObjects, valueAddress, type Entries } from './python-objects.js';

/** A thread state whose name is looked for. */
export interface NamelessThread {
  readonly address: number;
  readonly pthread: number;
  /** Address of its interpreter. */
  readonly interpreter: number;
}

export interface ThreadName {
  readonly name: string;
  /** The kernel's number that the Thread object has, by its own pid namespace. */
  readonly tid: number;
}

export interface ThreadNames {
  /** Threads that there are now; those that are new are looked for in the next portion. */
  expect(threads: readonly NamelessThread[]): void;
  /** Name of a thread as it was when it was read last. */
  of(address: number, pthread: number): ThreadName | undefined;
  /**
   * Reads on, at most `reads` times (20 or more), and begins a round where none is under way: of all threads, or of the new ones.
   * True: the round is over, or there is nothing to do. Throws nothing.
   */
  read(reads: number, all: boolean): boolean;
}

/** Attributes of a Thread object; the name is the first. */
const ATTRIBUTES = ['_name', '_ident', '_native_id'] as const;
/** Most reads that finding one thread's name takes. */
const READS_OF_THREAD = 18;
/** Keys that are looked at by their characters: modules of a large program; attributes of a thread. */
const MOST_KEYS = 1 << 16;
const MOST_ATTRIBUTES = 256;

/** What is known of the dicts of one interpreter. Attribute names are interned: one object for each. */
interface Place {
  readonly keys: Map<string, number>;
  /** Where a key was not found: how far a dict was searched, by the address of its entries. */
  readonly searched: Map<string, { readonly first: number; readonly count: number }>;
}

/** Each step says how many reads the next one takes at most. */
type Steps<Result> = Generator<number, Result, void>;

export function threadNames(memory: Memory, layout: Layout, at: ObjectLayout): ThreadNames {
  let reads = 0;
  const counted: Memory = {
    read(into, offset, length, address) {
      reads += 1;
      return memory.read(into, offset, length, address);
    },
    close: () => {},
  };
  const objects = pythonObjects(counted, layout, at);
  let threads: readonly NamelessThread[] = [];
  let fresh: readonly NamelessThread[] = [];
  /** By address: the `pthread_t` of a thread that was looked for, with what was found. */
  const tried = new Map<number, { readonly pthread: number; found: ThreadName | undefined }>();
  const places = new Map<number, Place>();
  let round: Steps<void> | undefined;
  let needed = 0;

  const isNew = ({ address, pthread }: NamelessThread): boolean => tried.get(address)?.pthread !== pthread;

  /** Number of the entry with a key that is known by its address. */
  function* known(entries: Entries, key: number): Steps<number | undefined> {
    for (let from = 0; from < entries.count; from += AT_ONCE) {
      yield 1;
      const count = objects.copy(entries, from);
      for (let index = 0; index < count; index += 1)
        if (objects.keyAt(entries, index) === key) return from + index;
    }
    return undefined;
  }

  /** Number of the entry with a key; the first time it is found by its characters. */
  function* search(entries: Entries, key: string, place: Place, most: number): Steps<number | undefined> {
    const address = place.keys.get(key);
    const found = address === undefined ? undefined : yield* known(entries, address);
    if (found !== undefined) return found;
    const before = place.searched.get(key);
    let next = before?.first === entries.first ? before.count : 0;
    let readable = Infinity;
    for (const end = Math.min(entries.count, most); next < end;) {
      yield 1;
      const count = objects.copy(entries, next);
      if (count === 0) return undefined;
      // Other reads use the copy's memory.
      const addresses = Array.from({ length: count }, (_, index) => objects.keyAt(entries, index));
      for (const [index, one] of addresses.entries()) {
        yield 4;
        const text = objects.text(one);
        if (text === undefined) readable = Math.min(readable, next + index);
        if (text !== key) continue;
        place.keys.set(key, one);
        place.searched.delete(key);
        return next + index;
      }
      next += count;
    }
    place.searched.set(key, { first: entries.first, count: Math.min(next, readable) });
    return undefined;
  }

  function* valueOf(entries: Entries | undefined, key: string, place: Place): Steps<number> {
    if (entries === undefined) return 0;
    const index = yield* search(entries, key, place, MOST_KEYS);
    yield 1;
    return index === undefined ? 0 : objects.pointer(valueAddress(entries, index));
  }

  /** Address of the dict `_active` of an interpreter; 0 where it has none. */
  function* activeDict(interpreter: number, place: Place): Steps<number> {
    yield 5;
    const modules = objects.dict(objects.pointer(interpreter + at.interpreter.modules));
    const module = yield* valueOf(modules, 'threading', place);
    if (module === 0) return 0;
    yield 3;
    return yield* valueOf(objects.dict(objects.pointer(module + at.module.dict)), '_active', place);
  }

  /** Numbers of the entries of threads in `_active`. */
  function* numbersOf(
    active: Entries,
    wanted: ReadonlyMap<number, NamelessThread>,
  ): Steps<readonly (readonly [thread: NamelessThread, index: number])[]> {
    const found: (readonly [NamelessThread, number])[] = [];
    for (let from = 0; from < active.count; from += AT_ONCE) {
      yield 1;
      const count = objects.copy(active, from);
      for (let index = 0; index < count; index += 1) {
        // The hash of a number of this size is the number.
        const thread = wanted.get(objects.hashAt(active, index));
        if (thread !== undefined) found.push([thread, from + index]);
      }
    }
    return found;
  }

  /** Learns where the names of attributes are, from the Thread object in one entry. */
  function* learn(slot: number, place: Place): Steps<void> {
    if (ATTRIBUTES.every((key) => place.keys.has(key))) return;
    yield 8;
    const attributes = objects.attributes(objects.pointer(slot));
    if (attributes === undefined) return;
    for (const key of ATTRIBUTES) yield* search(attributes, key, place, MOST_ATTRIBUTES);
  }

  /** The name that a Thread object has; undefined where it is that of another thread, or changed meanwhile. */
  const nameOf = (thread: number, pthread: number, place: Place): ThreadName | undefined => {
    const attributes = objects.attributes(thread);
    if (attributes === undefined || attributes.count > AT_ONCE) return undefined;
    const count = objects.copy(attributes, 0);
    const slots = ATTRIBUTES.map((key) => {
      const address = place.keys.get(key);
      for (let index = 0; index < count; index += 1)
        if (objects.keyAt(attributes, index) === address) return valueAddress(attributes, index);
      return 0;
    });
    const [slot = 0, identSlot = 0, tidSlot = 0] = slots;
    const text = objects.pointer(slot);
    const name = objects.text(text);
    if (name === undefined || objects.integer(objects.pointer(identSlot)) !== pthread) return undefined;
    const tid = objects.integer(objects.pointer(tidSlot));
    return tid === undefined || objects.pointer(slot) !== text ? undefined : { name, tid };
  };

  const look = (dict: number, active: Entries, index: number, thread: NamelessThread, place: Place): void => {
    const slot = valueAddress(active, index);
    const object = objects.pointer(slot);
    const found = nameOf(object, thread.pthread, place);
    // The entry is still what it was: the object was alive while it was read.
    if (found === undefined || objects.pointer(slot) !== object) return;
    if (objects.dict(dict)?.first !== active.first) return;
    const entry = tried.get(thread.address);
    if (entry?.pthread === thread.pthread) entry.found = found;
  };

  function* readInterpreter(interpreter: number, of: readonly NamelessThread[]): Steps<void> {
    let place = places.get(interpreter);
    if (place === undefined) places.set(interpreter, (place = { keys: new Map(), searched: new Map() }));
    const dict = yield* activeDict(interpreter, place);
    if (dict === 0) return;
    yield 2;
    const active = objects.dict(dict);
    // Without a hash there is no number among its keys.
    if (active?.bytes !== 24) return;
    const wanted = new Map(of.map((thread) => [thread.pthread, thread]));
    for (const [thread, index] of yield* numbersOf(active, wanted)) {
      try {
        yield* learn(valueAddress(active, index), place);
        yield READS_OF_THREAD;
        look(dict, active, index, thread, place);
      } catch {
        // It ended, or changed while it was read: what was known of it stays.
      }
    }
  }

  function* readAll(of: readonly NamelessThread[]): Steps<void> {
    for (const thread of of)
      if (isNew(thread)) tried.set(thread.address, { pthread: thread.pthread, found: undefined });
    for (const interpreter of new Set(of.map((thread) => thread.interpreter))) {
      try {
        yield* readInterpreter(
          interpreter,
          of.filter((thread) => thread.interpreter === interpreter),
        );
      } catch {
        // Its dicts changed while they were read: the next round finds them.
      }
    }
  }

  return {
    expect(now) {
      threads = now;
      const living = new Set(now.map(({ address }) => address));
      for (const address of tried.keys()) if (!living.has(address)) tried.delete(address);
      fresh = now.filter(isNew);
      const interpreters = new Set(now.map(({ interpreter }) => interpreter));
      for (const interpreter of places.keys()) if (!interpreters.has(interpreter)) places.delete(interpreter);
    },
    of(address, pthread) {
      const entry = tried.get(address);
      return entry?.pthread === pthread ? entry.found : undefined;
    },
    read(most, all) {
      if (round === undefined) {
        const of = all ? threads : fresh;
        if (of.length === 0) return true;
        fresh = [];
        round = readAll(of);
        needed = 0;
      }
      for (const end = reads + most; reads + needed <= end;) {
        const step = round.next();
        if (step.done === true) {
          round = undefined;
          return true;
        }
        needed = step.value;
      }
      return false;
    },
  };
}
