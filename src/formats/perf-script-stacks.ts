import type { Frame } from '../model/index.js';
import type { Block } from './byte-lines.js';
import { parseFrame, parseSourceLine } from './perf-script-frame.js';
import type { PerfFrame } from './perf-script-frame.js';
import { InternedTexts } from './text.js';

const TAB = 9;
const BLANK = 32;

/** Lines of stacks, each interpreted once, at first sight; and the stack being read. */
export class PerfStacks {
  readonly #texts = new InternedTexts();
  /** By text: undefined where it is no frame. */
  readonly #parsed: (PerfFrame | undefined)[] = [];
  /** Frames with a library or a place that only other lines tell, so that equal ones stay one object. */
  readonly #completed = new Map<string, Frame>();
  /** Leaf first, as perf prints. */
  #lines: PerfFrame[] = [];
  #hasLibraries = false;

  /** How many frames the stack has so far. */
  get depth(): number {
    return this.#lines.length;
  }

  /** Whether any line so far named its library. */
  get hasLibraries(): boolean {
    return this.#hasLibraries;
  }

  /** What the line from `start` to `end` is by itself; undefined for no frame. */
  read(block: Block, start: number, end: number): PerfFrame | undefined {
    let at = start;
    while (at < end && (block.bytes[at] === TAB || block.bytes[at] === BLANK)) at += 1;
    const index = this.#texts.intern(block, at, end);
    if (index < this.#parsed.length) return this.#parsed[index];
    const parsed = parseFrame(this.#texts.text(index));
    this.#parsed.push(parsed);
    if (parsed?.whole === true) this.#hasLibraries = true;
    return parsed;
  }

  push(frame: PerfFrame): void {
    this.#lines.push(frame);
  }

  /** The source line printed below the last frame. */
  place(text: string): void {
    const last = this.#lines.at(-1);
    const place = parseSourceLine(text);
    // Python and JavaScript frames know their own file; perf's is that of the interpreter.
    if (last === undefined || place === undefined || last.frame.file !== undefined) return;
    const key = `${place.line} ${place.file}`;
    this.#lines[this.#lines.length - 1] = { ...last, frame: this.#complete(last.frame, key, place) };
  }

  /** The stack, root first; it begins anew. */
  take(): readonly Frame[] {
    const lines = this.#lines;
    if (lines.length === 0) return [];
    this.#lines = [];
    const frames: Frame[] = [];
    let module: string | undefined;
    for (let at = lines.length - 1; at >= 0; at -= 1) {
      const { frame, inlined } = lines[at] as PerfFrame;
      if (!inlined) module = frame.module;
      frames.push(inlined && module !== undefined ? this.#complete(frame, module, { module }) : frame);
    }
    return frames;
  }

  #complete(frame: Frame, key: string, more: Partial<Frame>): Frame {
    const { name, kind, module = '', file = '', line = 0 } = frame;
    const whole = JSON.stringify([name, kind, module, file, line, key]);
    const known = this.#completed.get(whole);
    if (known !== undefined) return known;
    const completed = { ...frame, ...more };
    this.#completed.set(whole, completed);
    return completed;
  }
}
