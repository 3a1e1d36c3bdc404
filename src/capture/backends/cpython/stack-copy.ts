import { block, type Block } from './memory.js';

/** Frames of one stack, innermost first, as they were copied. */
export interface StackCopy {
  depth: number;
  /** Addresses of code objects. */
  readonly code: Float64Array;
  /** Addresses of instructions; up to 3.10 offsets in bytes from the first one. */
  readonly instruction: Float64Array;
  /** Address of the innermost frame, whatever it is. */
  innermost: number;
  /** What the outermost frame is known by: its address; up to 3.10 that of its code object. */
  outermost: number;
  /** Whether the outermost frame lies where the first frame of a thread lies. */
  rooted: boolean;
  /** The memory that was copied, for comparing two copies. */
  readonly memory: Block;
  used: number;
  /** The part of it that belongs to the innermost frame, which may move on. */
  innermostStart: number;
  innermostEnd: number;
}

/** Reads stacks of threads, by the address of their thread state. Throws where memory is not readable, and GONE. */
export interface StackSource {
  /** Copies one stack. False: what was read is no stack. */
  copy(thread: number, into: StackCopy): boolean;
  /** Address of the innermost frame now; 0 without one. */
  innermost(thread: number): number;
}

/** Where a thread state was, there is none any more. */
export const GONE = new Error('the thread has ended');

/** Deeper stacks are lost. */
export const DEEPEST = 20_000;
/** Bytes of one copy. */
export const LARGEST_COPY = 4 * 1024 * 1024;

export function stackCopy(): StackCopy {
  return {
    depth: 0,
    code: new Float64Array(DEEPEST),
    instruction: new Float64Array(DEEPEST),
    innermost: 0,
    outermost: 0,
    rooted: false,
    memory: block(LARGEST_COPY),
    used: 0,
    innermostStart: 0,
    innermostEnd: 0,
  };
}

/**
 * Whether two copies, one read after the other, show one and the same stack: the same frames, callers at the same instruction
 * with the same variables. The innermost frame may have moved on.
 */
export function sameStack(one: StackCopy, other: StackCopy): boolean {
  const { depth, innermostStart, innermostEnd, used } = one;
  if (one.innermost !== other.innermost) return false;
  if (depth !== other.depth || one.outermost !== other.outermost || used !== other.used) return false;
  if (innermostStart !== other.innermostStart || innermostEnd !== other.innermostEnd) return false;
  if (one.code[0] !== other.code[0]) return false;
  for (let at = 1; at < depth; at += 1)
    if (one.code[at] !== other.code[at] || one.instruction[at] !== other.instruction[at]) return false;
  return (
    one.memory.bytes.compare(other.memory.bytes, 0, innermostStart, 0, innermostStart) === 0 &&
    one.memory.bytes.compare(other.memory.bytes, innermostEnd, used, innermostEnd, used) === 0
  );
}
