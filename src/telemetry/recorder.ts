/**
 * What one thread writes. Everything that is called often is in here and allocates nothing: numbers live in arrays, handles are used again.
 *
 * Own time is a running sum (`times[CHILDREN]`): a call that ends adds all of its duration and takes away what was added while it ran, so
 * that nobody has to know who its children are. Calls that have begun have a level; those of `measure` end in order by themselves, those
 * of handles may not, which is what `owners` is for.
 */
import type { AsyncCall, AsyncStorage } from './async-call.js';
import { settle } from './async-calls.js';
import { CLOCK_BACK, Category, ILL_PAIRED, REFUSED, bytesOf } from './category.js';
import { isAsyncFunction, isAsyncGenerator, isGenerator } from './function-kind.js';
import { watchAsyncGenerator, watchGenerator } from './generator-calls.js';
import { durationOf } from './open-calls.js';
import type { AsyncContext, OpenCalls } from './open-calls.js';
import { CARRIED, DROPPED, ENDED, HandlePool, SpanHandle } from './span-handle.js';
import {
  BEGIN,
  CHILDREN,
  COVER,
  END,
  FINISH,
  GIVEN,
  GIVEN_IN_PART,
  OWN_PART,
  TIMES,
  TOOK,
  cover,
  stamp,
} from './stamp.js';

export interface RecorderOptions {
  readonly clock: () => number;
  readonly capacity: number;
  readonly maxCategories: number;
  readonly context?: AsyncContext | undefined;
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
  readonly times: Float64Array = new Float64Array(TIMES);
  frames: Float64Array = new Float64Array(2 * 256);
  readonly clock: () => number;
  readonly storage: AsyncStorage | undefined;
  /** Handles that ended while others were on top of them, and still have their level. */
  private holes = 0;
  private readonly owners: (SpanHandle | undefined)[] = [];
  private readonly known = new Map<unknown, Category>();
  private readonly pool = new HandlePool();
  private beyond: Category | undefined;
  /** For what there is no memory for. */
  readonly spare: Category = new Category('(no memory)', 1, new ArrayBuffer(bytesOf(1)));
  private frame: SpanHandle | undefined;
  private readonly options: RecorderOptions;

  constructor(options: RecorderOptions) {
    this.clock = options.clock;
    this.storage = options.context?.storage;
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
    const { context } = this.options;
    if (context !== undefined && (category.isAsync || isAsyncFunction(fn)))
      return context.call(this, context.storage, category, fn);
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
    const category = this.known.get(name) ?? this.meet(name);
    const handle = this.pool.take() ?? new SpanHandle(this, category, new Float64Array(2));
    handle.category = category;
    this.beginHandle(handle);
    return handle;
  }

  record(name: string, ms: number): void {
    const category = this.category(name);
    const { times } = this;
    if (!(ms >= 0 && ms < Infinity)) {
      category.cells[REFUSED]!++;
      return;
    }
    times[END] = NaN;
    times[TOOK] = ms;
    times[OWN_PART] = ms;
    times[COVER] = ms;
    stamp(category, times, this.clock, GIVEN, times, 0);
  }

  startFrame(): void {
    const { frame, times } = this;
    if (frame !== undefined) {
      // One that was never ended says nothing: it is left out, as if it had not begun.
      frame.category.cells[ILL_PAIRED]!++;
      times[END] = this.clock();
      cover(frame.category, times);
      this.removeHandle(frame);
    }
    this.frame = this.span(FRAME);
  }

  endFrame(): void {
    const { frame } = this;
    if (frame === undefined) return;
    this.frame = undefined;
    this.endHandle(frame, true);
  }

  category(name: string): Category {
    return this.known.get(name) ?? this.meet(name);
  }

  enter(category: Category): number {
    const level = this.depth + 1;
    if (2 * level >= this.frames.length) this.deepen(level);
    this.depth = level;
    stamp(category, this.times, this.clock, BEGIN, this.frames, 2 * level);
    return level;
  }

  leave(category: Category, level: number, top: number): void {
    stamp(category, this.times, this.clock, FINISH, this.frames, 2 * level);
    this.depth = level - 1;
    if (this.topHandle !== top || this.holes !== 0) this.tidy(level, top, DROPPED);
  }

  stop(category: Category, level: number, top: number): void {
    const { frames, times } = this;
    const end = this.clock();
    const [start, before] = [frames[2 * level]!, frames[2 * level + 1]!];
    let took = durationOf(start, end);
    if (took < 0) {
      took = 0;
      category.cells[CLOCK_BACK]!++;
    }
    times[OWN_PART] = Math.max(0, took - (times[CHILDREN]! - before));
    times[CHILDREN] = before + took;
    times[END] = end;
    times[TOOK] = took;
    this.depth = level - 1;
    this.tidy(level, top, DROPPED);
  }

  giveWay(level: number, top: number): void {
    const { frames } = this;
    const ran = durationOf(frames[2 * level]!, this.clock());
    this.times[CHILDREN] = frames[2 * level + 1]! + Math.max(0, ran);
    this.depth = level - 1;
    this.tidy(level, top, CARRIED);
  }

  parent(): AsyncCall | undefined {
    if (this.asyncOpen === 0 || this.topHandle !== this.depth) return undefined;
    const call = this.storage?.getStore();
    if (call === undefined) return undefined;
    return this.owners[this.topHandle]?.context === call ? undefined : call;
  }

  doubtHandle(): void {
    const handle = this.topHandle === this.depth ? this.owners[this.topHandle] : undefined;
    if (handle !== undefined) handle.isOwnKnown = false;
  }

  endHandle(handle: SpanHandle, isPooled: boolean): void {
    const { category, level } = handle;
    if (level === this.depth && handle.isOwnKnown && handle.parent === undefined && level > ENDED) {
      stamp(category, this.times, this.clock, FINISH, handle.marks, 0);
      handle.level = ENDED;
      handle.context = undefined;
      this.owners[level] = undefined;
      this.depth = level - 1;
      this.topHandle = handle.top;
      if (this.holes !== 0) this.closeHoles();
      this.pool.give(isPooled ? handle : new SpanHandle(this, category, handle.marks));
      return;
    }
    this.endHandleApart(handle, isPooled);
  }

  private beginHandle(handle: SpanHandle): void {
    const level = this.depth + 1;
    if (this.asyncOpen !== 0 || level > DEEPEST) {
      this.beginHandleApart(handle, level);
      return;
    }
    handle.isOwnKnown = true;
    this.place(handle, level);
    stamp(handle.category, this.times, this.clock, BEGIN, handle.marks, 0);
  }

  private place(handle: SpanHandle, level: number): void {
    handle.level = level;
    handle.top = this.topHandle;
    this.owners[level] = handle;
    this.depth = level;
    this.topHandle = level;
  }

  /** Where asynchronous calls are open, or too many handles. */
  private beginHandleApart(handle: SpanHandle, level: number): void {
    const parent = this.parent();
    handle.parent = parent;
    handle.context = this.asyncOpen === 0 ? undefined : this.storage?.getStore();
    handle.isOwnKnown = level <= DEEPEST;
    if (level <= DEEPEST) this.place(handle, level);
    else handle.level = CARRIED;
    stamp(handle.category, this.times, this.clock, BEGIN, handle.marks, 0);
    parent?.enter(handle.marks[0]!);
  }

  /** One that has ended before, that ends out of order, or of which own time may not be known. */
  private endHandleApart(handle: SpanHandle, isPooled: boolean): void {
    const { category, level, marks, parent } = handle;
    const { cells } = category;
    if (level === ENDED) {
      cells[ILL_PAIRED]!++;
      return;
    }
    const { times } = this;
    const isInOrder = level === this.depth;
    if (!isInOrder && level !== CARRIED) cells[ILL_PAIRED]!++;
    const children = times[CHILDREN]!;
    const isOwnKnown = isInOrder && handle.isOwnKnown;
    const end = this.clock();
    let took = durationOf(marks[0]!, end);
    if (took < 0) {
      took = 0;
      cells[CLOCK_BACK]!++;
    }
    times[END] = end;
    times[TOOK] = took;
    times[OWN_PART] = Math.max(0, took - (children - marks[1]!));
    // Part of what others took that are on top of it is in there, or will be.
    if (isInOrder) times[CHILDREN] = marks[1]! + took;
    cover(category, times);
    stamp(category, times, this.clock, isOwnKnown ? GIVEN : GIVEN_IN_PART, marks, 0);
    parent?.leave(end);
    if (this.removeHandle(handle) && isPooled) this.pool.give(handle);
  }

  /** Whether nothing points to it any more. */
  private removeHandle(handle: SpanHandle): boolean {
    const { level } = handle;
    handle.level = ENDED;
    handle.parent = undefined;
    handle.context = undefined;
    if (level < ENDED) return true;
    if (level !== this.depth) {
      this.holes++;
      return false;
    }
    this.owners[level] = undefined;
    this.depth = level - 1;
    this.topHandle = handle.top;
    if (this.holes !== 0) this.closeHoles();
    return true;
  }

  /** Handles that began above a level do not have theirs any more; those that have ended below it need not be kept. */
  private tidy(level: number, top: number, becomes: number): void {
    for (let at = this.topHandle; at > level;) {
      const handle = this.owners[at];
      if (handle === undefined) break;
      this.owners[at] = undefined;
      if (handle.level === ENDED) this.holes--;
      else handle.level = becomes;
      at = handle.top;
    }
    this.topHandle = top;
    if (this.holes !== 0) this.closeHoles();
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
    try {
      const category = new Category(name, capacity, allocate(bytesOf(capacity)));
      onCategory(category);
      return category;
    } catch {
      // The program may go on with what it has.
      return this.spare;
    }
  }
}

function allocate(bytes: number): ArrayBufferLike {
  return typeof SharedArrayBuffer === 'undefined' ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes);
}
