import { PairTable } from './pair-table.js';

/** Children of one stack that are kept in a list; further ones are found by hash. Most stacks have one or two. */
const LISTED = 4;

/**
 * The growing prefix tree of stacks. Children hang in lists, so that a stack never seen before costs no search: in a file of
 * different stacks most rows are new, and looking each up in one big hash table would be a cache miss a frame.
 */
export class StackTree {
  length = 0;
  parent: Int32Array<ArrayBuffer> = new Int32Array(256);
  frame: Int32Array<ArrayBuffer> = new Int32Array(256);
  /** Row + 1 of the first child by row + 1 of the parent, so that 0 is the root; 0: none. */
  #first: Int32Array<ArrayBuffer> = new Int32Array(257);
  /** Row + 1 of the next child of the same parent, 0: none. */
  #next: Int32Array<ArrayBuffer> = new Int32Array(256);
  readonly #beyond = new PairTable();
  readonly #beyondRows: number[] = [];

  /** Row of the stack that continues `parent` (-1: none) with `frame`, added if it is new. */
  child(parent: number, frame: number): number {
    const head = this.#first[parent + 1] as number;
    let at = head;
    for (let seen = 0; at !== 0; seen += 1) {
      if (this.frame[at - 1] === frame) return at - 1;
      if (seen === LISTED) return this.#childBeyond(parent, frame);
      at = this.#next[at - 1] as number;
    }
    const row = this.#append(parent, frame);
    this.#first[parent + 1] = row + 1;
    this.#next[row] = head;
    return row;
  }

  #childBeyond(parent: number, frame: number): number {
    const at = this.#beyond.intern(parent, frame);
    if (at === this.#beyondRows.length) this.#beyondRows.push(this.#append(parent, frame));
    return this.#beyondRows[at] as number;
  }

  #append(parent: number, frame: number): number {
    const row = this.length;
    if (row === this.parent.length) {
      this.parent = grown(this.parent);
      this.frame = grown(this.frame);
      this.#next = grown(this.#next);
      this.#first = grown(this.#first);
    }
    this.parent[row] = parent;
    this.frame[row] = frame;
    this.length = row + 1;
    return row;
  }
}

function grown(column: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(column.length * 2);
  larger.set(column);
  return larger;
}
