import { refusal, splitCount } from './count-line.js';
import type { FoldedBuilder } from './folded-builder.js';
import type { Grammar, ParsedStack } from './grammar-line.js';

/** How many lines one name may span before the first of them is given up. */
const MOST_JOINED = 64;
/** And how long it may get, in characters. */
const LONGEST_JOINED = 65_536;

interface BrokenLine {
  readonly lines: string[];
  readonly lineNo: number;
}

/**
 * The slow way through folded text: lines whose pieces need each other, lines that break off in a name and go on in the next, and
 * lines that are refused, with the reason.
 */
export class TextReader {
  readonly #grammar: Grammar;
  readonly #out: FoldedBuilder;
  readonly #newFirstPieces: () => Iterable<string>;
  readonly #rootNames = new Set<string>();
  #broken: BrokenLine | undefined;

  /** @param newFirstPieces of the lines read otherwise, each given once: a line that begins like one of them is no continuation. */
  constructor(grammar: Grammar, out: FoldedBuilder, newFirstPieces: () => Iterable<string>) {
    this.#grammar = grammar;
    this.#out = out;
    this.#newFirstPieces = newFirstPieces;
  }

  /** Whether a line has broken off, so that the next one belongs here. */
  get isWaiting(): boolean {
    return this.#broken !== undefined;
  }

  /** Takes the next line: what a broken one continues with, or a line of its own. */
  read(text: string, lineNo: number): void {
    if (this.#broken === undefined) this.#whole(text, lineNo, false);
    else this.#continue(this.#broken, text, lineNo);
  }

  /** To be called once, after the last line. */
  end(): void {
    while (this.#broken !== undefined) this.#giveUp(this.#broken);
  }

  #whole(text: string, lineNo: number, alone: boolean): void {
    if (text.trim() === '' && !/\d/.test(text)) return;
    const split = splitCount(text);
    const stack = this.#grammar.stack(split?.stack ?? text.trimEnd());
    if (!alone && this.#grammar.continues && isBrokenOff(stack, split !== undefined)) {
      this.#broken = { lines: [text], lineNo };
      return;
    }
    // A thread's name may end in a number: without frames there is no other way to read it.
    const nameOnly = stack.thread !== undefined && stack.frames.length === 0;
    const refused = split !== undefined && nameOnly ? undefined : refusal(text);
    if (refused?.differential === true) this.#out.refuseDifferential(lineNo, refused.reason, text);
    else if (refused !== undefined) this.#out.refuse(lineNo, refused.reason, text);
    else if (split !== undefined) this.#record(stack, split.count, lineNo, text);
  }

  #record(stack: ParsedStack, count: number, lineNo: number, text: string): void {
    if (!this.#out.fits(count)) return this.#out.refuse(lineNo, 'sum of the counts is no longer exact', text);
    this.#out.accept(count);
    this.#rootNames.add(rootName(text));
    if (count === 0) return;
    const frames = stack.frames.map((frame) => this.#out.frame(frame));
    const leaf = frames.reduce((parent, frame) => this.#out.stack(parent, frame), -1);
    this.#out.sample(leaf, this.#out.thread(stack.thread ?? {}), count);
  }

  #continue(broken: BrokenLine, text: string, lineNo: number): void {
    if (this.#beginsAfresh(broken, text)) {
      this.#giveUp(broken);
      return this.read(text, lineNo);
    }
    broken.lines.push(text);
    const joined = broken.lines.join('\n');
    const split = splitCount(joined);
    if (split !== undefined) {
      const stack = this.#grammar.stack(split.stack);
      if (stack.leaf === 'closed') {
        this.#broken = undefined;
        return this.#record(stack, split.count, broken.lineNo, joined);
      }
    }
    if (broken.lines.length >= MOST_JOINED || joined.length > LONGEST_JOINED) this.#giveUp(broken);
  }

  /** Stacks of one program begin with the same few names; the inside of a broken name hardly does. */
  #beginsAfresh(broken: BrokenLine, text: string): boolean {
    const name = rootName(text);
    if (name === '') return false;
    for (const piece of this.#newFirstPieces()) this.#rootNames.add(rootName(piece));
    return name === rootName(broken.lines[0] ?? '') || this.#rootNames.has(name);
  }

  /** The first of the lines stands alone after all, the others are read anew. */
  #giveUp(broken: BrokenLine): void {
    this.#broken = undefined;
    const [first = '', ...others] = broken.lines;
    // Even a line that is lost shows how stacks begin here.
    if (first.includes(' (')) this.#rootNames.add(rootName(first));
    this.#whole(first, broken.lineNo, true);
    others.forEach((text, index) => this.read(text, broken.lineNo + 1 + index));
  }
}

function isBrokenOff(stack: ParsedStack, hasCount: boolean): boolean {
  if (stack.leaf === 'cut') return true;
  if (!hasCount && stack.thread !== undefined && stack.frames.length === 0) return true;
  const located = stack.frames.some((frame) => frame.file !== undefined || frame.module !== undefined);
  if (stack.leaf === 'open') return located || stack.thread !== undefined;
  return !hasCount && stack.leaf === 'bare' && located;
}

/** What a line begins with, as far as other stacks of the program share it. */
function rootName(line: string): string {
  const root = /^(?:thread \(|process \d)/.exec(line);
  if (root !== null) return line.slice(0, 6);
  const semicolon = line.indexOf(';');
  const first = semicolon === -1 ? line : line.slice(0, semicolon);
  const location = first.indexOf(' (');
  return location === -1 ? first : first.slice(0, location);
}
