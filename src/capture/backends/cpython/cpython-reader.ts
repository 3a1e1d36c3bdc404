import { codeObjects } from './code-objects.js';
import { layoutOfTable, TABLE_BYTES } from './debug-offsets.js';
import { frameObjects } from './frame-objects.js';
import { interpreterFrames } from './interpreter-frames.js';
import { LAYOUTS } from './layout-data.js';
import { minorVersion, type Layout } from './layout.js';
import { block, isEnded, openMemory, pointerAt, unreadable, type Memory } from './memory.js';
import { objectsOf } from './objects.js';
import { GONE, sameStack, stackCopy, type StackCopy, type StackSource } from './stack-copy.js';
import { stackTree, threadMemory, type ThreadMemory } from './stack-tree.js';
import { threadList, type PythonThread } from './thread-list.js';
import { objectLayoutOf } from './object-layout-of.js';
import { taskLabels } from './task-labels.js';
import { threadNames } from './thread-names.js';

export type { PythonThread } from './thread-list.js';

/** What the reader has to know of its target; found by the parent process. */
export interface ReaderPlan {
  readonly pid: number;
  /** Address of `_PyRuntime` in the target. */
  readonly runtime: number;
  /** Size of that symbol in bytes. */
  readonly runtimeSize: number;
  /** `3.11.7`. */
  readonly version: string;
  /** Whether it is a debug build, where that could be told (by the name of its file). */
  readonly debug?: boolean;
  /** `/proc` where it is not said. */
  readonly proc?: string;
}

/** Why a process cannot be read by us: a version or build that is not known, or memory that may not be opened. */
export class ReaderRefusal extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
    this.name = 'ReaderRefusal';
  }
}

/** The stack could not be read. */
export const LOST = -1;
/** The thread runs no Python code now. */
export const NO_FRAMES = -2;

/** Reads one CPython process from outside, without stopping it. */
export interface CpythonReader {
  /** Where a futex is the GIL: addresses, `end` is the first behind. */
  readonly gil: { readonly start: number; readonly end: number };
  /**
   * Live thread states of all interpreters, read anew; none before the interpreter is ready and after its end. Throws an error with
   * a `code` where the memory cannot be read (`ESRCH`: the process has ended, or runs another program).
   */
  threads(): readonly PythonThread[];
  /**
   * Reads on with the names of threads, at most `reads` times (20 or more), and begins a round where none is under way: of all
   * threads that `threads` found last, or of the new ones. True: there is nothing left to do. Throws nothing.
   */
  readNames(reads: number, all: boolean): boolean;
  /** Address of the thread state that holds the GIL; 0: nobody, -1: not readable. */
  holder(): number;
  /** Whether `holder` found the program gone: ended, or another one in its process. */
  readonly ended: boolean;
  /**
   * Reads the stack of a thread state that `threads` has shown; the first readable copy counts. The id of its innermost frame in the
   * file (`drain`), that of `TOO_DEEP` for a stack with more frames than are read, or NO_FRAMES (for a thread that has ended, too), or LOST. With `verify` a second copy is read, to set `verified`.
   * `nowMs` is any clock that does not go back; code objects are checked by it.
   */
  sample(address: number, verify: boolean, nowMs: number): number;
  /** Whether a second copy was equal to the last sample, and its frames were seen so before. */
  readonly verified: boolean;
  readonly counts: { again: number; lost: number; readonly errors: Map<string, number> };
  /** Lines `c …` and `f …` of what was first used since the last call. */
  drain(): string;
  /** Ids begin anew. */
  beginFile(): void;
  close(): void;
}

/** A stack that is not readable is read this many times in all. */
const ATTEMPTS = 4;
/** To find that a stack is too deep takes milliseconds: for this many times as long it is taken to stay so. */
const TOO_DEEP_PAUSE = 20;

/** Opens the memory of the target. Throws a ReaderRefusal for what it does not know or may not read. */
export function openReader(plan: ReaderPlan, open: typeof openMemory = openMemory): CpythonReader {
  const version = minorVersion(plan.version);
  if (version === undefined || version.major !== 3)
    throw new ReaderRefusal(`Python ${plan.version} is not known`);
  if (/\d(?:a|b)\d+/.test(plan.version))
    throw new ReaderRefusal(`Python ${plan.version} is a pre-release, whose layout was not settled`);
  if (plan.debug === true) throw new ReaderRefusal('the build is a debug build');
  const memory = opened(plan, open);
  try {
    return reader(plan, memory, layoutOf(plan, memory, version.minor), version.minor);
  } catch (error) {
    memory.close();
    throw error instanceof ReaderRefusal ? error : new ReaderRefusal(messageOf(error));
  }
}

function opened({ pid, proc = '/proc' }: ReaderPlan, open: typeof openMemory): Memory {
  try {
    return open(pid, proc);
  } catch (error) {
    throw new ReaderRefusal(`the memory of process ${pid} cannot be opened: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function layoutOf(plan: ReaderPlan, memory: Memory, minor: number): Layout {
  const known = LAYOUTS[`3.${minor}`];
  if (known !== undefined) {
    const least = Math.max(known.runtime.interpretersMain, known.runtime.gil ?? 0);
    if (plan.runtimeSize < least)
      throw new ReaderRefusal(`_PyRuntime has ${plan.runtimeSize} bytes, less than Python 3.${minor} has`);
    return known;
  }
  if (minor < 13) throw new ReaderRefusal(`Python ${plan.version} is too old`);
  const table = block(TABLE_BYTES);
  memory.read(table, 0, TABLE_BYTES, plan.runtime);
  const found = layoutOfTable(table.bytes, minor);
  if ('reason' in found) throw new ReaderRefusal(found.reason);
  return found.layout;
}

function reader(plan: ReaderPlan, memory: Memory, layout: Layout, minor: number): CpythonReader {
  const { gil: gilAt } = layout;
  const pointerBlock = block(32);
  const pointer = (address: number): number => {
    if (memory.read(pointerBlock, 0, 8, address) < 8) throw unreadable();
    return pointerAt(pointerBlock.words, 0);
  };

  const interpreters = new Set<number>();
  const isInterpreter = (address: number): boolean => interpreters.has(address);
  const source: StackSource =
    minor <= 10
      ? frameObjects(memory, layout, isInterpreter, minor === 10 ? 2 : 1)
      : interpreterFrames(memory, layout, isInterpreter);
  const objects = objectsOf(memory, layout);
  const codes = codeObjects(memory, layout, minor, objects);
  const tree = stackTree(codes);
  const memories = new Map<number, ThreadMemory>();
  /** Equal copies after which an outermost frame counts that its place does not show. */
  const confirmations = minor <= 10 ? 2 : ATTEMPTS;
  const first = stackCopy();
  const second = stackCopy();
  const counts = { again: 0, lost: 0, errors: new Map<string, number>() };
  let verified = false;
  let ended = false;

  const objectLayout = objectLayoutOf(minor, layout);
  const names = objectLayout === undefined ? undefined : threadNames(memory, layout, objectLayout);
  const tasks =
    objectLayout === undefined ? undefined : taskLabels(memory, layout, objectLayout, codes.taskRunners);
  const withName = (thread: PythonThread): PythonThread => {
    const found = names?.of(thread.address, thread.pthread);
    return found === undefined ? thread : { ...thread, name: found.name, namedTid: found.tid };
  };
  const threads = threadList(plan.runtime, memory, layout, interpreters);
  const gilStart = findGil(plan.runtime, layout, pointer);
  const memoryOf = (address: number): ThreadMemory => {
    const known = memories.get(address);
    if (known !== undefined) return known;
    const added = threadMemory();
    memories.set(address, added);
    return added;
  };

  const countError = (error: unknown): void => {
    const message = messageOf(error);
    counts.errors.set(message, (counts.errors.get(message) ?? 0) + 1);
  };

  /** Whether the stack is still the one in `first`, whole, while it is read again. */
  const isEqualAgain = (address: number): boolean => {
    try {
      return (
        source.copy(address, second) &&
        sameStack(first, second) &&
        source.innermost(address) === first.innermost
      );
    } catch (error) {
      countError(error);
      return false;
    }
  };

  /** Whether what was given up as too deep are frames of Python at all. */
  const isOfPython = (nowMs: number): boolean => codes.at(first.code[0]!, nowMs, false) !== undefined;

  return {
    gil: { start: gilStart, end: gilStart + gilAt.size },
    threads() {
      const found = threads();
      const living = new Set(found.map(({ address }) => address));
      for (const address of memories.keys()) if (!living.has(address)) memories.delete(address);
      names?.expect(found);
      return found.map(withName);
    },
    readNames: (reads, all) => names?.read(reads, all) ?? true,
    holder() {
      try {
        const length = Math.max(gilAt.holder + 8, gilAt.locked + 4);
        if (memory.read(pointerBlock, 0, length, gilStart) < length) return -1;
        return pointerBlock.words[gilAt.locked >> 2] === 1 ? pointerAt(pointerBlock.words, gilAt.holder) : 0;
      } catch (error) {
        ended ||= isEnded(error);
        countError(error);
        return -1;
      }
    },
    get ended() {
      return ended;
    },
    sample(address, verify, nowMs) {
      verified = false;
      const remembered = memoryOf(address);
      let outermost = -1;
      let same = 0;
      let deep = 0;
      if (nowMs < remembered.tooDeepUntilMs) {
        verified = true;
        return tree.tooDeep();
      }
      const began = performance.now();
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        if (attempt > 0) counts.again += 1;
        try {
          if (!source.copy(address, first)) {
            // Garbage may be long, but hardly twice.
            if (first.tooDeep) deep += 1;
            if (deep < 2 || !isOfPython(nowMs)) continue;
            remembered.tooDeepUntilMs = nowMs + TOO_DEEP_PAUSE * (performance.now() - began);
            verified = true;
            return tree.tooDeep();
          }
          if (first.depth === 0) return NO_FRAMES;
          same = first.outermost === outermost ? same + 1 : 1;
          outermost = first.outermost;
          if (!isUsual(first, remembered, same >= confirmations)) continue;
          // At once: a program that does the same over and over must not have the time to come round.
          const equal = verify && !first.moved && isEqualAgain(address);
          const { loaded, taskRunners } = codes;
          const runners = taskRunners.size;
          tasks?.mark(first);
          let id = tree.idOf(first, remembered, nowMs, verify);
          if (taskRunners.size > runners) {
            // It was the first stack with a task.
            tasks?.mark(first);
            id = tree.idOf(first, remembered, nowMs, verify);
          }
          if (id < 0) continue;
          // A code object that was read only now could be the next one in the place of another.
          verified = equal && (codes.loaded === loaded || isEqualAgain(address)) && tree.isSure();
          return id;
        } catch (error) {
          if (error === GONE) return NO_FRAMES;
          countError(error);
          if (isEnded(error)) break;
        }
      }
      counts.lost += 1;
      return LOST;
    },
    get verified() {
      return verified;
    },
    counts,
    drain: () => tree.drain(),
    beginFile() {
      tree.beginFile();
      tasks?.beginFile();
    },
    close: () => memory.close(),
  };
}

/**
 * Whether a thread's stack ends where its stacks end. From 3.11 on the place of the outermost frame tells: a generator that has
 * just yielded has no caller either. Where a thread never began in that place (C code that drives a generator), a stack counts
 * that ends alike each time. Up to 3.10 it is the code of the outermost frame, once it was seen twice in a row.
 */
function isUsual(copy: StackCopy, memory: ThreadMemory, confirmed: boolean): boolean {
  if (copy.rooted) {
    memory.everRooted = true;
    if (!memory.outermost.has(copy.outermost)) memory.outermost.add(copy.outermost);
    return true;
  }
  if (memory.outermost.has(copy.outermost)) return true;
  if (memory.everRooted || !confirmed) return false;
  memory.outermost.add(copy.outermost);
  return true;
}

/** Address of the main interpreter's GIL. */
function findGil(runtime: number, layout: Layout, pointer: (address: number) => number): number {
  if (layout.runtime.gil !== undefined) return runtime + layout.runtime.gil;
  const main = pointer(runtime + layout.runtime.interpretersMain);
  const gil = main === 0 ? 0 : pointer(main + (layout.interpreter.gilPointer ?? 0));
  if (gil === 0) throw new ReaderRefusal('the interpreter is not ready yet');
  return gil;
}
