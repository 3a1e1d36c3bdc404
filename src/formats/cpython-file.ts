import { ProfileBuilder, ProfilerError } from '../model/index.js';
import type { Finding, Origin, Profile } from '../model/index.js';
import { ByteLines, LONGEST_LINE } from './byte-lines.js';
import { CpythonThreads, MOST_SAMPLES } from './cpython-threads.js';
import {
  CPYTHON_KIND,
  CPYTHON_VERSION,
  codeOf,
  isObject,
  labelOf,
  startOf,
  threadOf,
  ticksOf,
} from './cpython-record.js';
import type { Chunks } from './format.js';
import type { Frame } from '../model/index.js';
import { BLANK, NumberCursor } from './number-cursor.js';
import { peek, utf8Chunks } from './source-bytes.js';

const HASH_SIGN = 35;
const MINUS = 45;
const NEWLINE = 10;
const [CODE, DESCRIBED, END, FRAME, HEAD, KIND, TICK] = [...'cdefhst'].map((letter) => letter.charCodeAt(0));
/** Text shown of a line that is too long. */
const SHOWN = 200;

/**
 * Reads a file of samples to its end, in memory bounded by its samples and different stacks. A file that was cut off anywhere is
 * readable: what is no whole line is counted in `lost`. Files put behind each other are read as one.
 * @throws ProfilerError `samples-too-new` for a later version of the format.
 */
export async function readSamples(
  chunks: Chunks,
  origin: Origin,
  mostSamples = MOST_SAMPLES,
): Promise<Profile> {
  const file = new SamplesFile(origin, mostSamples);
  const decoder = new TextDecoder();
  let lineNo = 0;
  let last = NEWLINE;
  let atEnd = false;
  const lines = new ByteLines(({ bytes }, start, end, cut) => {
    lineNo += 1;
    const text = (from = start, to = end): string => decoder.decode(bytes.subarray(from, to));
    const refused = cut
      ? `longer than ${LONGEST_LINE} bytes`
      : file.read(bytes, start, end, atEnd && last !== NEWLINE, text);
    if (refused !== undefined)
      file.builder.lostLine(lineNo, refused, text(start, Math.min(end, start + SHOWN)));
  });
  for await (const chunk of utf8Chunks(await peek(chunks))) {
    lines.feed(chunk);
    last = chunk.at(-1) ?? last;
  }
  atEnd = true;
  lines.end();
  return file.build();
}

type TextAt = (from?: number, to?: number) => string;

/** What was read so far. */
class SamplesFile {
  readonly builder: ProfileBuilder;
  readonly #origin: Origin;
  readonly #mostSamples: number;
  readonly #cursor = new NumberCursor();
  readonly #threads: CpythonThreads;
  readonly #codes = new Map<number, Omit<Frame, 'line'>>();
  /** Row of the stack table by node. */
  readonly #rows = new Map<number, number>();
  #firstStart: bigint | undefined;
  #ticks: { taken: number; due: number } | undefined;
  #files = 0;
  #ended = 0;

  constructor(origin: Origin, mostSamples: number) {
    this.#origin = origin;
    this.#mostSamples = mostSamples;
    this.builder = new ProfileBuilder('samples', origin);
    this.#threads = new CpythonThreads(this.builder, this.#rows, mostSamples);
  }

  /**
   * Reads one line. Returns why it cannot be, if so.
   * @param cutOff it has no line end: a number at its end may be a part of one.
   */
  read(bytes: Uint8Array, start: number, end: number, cutOff: boolean, text: TextAt): string | undefined {
    if (end === start || bytes[start] === HASH_SIGN) return undefined;
    const letter = bytes[start];
    if (letter === KIND) return this.#begin(text());
    if (bytes[start + 1] !== BLANK) return this.#damaged('no record of this format');
    const cursor = this.#cursor;
    cursor.start(bytes, start + 2, end);
    if (cutOff && (letter === TICK || letter === FRAME)) return this.#damaged('cut off');
    if (letter === TICK) return this.#threads.tick(cursor);
    if (letter === FRAME) return this.#frame(text);
    if (letter === CODE) return this.#code(text);
    if (letter === DESCRIBED) return this.#describe(text);
    if (letter === HEAD) return this.#head(text(cursor.at));
    if (letter === END) return this.#end(text(cursor.at));
    return this.#damaged('no record of this format');
  }

  /** A line that may have been a tick: what threads did since then is unknown until they are named again. */
  #damaged(reason: string): string {
    this.#threads.forget();
    return reason;
  }

  #begin(line: string): string | undefined {
    if (!line.startsWith(`${CPYTHON_KIND} `)) return this.#damaged('no record of this format');
    const version = line.slice(CPYTHON_KIND.length + 1).trim();
    if (version !== CPYTHON_VERSION) throw tooNew(this.#origin, version);
    this.#files += 1;
    this.#codes.clear();
    this.#rows.clear();
    this.#threads.beginFile();
    return undefined;
  }

  #head(json: string): string | undefined {
    if (!isObject(json)) return 'header is no JSON object';
    const start = startOf(json);
    if (start === undefined) return 'header without startNs';
    this.#firstStart ??= start;
    this.#threads.startAt(Number(start - this.#firstStart));
    return undefined;
  }

  #end(json: string): string | undefined {
    if (!isObject(json)) return 'end is no JSON object';
    const ticks = ticksOf(json);
    if (ticks === undefined) return undefined;
    this.#ended += 1;
    this.#ticks = {
      taken: ticks.taken + (this.#ticks?.taken ?? 0),
      due: ticks.due + (this.#ticks?.due ?? 0),
    };
    return undefined;
  }

  #describe(text: TextAt): string | undefined {
    const cursor = this.#cursor;
    const id = cursor.whole();
    if (id < 0 || !cursor.skip(BLANK)) return 'thread without a number';
    const thread = threadOf(text(cursor.at));
    if (thread === undefined) return 'thread without an id';
    this.#threads.describe(id, thread);
    return undefined;
  }

  #code(text: TextAt): string | undefined {
    const cursor = this.#cursor;
    const id = cursor.whole();
    if (id < 0 || !cursor.skip(BLANK) || cursor.whole() < 0 || !cursor.skip(BLANK))
      return 'code without its numbers';
    if (this.#codes.has(id)) return 'code of a number that was given before';
    const code = codeOf(text(cursor.at));
    if (code === undefined) return 'code without name and file';
    this.#codes.set(id, code);
    return undefined;
  }

  #frame(text: TextAt): string | undefined {
    const cursor = this.#cursor;
    const id = cursor.whole();
    if (id < 0 || !cursor.skip(BLANK)) return 'frame without a number';
    const isRoot = cursor.skip(MINUS);
    const parent = cursor.whole();
    if (parent < 0 || (isRoot && parent !== 1) || !cursor.skip(BLANK)) return 'frame without a caller';
    const code = cursor.whole();
    if (code < 0 || !cursor.skip(BLANK)) return 'frame without code';
    const line = cursor.whole();
    if (line < 0) return 'frame without a line';
    const hasLabel = cursor.skip(BLANK);
    if (!hasLabel && cursor.at < cursor.end) return 'frame with more than it has';
    const label = hasLabel ? labelOf(text(cursor.at)) : undefined;
    if (hasLabel && label === undefined) return 'frame with a label that is no text';
    if (this.#rows.has(id)) return 'frame of a number that was given before';
    const above = isRoot ? -1 : this.#rows.get(parent);
    // A caller comes before what it calls, so there are no circles.
    if (above === undefined) return 'frame of an unknown caller';
    const { builder } = this;
    const from =
      label === undefined ? above : builder.stack(above, builder.frame({ name: label, kind: 'marker' }));
    // Its own line was damaged, and is counted.
    const known = this.#codes.get(code) ?? { name: '?', kind: 'python' };
    this.#rows.set(id, builder.stack(from, builder.frame({ ...known, ...(line > 0 ? { line } : {}) })));
    return undefined;
  }

  build(): Profile {
    const { fullAfterS } = this.#threads;
    if (fullAfterS !== undefined) {
      this.builder.finding(cutShort(this.#origin, this.#mostSamples, fullAfterS));
    }
    // Of a file that has no end, or was not read to it, it is not known how often its sampler should have looked.
    if (fullAfterS === undefined && this.#ticks !== undefined && this.#ended === this.#files)
      this.builder.ticks(this.#ticks);
    return this.builder.build();
  }
}

function cutShort({ path }: Origin, most: number, readS: number): Finding {
  return {
    level: 'warning',
    id: 'samples-cut',
    what: `${path ?? 'The input'} has more than ${most.toLocaleString('en')} samples, which is what is read of one file: the answer is of its first ${readS.toFixed(1)} s.`,
    why: 'Every look at a thread is a sample, and the looks of many threads add up.',
    fix: 'profiler attach … --rate 100  (or a shorter --duration)',
  };
}

function tooNew(origin: Origin, version: string): ProfilerError {
  return new ProfilerError({
    id: 'samples-too-new',
    what: `${origin.path ?? 'The input'} is a file of samples of version ${version.slice(0, 20)}; this sim-profiler reads version ${CPYTHON_VERSION}.`,
    why: 'It was written by a newer sim-profiler than this one.',
    fix: 'npm install -g sim-profiler@latest',
  });
}
