import { ProfilerError } from '../model/index.js';
import type { Origin, Profile, WeightUnit } from '../model/index.js';
import { ByteLines, LONGEST_LINE } from './byte-lines.js';
import { countAt, countStart, endsInNumber, stackEnd } from './count-line.js';
import { FoldedBuilder } from './folded-builder.js';
import type { Chunks } from './format.js';
import type { Grammar } from './grammar-line.js';
import { PiecesReader } from './pieces-reader.js';
import { MOST_SEEN_BYTES } from './seen-lines.js';
import { peek, utf8Chunks } from './source-bytes.js';
import { TextReader } from './text-reader.js';

// Folded text of any dialect: one stack a line, frames from the root joined by `;`, a blank, a count (flamegraph.pl's input).

const HASH_SIGN = 35;

/** How a file is to be read, as its head tells. */
export interface Dialect {
  readonly grammar: Grammar;
  readonly unit: WeightUnit;
  /** What one count is in that unit. */
  readonly worth: number;
}

/**
 * Reads folded text in memory bounded by the number of different stacks.
 * @param mostSeenBytes of lines to keep, so that a line seen again costs next to nothing. It changes the time, never the result.
 * @throws ProfilerError `differential-file` for a file that compares two recordings.
 */
export async function readFolded(
  chunks: Chunks,
  origin: Origin,
  dialectOf: (head: Uint8Array) => Dialect,
  mostSeenBytes = MOST_SEEN_BYTES,
): Promise<Profile> {
  const peeked = await peek(chunks);
  const { grammar, unit, worth } = dialectOf(peeked.head);
  const out = new FoldedBuilder(unit, worth, origin);
  const pieces = new PiecesReader(grammar, out, mostSeenBytes);
  const texts = new TextReader(grammar, out, () => pieces.newFirstPieces());
  const decoder = new TextDecoder();
  let lineNo = 0;

  const lines = new ByteLines((block, start, end, cut) => {
    const { bytes } = block;
    lineNo += 1;
    const text = (): string => decoder.decode(bytes.subarray(start, end));
    if (cut) {
      out.refuse(
        lineNo,
        `longer than ${LONGEST_LINE} bytes`,
        decoder.decode(bytes.subarray(start, start + 200)),
      );
    } else if (texts.isWaiting) texts.read(text(), lineNo);
    else if (end > start && bytes[start] !== HASH_SIGN) {
      if (grammar.chatter !== undefined && mayBeChatter(bytes[start], bytes[start + 1])) {
        const said = grammar.chatter(text());
        if (said !== undefined) return out.lostSamples(said.errors);
      }
      const digits = countStart(bytes, start, end);
      const stop = digits === -1 ? -1 : stackEnd(bytes, start, digits);
      if (stop === -1 || endsInNumber(bytes, start, stop)) return texts.read(text(), lineNo);
      const count = countAt(bytes, digits, end);
      if (!out.fits(count)) return out.refuse(lineNo, 'sum of the counts is no longer exact', text());
      if (!pieces.read(block, start, stop, count)) texts.read(text(), lineNo);
    }
  });

  for await (const chunk of utf8Chunks(peeked)) lines.feed(chunk);
  lines.end();
  texts.end();
  pieces.settle();
  if (out.isDifferential) throw differentialFile(origin);
  return out.build();
}

/** First two characters of what py-spy and its logger say. */
const CHATTER_STARTS = new Set(['py', 'Wr', 'Sa', 'St', 'Yo', 'Vi', '[2'].map((two) => startKey(two)));

function startKey(two: string): number {
  return two.charCodeAt(0) * 256 + two.charCodeAt(1);
}

function mayBeChatter(first = 0, second = 0): boolean {
  return CHATTER_STARTS.has(first * 256 + second);
}

function differentialFile(origin: Origin): ProfilerError {
  const file = origin.path ?? 'The input';
  return new ProfilerError({
    id: 'differential-file',
    what: `${file} has two counts on its lines: it compares two recordings (difffolded.pl, inferno-diff-folded).`,
    why: 'There is no single profile in it: read as one, the first count would be taken for a part of the name.',
    fix: 'Give the two files it was made from, one at a time: profiler hot BEFORE.folded',
  });
}
