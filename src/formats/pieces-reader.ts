import { PairTable } from '../model/index.js';
import type { Thread } from '../model/index.js';
import { blockOf } from './byte-lines.js';
import type { Block } from './byte-lines.js';
import type { FoldedBuilder } from './folded-builder.js';
import type { Grammar, Piece } from './grammar-line.js';
import { SeenLines } from './seen-lines.js';
import { InternedTexts } from './text.js';

const FRAME = 0;
const BARE = 1;
const ROOT = 2;
const HIDDEN = 3;
const HARD = 4;
const ROLES = { frame: FRAME, bare: BARE, root: ROOT, hidden: HIDDEN, hard: HARD } as const;
const SEMICOLON = 59;

/**
 * The fast way through a folded line: a stack that was seen before is known by its bytes. Of others, what stands between two `;` is
 * interned by its bytes and interpreted once, at first sight, and a line that begins like the one before goes on from where they part.
 */
export class PiecesReader {
  readonly #grammar: Grammar;
  readonly #out: FoldedBuilder;
  readonly #texts = new InternedTexts();
  readonly #seen: SeenLines;
  /** By seen line: its stack, its root state, of a single bare piece the piece (-1: none), and its sample (-1: none yet). */
  #seenAs: Int32Array<ArrayBuffer> = new Int32Array(4 * 1024);
  /** By piece: what it is, and the index of its frame once it was one. */
  readonly #interpreted: Piece[] = [];
  readonly #roles: number[] = [];
  readonly #frames: number[] = [];
  /** Root states: (state before, piece), the state before the first is -1. */
  readonly #roots = new PairTable();
  /** By root state. `index` is -1 until a sample needs it. */
  readonly #rootThreads: { readonly thread: Thread; readonly index: number }[] = [];
  /** By piece: true where a line began with it. */
  readonly #firsts: boolean[] = [];
  readonly #newFirsts: number[] = [];
  /** Counts of lines that are one bare piece: whether it is a thread is known at the end. */
  readonly #singles = new Map<number, number>();
  /** The line before: its bytes, and after each of its pieces where it ended and what was reached. */
  #before = blockOf(new Uint8Array(4096));
  #beforeLength = 0;
  #pieces = 0;
  /** No `;` lies in this block between where it was looked for and where it was found. */
  #block: Block | undefined;
  #searchedFrom = 0;
  #semicolon = 0;
  #ends: Int32Array<ArrayBuffer> = new Int32Array(256);
  #stacks: Int32Array<ArrayBuffer> = new Int32Array(256);
  #rootStates: Int32Array<ArrayBuffer> = new Int32Array(256);
  /** Thread of stacks without any root; -1 until a sample needs it. */
  #rootless = -1;

  constructor(grammar: Grammar, out: FoldedBuilder, mostSeenBytes: number) {
    this.#grammar = grammar;
    this.#out = out;
    this.#seen = new SeenLines(mostSeenBytes);
  }

  /**
   * Reads one stack. False, with nothing recorded, if its pieces do not tell what they are.
   * @param end of the stack, without its count.
   */
  read(block: Block, start: number, end: number, count: number): boolean {
    const known = this.#seen.find(block, start, end);
    if (known === -1) return this.#readPieces(block, start, end, count);
    const at = known * 4;
    const as = this.#seenAs;
    const row = as[at + 3] as number;
    this.#out.accept(count);
    if (count === 0) return true;
    if (row !== -1) this.#out.sampleAgain(row, count);
    else as[at + 3] = this.#sample(as[at] as number, as[at + 1] as number, as[at + 2] as number, count);
    return true;
  }

  #readPieces(block: Block, start: number, end: number, count: number): boolean {
    const { first } = this.#grammar;
    const texts = this.#texts;
    const out = this.#out;
    let at = this.#resume(block, start, end);
    let piece = this.#pieces;
    let stack = piece === 0 ? -1 : (this.#stacks[piece - 1] as number);
    let root = piece === 0 ? -1 : (this.#rootStates[piece - 1] as number);
    // A bare first piece: thread or frame, as the second tells.
    let held = -1;
    for (let more = end > start; more;) {
      const to = Math.min(this.#semicolonFrom(block, at), end);
      const text = texts.intern(block, at, to);
      const role = text < this.#roles.length ? (this.#roles[text] as number) : this.#learn(text);
      if (first === 'always' && piece === 0) root = this.#rootAfter(-1, text);
      else if (role === FRAME || role === HIDDEN) {
        if (held !== -1) root = this.#rootAfter(-1, held);
        held = -1;
        if (role === FRAME) stack = out.stack(stack, this.#frameOf(text));
      } else if (role === BARE && first === 'plain' && piece === 0) held = text;
      else if (role === BARE) {
        // Right below a thread's name: most likely a part of the name.
        if (first === 'plain' && stack === -1 && root !== -1) return this.#forget();
        if (held !== -1) stack = out.stack(-1, this.#frameOf(held));
        held = -1;
        stack = out.stack(stack, this.#frameOf(text));
      } else if (role === ROOT && stack === -1 && held === -1) root = this.#rootAfter(root, text);
      else return this.#forget();
      if (piece === 0 && this.#firsts[text] !== true) this.#noteFirst(text);
      if (piece === this.#ends.length) this.#widen();
      this.#ends[piece] = to - start;
      this.#stacks[piece] = stack;
      this.#rootStates[piece] = root;
      piece += 1;
      at = to + 1;
      more = to < end;
    }
    this.#pieces = piece;
    this.#remember(block.bytes, start, end);
    out.accept(count);
    const row = count === 0 ? -1 : this.#sample(stack, root, held, count);
    const seen = this.#seen.add(block, start, end) * 4;
    if (seen < 0) return true;
    if (seen === this.#seenAs.length) this.#seenAs = widened(this.#seenAs);
    this.#seenAs[seen] = stack;
    this.#seenAs[seen + 1] = root;
    this.#seenAs[seen + 2] = held;
    this.#seenAs[seen + 3] = row;
    return true;
  }

  /** Row of the sample; -1 where it is not known yet what the line is. */
  #sample(stack: number, root: number, held: number, count: number): number {
    if (held === -1) return this.#out.sample(stack, this.#threadOf(root), count);
    this.#singles.set(held, (this.#singles.get(held) ?? 0) + count);
    return -1;
  }

  /** What lines began with that was not given out before. */
  newFirstPieces(): readonly string[] {
    const pieces = this.#newFirsts.map((piece) => this.#texts.text(piece));
    this.#newFirsts.length = 0;
    return pieces;
  }

  /** A stack of a single bare name is a torn stack of the thread of that name, if there is one. To be called once, at the end. */
  settle(): void {
    const names = new Set(this.#rootThreads.map(({ thread }) => thread.name));
    for (const [piece, count] of this.#singles) {
      const name = this.#texts.text(piece);
      if (names.has(name)) this.#out.sample(-1, this.#out.thread({ name }), count);
      else {
        const stack = this.#out.stack(-1, this.#frameOf(piece));
        this.#out.sample(stack, this.#out.thread({}), count);
      }
    }
  }

  /** Where the next `;` of the block is; its end if there is none. Looked for once, however many lines there are before it. */
  #semicolonFrom(block: Block, at: number): number {
    if (this.#block === block && at <= this.#semicolon && at >= this.#searchedFrom) return this.#semicolon;
    const found = block.bytes.indexOf(SEMICOLON, at);
    this.#block = block;
    this.#searchedFrom = at;
    this.#semicolon = found === -1 ? block.bytes.length : found;
    return this.#semicolon;
  }

  /** Sets `#pieces` to the number of pieces shared with the line before, and returns where the next begins. */
  #resume({ bytes, view }: Block, start: number, end: number): number {
    const before = this.#before;
    const most = Math.min(this.#beforeLength, end - start);
    let same = 0;
    while (same <= most - 4 && view.getInt32(start + same) === before.view.getInt32(same)) same += 4;
    while (same < most && bytes[start + same] === before.bytes[same]) same += 1;
    let pieces = this.#pieces;
    while (pieces > 0 && (this.#ends[pieces - 1] as number) >= same) pieces -= 1;
    // What a bare first piece is depends on the second: one shared piece is none.
    if (pieces < 2) pieces = 0;
    this.#pieces = pieces;
    return pieces === 0 ? start : start + (this.#ends[pieces - 1] as number) + 1;
  }

  #remember(bytes: Uint8Array, start: number, end: number): void {
    const length = end - start;
    if (length > this.#before.bytes.length) this.#before = blockOf(new Uint8Array(length * 2));
    this.#before.bytes.set(bytes.subarray(start, end));
    this.#beforeLength = length;
  }

  #forget(): false {
    this.#pieces = 0;
    this.#beforeLength = 0;
    return false;
  }

  #widen(): void {
    this.#ends = widened(this.#ends);
    this.#stacks = widened(this.#stacks);
    this.#rootStates = widened(this.#rootStates);
  }

  #noteFirst(text: number): void {
    this.#firsts[text] = true;
    this.#newFirsts.push(text);
  }

  #learn(text: number): number {
    const piece = this.#grammar.piece(this.#texts.text(text));
    this.#interpreted.push(piece);
    this.#frames.push(-1);
    this.#firsts.push(false);
    this.#roles.push(ROLES[piece.role]);
    return ROLES[piece.role];
  }

  /** Frames enter the profile when a stack needs them: a piece may turn out to be a thread. */
  #frameOf(text: number): number {
    const known = this.#frames[text] as number;
    if (known !== -1) return known;
    const piece = this.#interpreted[text];
    const index = piece !== undefined && 'frame' in piece ? this.#out.frame(piece.frame) : -1;
    this.#frames[text] = index;
    return index;
  }

  #rootAfter(before: number, text: number): number {
    const state = this.#roots.intern(before, text);
    if (state === this.#rootThreads.length) {
      const thread = this.#grammar.root(this.#rootThreads[before]?.thread, this.#texts.text(text));
      this.#rootThreads.push({ thread, index: -1 });
    }
    return state;
  }

  #threadOf(root: number): number {
    const known = this.#rootThreads[root];
    if (known === undefined) {
      if (this.#rootless === -1) this.#rootless = this.#out.thread({});
      return this.#rootless;
    }
    if (known.index !== -1) return known.index;
    const index = this.#out.thread(known.thread);
    this.#rootThreads[root] = { thread: known.thread, index };
    return index;
  }
}

function widened(column: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(column.length * 2);
  larger.set(column);
  return larger;
}
