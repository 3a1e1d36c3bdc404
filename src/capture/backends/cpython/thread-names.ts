import { attributeReader } from './attributes.js';
import { codeObjects } from './code-objects.js';
import type { Layout } from './layout.js';
import { pointerAt, type Memory } from './memory.js';
import type { Objects } from './objects.js';
import type { StackCopy, StackSource } from './stack-copy.js';
import type { NameOf } from './thread-list.js';

/** Where every `threading.Thread` begins: a method, whose first variable is the thread. */
const FIRST_FUNCTION = /(?:^|\.)_bootstrap$/;
const FILE = /(?:^|[/\\])threading\.py$/;
/** What `threading` calls the thread that began the interpreter. */
const MAIN = 'MainThread';
/** A thread that has shown no name by then has none. */
const TRIES = 10;

interface Named {
  readonly mark: number;
  name: string | undefined;
  tries: number;
}

/** Names of threads as `threading` knows them, found by the thread that stands in the outermost frame; looked for until found. */
export function threadNames(
  memory: Memory,
  layout: Layout,
  minor: number,
  objects: Objects,
  source: StackSource,
  scratch: StackCopy,
): NameOf {
  const codes = codeObjects(memory, layout, minor, objects);
  const attribute = attributeReader(memory, layout, minor, objects);
  const known = new Map<number, Named>();
  /** A clock on which every look is another moment. */
  let moment = 0;

  const find = (address: number, isOldest: boolean): string | undefined => {
    if (!source.copy(address, scratch)) return undefined;
    const last = scratch.depth - 1;
    moment += 1;
    const code = last < 0 ? undefined : codes.at(scratch.code[last]!, moment, true);
    if (last >= 0 && code === undefined) return undefined;
    if (code === undefined || !FIRST_FUNCTION.test(code.name.name) || !FILE.test(code.name.file))
      return isOldest ? MAIN : undefined;
    const thread = pointerAt(scratch.memory.words, scratch.offset[last]! + layout.frame.locals);
    const name = attribute(thread, '_name');
    return name === undefined ? undefined : objects.readText(name)?.value;
  };

  return (address, mark, isOldest) => {
    let named = known.get(address);
    if (named?.mark !== mark) {
      named = { mark, name: undefined, tries: 0 };
      known.set(address, named);
    }
    if (named.name === undefined && named.tries < TRIES) {
      named.tries += 1;
      try {
        named.name = find(address, isOldest);
      } catch {
        // The thread ends, or its memory changes: another time.
      }
    }
    return named.name;
  };
}
