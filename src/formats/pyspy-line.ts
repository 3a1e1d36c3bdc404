import type { Frame, ParentProcess, Thread } from '../model/index.js';
import type { Grammar, ParsedStack, Piece } from './grammar-line.js';
import { bareFrame, isClosedBare, isNameless, isShim, locatedFrame, locationStart } from './pyspy-frame.js';

// py-spy's raw text (`record -f raw`, 0.3 to 0.4): `frame;frame;... COUNT`, root first. With --threads the first frame is
// `thread (TID): NAME`, with --subprocesses `process PID:"COMMAND"` stands before it, parents first. Nothing is escaped: file
// names, thread names and command lines may hold `;`, blanks, quotes and line ends, so pieces are put together again by their shape.

const THREAD = /^thread \((0[xX][\da-fA-F]+|\d+|\?)\)(?:$|(?=;)|: ?)/;
const PROCESS = /^process (\d+):"/;
const CHATTER =
  /^(?:py-spy> |Sampling process \d|Wrote .* to '.*'\. Samples: \d|Stopped sampling|You can use the flamegraph|Visit https:\/\/www\.speedscope|\d[\d.]*m?s behind in sampling|\[\d{4}-\d\d-\d\dT[\d:.]+Z (?:TRACE|DEBUG|INFO|WARN|ERROR) )/;

/** How many pieces one name may be cut into by the `;` in it. Real ones are few; trying all would take forever on garbage. */
const MOST_JOINED = 32;

export const PYSPY_GRAMMAR: Grammar = {
  first: 'plain',
  continues: true,
  piece,
  root: (outer, text) => {
    const found = text.startsWith('thread (') ? threadRoot(text) : undefined;
    if (found !== undefined) return { ...outer, ...found };
    const process = wholeProcess(text);
    return process === undefined ? { ...outer, name: text } : below(outer, process);
  },
  stack: parseStack,
  chatter: (text) => {
    if (!isPyspyChatter(text)) return undefined;
    return { errors: Number(/Samples: \d+ Errors: (\d{1,15})/.exec(text)?.[1] ?? 0) };
  },
};

/** Whether a line is what py-spy or its logger said, which lands in the file with `> FILE 2>&1`. */
export function isPyspyChatter(line: string): boolean {
  return CHATTER.test(line);
}

/** What a text between two `;` is by itself. `hard`: that takes its neighbours. */
function piece(text: string): Piece {
  if (threadRoot(text) !== undefined) return { role: 'root' };
  if (text.startsWith('process ') && wholeProcess(text) !== undefined) return { role: 'root' };
  if (isNameless(text)) return { role: 'frame', frame: locatedFrame(text, 0) };
  if (/^[\s]/.test(text) || text === '' || PROCESS.test(text)) return { role: 'hard' };
  if (isShim(text)) return { role: 'hidden' };
  const start = locationStart(text);
  if (start > 0) return { role: 'frame', frame: locatedFrame(text, start) };
  if (isClosedBare(text)) return { role: 'frame', frame: bareFrame(text) };
  return /[\s()]/.test(text) ? { role: 'hard' } : { role: 'bare', frame: bareFrame(text) };
}

function threadRoot(text: string): Thread | undefined {
  const match = THREAD.exec(text);
  if (match === null) return undefined;
  const tid = match[1] === '?' ? Number.NaN : Number(match[1]);
  const name = text.slice(match[0].length);
  return {
    ...(Number.isSafeInteger(tid) && { tid }),
    ...(name !== '' && { name }),
  };
}

function wholeProcess(text: string): ParentProcess | undefined {
  const match = PROCESS.exec(text);
  if (match === null || !text.endsWith('"') || text.length <= match[0].length) return undefined;
  return { pid: Number(match[1]), command: text.slice(match[0].length, -1) };
}

/** The process that a further process root stands in becomes its parent. */
function below(outer: Thread | undefined, process: ParentProcess): Thread {
  if (outer?.pid === undefined) return { ...outer, ...process };
  const parents = [...(outer.parents ?? []), { pid: outer.pid, command: outer.command ?? '' }];
  return { ...process, parents };
}

/** A whole stack, with pieces joined where one alone makes no sense. */
function parseStack(text: string): ParsedStack {
  let rest = text;
  let thread: Thread | undefined;
  let roots = 0;
  for (let end = processEnd(rest); end > 0 && roots < MOST_JOINED; end = processEnd(rest)) {
    roots += 1;
    const process = wholeProcess(rest.slice(0, end));
    if (process === undefined) break;
    thread = below(thread, process);
    rest = rest.slice(end + 1);
  }
  if (THREAD.test(rest)) {
    const end = nameEnd(rest);
    thread = { ...thread, ...threadRoot(rest.slice(0, end)) };
    rest = rest.slice(end + 1);
  } else if (thread === undefined) {
    const end = rest.indexOf(';');
    const first = rest.slice(0, Math.max(end, 0));
    if (/^[^\s()<[][^()]*$/.test(first) && !isClosedBare(first) && beginsWithFrame(rest.slice(end + 1))) {
      thread = { name: first };
      rest = rest.slice(end + 1);
    }
  }
  if (PROCESS.test(rest)) return { thread, frames: [bareFrame(rest)], leaf: 'cut' };
  if (rest === '') return { thread, frames: [], leaf: 'closed' };
  return { thread, ...joinedFrames(rest.split(';')) };
}

/**
 * Where the command of a leading process root ends, past its closing quote. Quotes and `;` stand in commands too, so it is the
 * first `";` before another root or a frame.
 */
function processEnd(text: string): number {
  const match = PROCESS.exec(text);
  if (match === null) return -1;
  let at = text.indexOf('";', match[0].length);
  for (let tried = 0; at !== -1 && tried < MOST_JOINED; tried += 1, at = text.indexOf('";', at + 1)) {
    const next = text.slice(at + 2);
    if (PROCESS.test(next) || THREAD.test(next) || beginsWithFrame(next)) return at + 1;
  }
  return text.endsWith('"') && text.length > match[0].length ? text.length : -1;
}

/** Where a thread's name ends: before the first piece that is a frame. A line without one is a torn stack: all of it is name. */
function nameEnd(text: string): number {
  let at = text.indexOf(';');
  for (let tried = 0; at !== -1 && tried < MOST_JOINED; tried += 1, at = text.indexOf(';', at + 1)) {
    if (beginsWithFrame(text.slice(at + 1))) return at;
  }
  return text.length;
}

function beginsWithFrame(text: string): boolean {
  const [first = '', ...others] = text.split(';', 8);
  if (isNameless(first)) return true;
  if (/^[\s"]/.test(text)) return false;
  if (isClosedBare(first) || locationStart(first) > 0) return true;
  // A file name with `;` opens a parenthesis that a later piece closes.
  if (!/^\S[^"]* \([^)]*$/.test(first)) return false;
  let joined = first;
  for (const other of others) {
    joined += `;${other}`;
    if (locationStart(joined) > 0) return true;
  }
  return false;
}

function joinedFrames(pieces: readonly string[]): Pick<ParsedStack, 'frames' | 'leaf'> {
  const frames: Frame[] = [];
  let leaf: ParsedStack['leaf'] = 'closed';
  for (let at = 0; at < pieces.length;) {
    const count = frameSpan(pieces, at);
    const text = pieces.slice(at, at + count).join(';');
    at += count;
    const start = locationStart(text);
    leaf = start >= 0 || isClosedBare(text) ? 'closed' : leafOf(text);
    if (!isShim(text)) frames.push(start >= 0 ? locatedFrame(text, start) : bareFrame(text));
  }
  return { frames, leaf };
}

function leafOf(text: string): ParsedStack['leaf'] {
  const open = text.lastIndexOf(' (');
  if (open >= 0 && !text.includes(')', open)) return 'cut';
  return /\s/.test(text) ? 'open' : 'bare';
}

/**
 * How many pieces make the frame that begins at `at`: one, unless it has blanks and no location, or the next begins with a blank;
 * then as many as it takes to end in a location.
 */
function frameSpan(pieces: readonly string[], at: number): number {
  const first = pieces[at] ?? '';
  if (isClosedBare(first) || locationStart(first) >= 0) return 1;
  if (first !== '' && !/\s/.test(first) && !/^\s/.test(pieces[at + 1] ?? '')) return 1;
  let joined = first;
  for (let count = 2; count <= MOST_JOINED && at + count <= pieces.length; count += 1) {
    joined += `;${pieces[at + count - 1]}`;
    if (locationStart(joined) >= 0) return count;
  }
  return 1;
}
