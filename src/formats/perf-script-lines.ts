import { ByteLines } from './byte-lines.js';
import type { Block } from './byte-lines.js';
import type { PerfEvent, PerfSample } from './perf-script-event.js';
import { isSourceLine, parseFrame } from './perf-script-frame.js';
import { isTracepoint, parseHeader } from './perf-script-header.js';
import type { PerfHeader } from './perf-script-header.js';
import { isLostData } from './perf-script-noise.js';
import { recordOf } from './perf-script-record.js';
import { PerfStacks } from './perf-script-stacks.js';

// What `perf script` prints: a header line, the stack with the leaf first, a blank line. Without call graphs the frame stands on the
// header's line. Records of other kinds are one line each; other programs' words come between where `2>&1` brought them there.

/** Longest line that is read. Symbols of C++ get to tens of KiB. */
const LONGEST_LINE = 1 << 16;
/** Deepest stack that is kept; the kernel's own limit is far below. */
const DEEPEST = 1 << 14;
const LONGEST_TEXT = 200;
const TAB = 9;
const BLANK = 32;
const HASH_SIGN = 35;

interface Open {
  readonly header: PerfHeader;
  readonly text: string;
  readonly lineNo: number;
  /** It counts: it is no doubtful header, or a stack followed. */
  sure: boolean;
  tabbed: boolean;
}

/** Reads `perf script` text in pieces and gives its events in their order, each as soon as it is complete. */
export class PerfLines {
  readonly #give: (event: PerfEvent) => void;
  readonly #lines = new ByteLines((block, start, end, cut) => this.#line(block, start, end, cut));
  readonly #stacks = new PerfStacks();
  #open: Open | undefined;
  #lineNo = 0;
  #isLast = false;
  /** A doubtful header had a stack: the others may have none. */
  #trustsDoubtful = false;
  /** Events that were seen with a stack below their header. */
  readonly #stacked = new Set<string | undefined>();

  constructor(give: (event: PerfEvent) => void) {
    this.#give = give;
  }

  feed(chunk: Uint8Array): void {
    this.#lines.feed(chunk);
  }

  /** To be called once, after the last piece. */
  end(): void {
    this.#isLast = true;
    this.#lines.end();
    const open = this.#open;
    // perf ends even a stack without frames with a blank line.
    if (open !== undefined && this.#stacks.depth === 0 && this.#isCutBefore(open)) {
      this.#open = undefined;
      this.#give({ kind: 'cut', lineNo: open.lineNo, text: open.text.slice(0, LONGEST_TEXT) });
    } else this.#close(true);
  }

  #isCutBefore({ header, sure }: Open): boolean {
    return sure && header.record === undefined && this.#stacked.has(header.event);
  }

  #line(block: Block, start: number, end: number, cut: boolean): void {
    this.#lineNo += 1;
    const first = block.bytes[start];
    if (cut || end - start > LONGEST_LINE) {
      const text = block.bytes.toString('utf8', start, start + LONGEST_TEXT);
      this.#noise(`longer than ${LONGEST_LINE} bytes`, text);
    } else if (isEmpty(block.bytes, start, end)) {
      if (this.#isLast && this.#stacks.depth > 0) this.#cut('');
      else this.#close(true);
    } else if (first === TAB) {
      if (!this.#frame(block, start, end)) this.#other(block.bytes.toString('utf8', start, end));
    } else this.#word(block, start, end, first);
  }

  /** Takes a line of the stack. False, with nothing done, if it is none. */
  #frame(block: Block, start: number, end: number): boolean {
    const open = this.#open;
    if (open === undefined) return false;
    const frame = this.#stacks.read(block, start, end);
    if (frame === undefined) return false;
    if (this.#isLast && !frame.whole && this.#stacks.hasLibraries) return false;
    if (!open.sure) {
      open.sure = true;
      this.#trustsDoubtful = true;
    }
    open.tabbed ||= block.bytes[start] === TAB;
    if (this.#stacks.depth >= DEEPEST) {
      this.#noise(`stack deeper than ${DEEPEST} frames`, block.bytes.toString('utf8', start, end));
    } else this.#stacks.push(frame);
    return true;
  }

  #word(block: Block, start: number, end: number, first: number | undefined): void {
    const text = block.bytes.toString('utf8', start, end);
    const open = this.#open;
    const header = parseHeader(text);
    if (header !== undefined && !header.doubtful) {
      // A comm may begin with a `#`, but no comment is a header.
      this.#close(true);
      return this.#begin(header, text);
    }
    if (first === HASH_SIGN) return;
    if (open !== undefined && first === BLANK) {
      if (open.tabbed && isSourceLine(text)) return this.#stacks.place(text);
      if (this.#frame(block, start, end)) return;
    }
    // Two events are never without a line between: what stands within a stack is someone else's.
    if (header !== undefined && (open === undefined || !open.sure) && !isLostData(text)) {
      this.#close(false);
      return this.#begin(header, text);
    }
    this.#other(text);
  }

  #begin(header: PerfHeader, text: string): void {
    if (header.record !== undefined) return this.#give(recordOf(header));
    const { event, rest } = header;
    if (rest !== '' && (event === undefined || !isTracepoint(event))) {
      const frame = parseFrame(rest);
      const isCut = this.#isLast && frame?.whole === false && this.#stacks.hasLibraries;
      if (frame !== undefined && !isCut) {
        return this.#give({ ...sampleOf(header), frames: [frame.frame], oneLine: true });
      }
      if (isCut) return this.#cut(text);
    }
    this.#open = { header, text, lineNo: this.#lineNo, sure: !header.doubtful, tabbed: false };
  }

  /** A line that is nothing of perf's. */
  #other(text: string): void {
    if (this.#isLast && (this.#open !== undefined || this.#stacked.size > 0)) return this.#cut(text);
    if (this.#open?.sure === false) this.#close(false);
    const lostData = isLostData(text);
    this.#noise(lostData ? 'lost data, as perf says' : 'not understood', text, lostData);
  }

  /** The last line breaks off. Its event has no callers: what is left of the stack would be taken for one that begins there. */
  #cut(text: string): void {
    this.#open = undefined;
    this.#stacks.take();
    this.#give({ kind: 'cut', lineNo: this.#lineNo, text: text.trim().slice(0, LONGEST_TEXT) });
  }

  #noise(reason: string, text: string, lostData = false, lineNo = this.#lineNo): void {
    this.#give({ kind: 'noise', lineNo, reason, text: text.trim().slice(0, LONGEST_TEXT), lostData });
  }

  /** Gives the event that is being read. `whole`: it ended as events do. */
  #close(whole: boolean): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    if (!open.sure && !(whole && this.#trustsDoubtful)) {
      return this.#noise('not understood', open.text, false, open.lineNo);
    }
    const frames = this.#stacks.take();
    if (frames.length > 0) this.#stacked.add(open.header.event);
    const { rest } = open.header;
    this.#give({ ...sampleOf(open.header), ...(rest !== '' && { args: rest }), frames, oneLine: false });
  }
}

function sampleOf({ place, event, period }: PerfHeader): Omit<PerfSample, 'frames' | 'oneLine'> {
  return {
    kind: 'sample',
    ...place,
    ...(event !== undefined && { event }),
    ...(period !== undefined && { period }),
  };
}

function isEmpty(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (bytes[at] !== BLANK && bytes[at] !== TAB) return false;
  return true;
}
