/**
 * What one thread writes. Everything that is called often is in here and allocates nothing: numbers live in arrays, handles are used again.
 *
 * Own time is a running sum (`times[CHILDREN]`): a call that ends adds all of its duration and takes away what was added while it ran, so
 * that nobody has to know who its children are. Calls that have begun have a level; those of `measure` end in order by themselves, those
 * of handles may not, which is what `owners` is for.
 */
import type { AsyncCall, AsyncStorage } from './async-call.js';
import { settle, callAsync } from './async-calls.js';
import {
  CHILDREN,
  CLOCK_BACK,
  COVER,
  Category,
  END,
  ILL_PAIRED,
  OWN_PART,
  REFUSED,
  TOOK,
  add,
  begin,
  bytesOf,
  cover,
} from './category.js';
import { isAsyncFunction, isAsyncGenerator, isGenerator } from './function-kind.js';
import { watchAsyncGenerator, watchGenerator } from './generator-calls.js';
import { durationOf } from './open-calls.js';
import type { OpenCalls } from './open-calls.js';
import { CARRIED, DROPPED, ENDED, HandlePool, SpanHandle } from './span-handle.js';

export interface RecorderOptions {
  readonly clock: () => number;
  readonly capacity: number;
  readonly maxCategories: number;
  readonly storage?: AsyncStorage | undefined;
  /** Called once for each category that this thread meets. */
  readonly onCategory: (category: Category) => void;
}

export const BEYOND = '(other categories)';
export const FRAME = 'Frame_Total';
const LONGEST_NAME = 200;
/** Handles that are never ended must not fill the memory: those that begin on top of so many have no place. */
const DEEPEST = 10_000;

export class Recorder implements OpenCalls {
  depth = 0;
  topHandle = 0;
  asyncOpen = 0;
  readonly times: Float64Array = new Float64Array(5);
  frames: Float64Array = new Float64Array(2 * 256);
  readonly clock: () => number;
  readonly storage: AsyncStorage | undefined;
  /** Handles that ended while others were on top of them, and still have their level. */
  private holes = 0;
  private readonly owners: (SpanHandle | undefined)[] = [];
  private readonly known = new Map<unknown, Category>();
  private readonly pool = new HandlePool();
  private beyond: Category | undefined;
  private frame: SpanHandle | undefined;
  private readonly options: RecorderOptions;

  constructor(options: RecorderOptions) {
    this.clock = options.clock;
    this.storage = options.storage;
    this.options = options;
  }

  measure<T>(name: string, fn: () => T): T {
    const category = this.known.get(name) ?? this.meet(name);
    if (
      category.isAsync ||
      fn.constructor !== Function ||
      (this.asyncOpen !== 0 && this.topHandle === this.depth)
    )
      return this.measureInContext(category, fn);
    const top = this.topHandle;
    const level = this.enter(category);
    let value: T;
    try {
      value = fn();
    } catch (error) {
      this.leave(category, level, top);
      throw error;
    }
    if (typeof value === 'object' && value instanceof Promise)
      return settle(this, category, level, top, value, undefined);
    this.leave(category, level, top);
    return value;
  }

  /** The way of `measure` for what may be asynchronous, and for what an asynchronous call may be waiting for. */
  measureInContext<T>(category: Category, fn: () => T): T {
    if (isGenerator(fn)) return watchGenerator(this, category, fn);
    if (isAsyncGenerator(fn)) return watchAsyncGenerator(this, category, fn);
    if (this.storage !== undefined && (category.isAsync || isAsyncFunction(fn)))
      return callAsync(this, this.storage, category, fn);
    const parent = this.parent();
    const top = this.topHandle;
    const level = this.enter(category);
    parent?.enter(this.frames[2 * level]!);
    let value: T;
    try {
      value = fn();
    } catch (error) {
      this.leave(category, level, top);
      parent?.leave(this.times[END]!);
      throw error;
    }
    if (typeof value === 'object' && value instanceof Promise)
      return settle(this, category, level, top, value, parent);
    this.leave(category, level, top);
    parent?.leave(this.times[END]!);
    return value;
  }

  span(name: string): SpanHandle {
    const category = this.category(name);
    const handle = this.pool.take() ?? new SpanHandle(this, category);
    handle.category = category;
    this.beginHandle(handle);
    return handle;
  }

  record(name: string, ms: number): void {
    const category = this.category(name);
    if (!(ms >= 0 && ms < Infinity)) {
      category.cells[REFUSED]!++;
      return;
    }
    this.times[TOOK] = ms;
    this.times[OWN_PART] = ms;
    this.times[COVER] = ms;
    add(category, this.times, true);
  }

  startFrame(): void {
    const frame = (this.frame ??= new SpanHandle(this, this.category(FRAME)));
    if (frame.level === ENDED) {
      this.beginHandle(frame);
      return;
    }
    // One that was never ended says nothing: it is left out, as if it had not begun.
    const { category } = frame;
    const [children, illPaired] = [this.times[CHILDREN]!, category.cells[ILL_PAIRED]!];
    this.stopHandle(frame);
    cover(category, this.times);
    this.times[CHILDREN] = children;
    category.cells[ILL_PAIRED] = illPaired + 1;
    this.frame = new SpanHandle(this, category);
    this.beginHandle(this.frame);
  }

  endFrame(): void {
    if (this.frame === undefined || this.frame.level === ENDED) return;
    this.endHandle(this.frame, false);
    // A handle that ended out of order keeps its place for a while.
    this.frame = undefined;
  }

  category(name: string): Category {
    return this.known.get(name) ?? this.meet(name);
  }

  /** A call begins. The clock is read last, and first when it ends: what lies between is the call alone. */
  enter(category: Category): number {
    const level = this.depth + 1;
    if (2 * level >= this.frames.length) this.deepen(level);
    this.depth = level;
    const { frames } = this;
    frames[2 * level + 1] = this.times[CHILDREN]!;
    const start = this.clock();
    frames[2 * level] = start;
    begin(category, start);
    return level;
  }

  leave(category: Category, level: number, top: number): void {
    this.stop(category, level, top);
    cover(category, this.times);
    add(category, this.times, true);
  }

  /** Takes a call from its level, and says in `times` how long it took. */
  stop(category: Category, level: number, top: number): void {
    const end = this.clock();
    this.took(category, this.frames[2 * level]!, this.frames[2 * level + 1]!, end);
    this.depth = level - 1;
    if (this.topHandle !== top) this.dropHandles(level, top, DROPPED);
    if (this.holes !== 0) this.closeHoles();
  }

  /** The call has returned and goes on; what called it was kept for so long. */
  giveWay(level: number, top: number): void {
    const { frames } = this;
    const ran = durationOf(frames[2 * level]!, this.clock());
    this.times[CHILDREN] = frames[2 * level + 1]! + (ran > 0 ? ran : 0);
    this.depth = level - 1;
    this.dropHandles(level, top, CARRIED);
    if (this.holes !== 0) this.closeHoles();
  }

  /** The asynchronous call that what begins now is the next inside of, if there is one. */
  parent(): AsyncCall | undefined {
    if (this.asyncOpen === 0 || this.topHandle !== this.depth) return undefined;
    const call = this.storage?.getStore();
    if (call === undefined) return undefined;
    return this.owners[this.topHandle]?.context === call ? undefined : call;
  }

  /** What begins now is asynchronous: of a handle right below it, own time cannot be known. */
  doubtHandle(): void {
    const handle = this.topHandle === this.depth ? this.owners[this.topHandle] : undefined;
    if (handle !== undefined) handle.isOwnKnown = false;
  }

  /** Handles that began above a level do not have theirs any more. */
  private dropHandles(level: number, top: number, becomes: number): void {
    for (let at = this.topHandle; at > level;) {
      const handle = this.owners[at];
      if (handle === undefined) break;
      this.owners[at] = undefined;
      if (handle.level === ENDED) this.holes--;
      else handle.level = becomes;
      at = handle.top;
    }
    this.topHandle = top;
  }

  endHandle(handle: SpanHandle, isPooled: boolean): void {
    if (handle.level === ENDED) {
      handle.category.cells[ILL_PAIRED]!++;
      return;
    }
    const keepsPlace = handle.level > ENDED && handle.level !== this.depth;
    const isOwnKnown = this.stopHandle(handle);
    cover(handle.category, this.times);
    add(handle.category, this.times, isOwnKnown);
    if (isPooled && !keepsPlace) this.pool.give(handle);
  }

  private beginHandle(handle: SpanHandle): void {
    const level = this.depth + 1;
    handle.isOwnKnown = true;
    if (this.asyncOpen !== 0) {
      handle.parent = this.parent();
      handle.context = this.storage?.getStore();
    }
    if (level > DEEPEST) handle.level = CARRIED;
    else {
      handle.level = level;
      handle.top = this.topHandle;
      this.owners[level] = handle;
      this.depth = level;
      this.topHandle = level;
    }
    handle.before = this.times[CHILDREN]!;
    const start = this.clock();
    handle.start = start;
    begin(handle.category, start);
    handle.parent?.enter(start);
  }

  /** Says in `times` how long it took, and answers whether its own time is right. */
  private stopHandle(handle: SpanHandle): boolean {
    const end = this.clock();
    const { category, level } = handle;
    const isInOrder = level === this.depth;
    const children = this.times[CHILDREN]!;
    this.took(category, handle.start, handle.before, end);
    handle.level = ENDED;
    handle.parent?.leave(end);
    handle.parent = undefined;
    handle.context = undefined;
    if (isInOrder) {
      this.owners[level] = undefined;
      this.depth = level - 1;
      this.topHandle = handle.top;
      if (this.holes !== 0) this.closeHoles();
      return handle.isOwnKnown;
    }
    // Part of what it took will be added by those on top of it, or has been by the one that it began in.
    this.times[CHILDREN] = children;
    if (level > ENDED) this.holes++;
    if (level !== CARRIED) category.cells[ILL_PAIRED]!++;
    return false;
  }

  private closeHoles(): void {
    while (this.holes !== 0) {
      const { depth } = this;
      const handle = this.owners[depth];
      if (handle === undefined || handle.level !== ENDED) return;
      this.owners[depth] = undefined;
      if (this.topHandle === depth) this.topHandle = handle.top;
      this.depth = depth - 1;
      this.holes--;
    }
  }

  /** Duration and own time of a call, whose duration is now among those of the children of whoever is around it. */
  private took(category: Category, start: number, before: number, end: number): void {
    const { times } = this;
    let took = durationOf(start, end);
    if (took < 0) {
      took = 0;
      category.cells[CLOCK_BACK]!++;
    }
    const own = took - (times[CHILDREN]! - before);
    times[END] = end;
    times[TOOK] = took;
    times[OWN_PART] = own > 0 ? own : 0;
    times[CHILDREN] = before + took;
  }

  private deepen(level: number): void {
    const frames = new Float64Array(4 * level);
    frames.set(this.frames);
    this.frames = frames;
  }

  /** A name that is not among those that were seen before. */
  private meet(given: unknown): Category {
    const name = typeof given === 'string' ? given.slice(0, LONGEST_NAME) : '(not a text)';
    const same = this.known.get(name);
    if (same !== undefined) return same;
    if (this.known.size >= this.options.maxCategories) return (this.beyond ??= this.make(BEYOND));
    const category = this.make(name);
    this.known.set(name, category);
    return category;
  }

  private make(name: string): Category {
    const { capacity, onCategory } = this.options;
    const category = new Category(name, capacity, allocate(bytesOf(capacity)));
    onCategory(category);
    return category;
  }
}

function allocate(bytes: number): ArrayBufferLike {
  return typeof SharedArrayBuffer === 'undefined' ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes);
}
