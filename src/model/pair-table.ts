/**
 * Interns pairs of integers: equal pairs get the same row, rows count up from 0. Stacks (parent, frame) and samples (stack, thread)
 * are both kept this way; the columns are the table itself, so a million rows cost 16 bytes each and no objects.
 */
export class PairTable {
  length = 0;
  left = new Int32Array(256);
  right = new Int32Array(256);
  /** Row + 1 by hash, 0: free. Never more than half full. */
  #slots = new Int32Array(1024);

  /** Row of the pair, added if it is new. */
  intern(left: number, right: number): number {
    const mask = this.#slots.length - 1;
    let slot = hashPair(left, right) & mask;
    for (;;) {
      const row = (this.#slots[slot] as number) - 1;
      if (row === -1) break;
      if (this.left[row] === left && this.right[row] === right) return row;
      slot = (slot + 1) & mask;
    }
    this.#slots[slot] = this.length + 1;
    const added = this.append(left, right);
    if (this.length * 2 > this.#slots.length) this.#rehash();
    return added;
  }

  /**
   * A row of its own even if an equal one exists. Do not mix with `intern` on one table: such rows are not in the hash, where a
   * million equal ones would be one endless chain.
   */
  append(left: number, right: number): number {
    const row = this.length;
    if (row === this.left.length) {
      this.left = grown(this.left);
      this.right = grown(this.right);
    }
    this.left[row] = left;
    this.right[row] = right;
    this.length = row + 1;
    return row;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 4);
    const mask = slots.length - 1;
    for (let row = 0; row < this.length; row += 1) {
      let slot = hashPair(this.left[row] as number, this.right[row] as number) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = row + 1;
    }
    this.#slots = slots;
  }
}

function hashPair(left: number, right: number): number {
  let hash = Math.imul(left + 1, 0x9e3779b1) ^ Math.imul(right + 1, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

function grown(column: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(column.length * 2);
  larger.set(column);
  return larger;
}
