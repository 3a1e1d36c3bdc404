import type { AsyncCall } from './async-call.js';
import type { Category } from './category.js';

/** `level` of a handle: below 1 it has no place among the open calls. */
export const ENDED = 0;
/** The call that it began in has ended. */
export const DROPPED = -1;
/** Begun in an asynchronous call that gave way since, or below too many others: to end it is right. */
export const CARRIED = -2;

/** What ends handles: the recorder. */
export interface HandleEnds {
  endHandle(handle: SpanHandle, isPooled: boolean): void;
}

/** A span that has begun. `using` ends it with its block; whoever calls `end` has to do so once. */
export class SpanHandle {
  level: number = ENDED;
  /** The level of the nearest handle below, when this one began. */
  top = 0;
  /** Start, and sum of children then. */
  readonly marks: Float64Array;
  isOwnKnown = true;
  /** The asynchronous call that it began in, and the one that it is the next inside of. */
  context: AsyncCall | undefined = undefined;
  parent: AsyncCall | undefined = undefined;
  category: Category;
  private readonly ends: HandleEnds;

  constructor(ends: HandleEnds, category: Category, marks: Float64Array) {
    this.ends = ends;
    this.category = category;
    this.marks = marks;
  }

  end(): void {
    // Its owner may end it again much later, when it would be somebody else's: another one takes its place.
    this.ends.endHandle(this, false);
  }

  [Symbol.dispose](): void {
    this.ends.endHandle(this, true);
  }
}

const SIZE = 64;
/** A handle rests for as many spans before it is used again, so that a block that ends one twice ends nobody else's. */
const REST = 32;

/** Handles to be used again, the one that has rested longest first. */
export class HandlePool {
  private readonly handles: (SpanHandle | undefined)[] = Array.from({ length: SIZE }, () => undefined);
  private head = 0;
  private count = 0;

  take(): SpanHandle | undefined {
    if (this.count <= REST) return undefined;
    const handle = this.handles[this.head];
    this.head = (this.head + 1) & (SIZE - 1);
    this.count--;
    return handle;
  }

  give(handle: SpanHandle): void {
    if (this.count === SIZE) return;
    this.handles[(this.head + this.count) & (SIZE - 1)] = handle;
    this.count++;
  }
}
