import type { Layout } from './layout.js';
import { block, isEnded, pointerAt, unreadable, type Memory } from './memory.js';

/** A thread known to Python. */
export interface PythonThread {
  /** Of its thread state. */
  readonly address: number;
  /** Kernel thread id as the interpreter stored it, in its own pid namespace; 0 before 3.11. */
  readonly tid: number;
  /** `pthread_t`. */
  readonly pthread: number;
  /** Address of its interpreter. */
  readonly interpreter: number;
  /** What `threading` calls it, as it was when names were read last; absent where nothing is known there of such a thread. */
  readonly name?: string;
  /** The kernel's number, by its own pid namespace, of the thread that this name was given to: another one has ended meanwhile. */
  readonly namedTid?: number;
}

/** The list may change while it is read. */
const ATTEMPTS = 4;
const MOST_THREADS = 10_000;

/**
 * Reads the thread states of all interpreters, newest first, and leaves the addresses of the interpreters in `interpreters`. Throws
 * where memory is not readable.
 */
export function threadList(
  runtime: number,
  memory: Memory,
  layout: Layout,
  interpreters: Set<number>,
): () => PythonThread[] {
  const { thread: threadAt, interpreter: interpreterAt } = layout;
  const threadBytes =
    Math.max(threadAt.next, threadAt.interpreter, threadAt.pthread, threadAt.nativeId ?? 0) + 8;
  const threadBlock = block(threadBytes);
  const pointerBlock = block(8);
  const pointer = (address: number): number => {
    if (memory.read(pointerBlock, 0, 8, address) < 8) throw unreadable();
    return pointerAt(pointerBlock.words, 0);
  };

  /** False where the list changed while it was read. */
  const addThreads = (interpreter: number, into: PythonThread[]): boolean => {
    let address = pointer(interpreter + interpreterAt.threadsHead);
    while (address !== 0 && into.length < MOST_THREADS) {
      if (memory.read(threadBlock, 0, threadBytes, address) < threadBytes) return false;
      if (pointerAt(threadBlock.words, threadAt.interpreter) !== interpreter) return false;
      const tid = threadAt.nativeId === undefined ? 0 : pointerAt(threadBlock.words, threadAt.nativeId);
      into.push({ address, tid, pthread: pointerAt(threadBlock.words, threadAt.pthread), interpreter });
      address = pointerAt(threadBlock.words, threadAt.next);
    }
    return true;
  };

  const allThreads = (): PythonThread[] | undefined => {
    const found: PythonThread[] = [];
    const seen: number[] = [];
    let interpreter = pointer(runtime + layout.runtime.interpretersHead);
    while (interpreter !== 0 && seen.length < MOST_THREADS) {
      seen.push(interpreter);
      if (!addThreads(interpreter, found)) return undefined;
      interpreter = pointer(interpreter + interpreterAt.next);
    }
    // Only now: stacks are read by what was known before where this look fails.
    interpreters.clear();
    for (const address of seen) interpreters.add(address);
    return found;
  };

  return () => {
    let last: unknown = unreadable();
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      try {
        const found = allThreads();
        if (found !== undefined) return found;
      } catch (error) {
        last = error;
        if (isEnded(error)) break;
      }
    }
    throw last;
  };
}
