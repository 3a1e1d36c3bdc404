import { block, type Block } from './memory.js';

/** Frames of one stack, innermost first, as they were copied. */
export interface StackCopy {
  depth: number;
  /** It was given up because it has more frames than are read: no torn copy, and the next one will be no better. */
  tooDeep: boolean;
  /** Its innermost calls have returned while it was read. */
  moved: boolean;
  /** Addresses of frames, and of their code objects. */
  readonly frame: Float64Array;
  readonly code: Float64Array;
  /** Addresses of instructions; up to 3.10 offsets in bytes from the first one. */
  readonly instruction: Float64Array;
  /** Address of the innermost frame, whatever it is. */
  innermost: number;
  /** What the outermost frame is known by: its address; up to 3.10 that of its code object. */
  outermost: number;
  /** Whether the outermost frame lies where the first frame of a thread lies. */
  rooted: boolean;
  /** The frame below a marker, -1 for none, and what the marker is called (task-labels.ts). */
  labelled: number;
  label: string;
  /** The memory that was copied, and where in it each frame lies. */
  readonly memory: Block;
  used: number;
  readonly offset: Int32Array;
  /** Bytes of each frame that another copy must have, too. */
  readonly bytes: Int32Array;
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

/** Of deeper stacks it is known that they are, and nothing else. */
export const DEEPEST = 20_000;
/** Bytes of one copy: frame objects of 3.8 take 500 each. */
export const LARGEST_COPY = 16 * 1024 * 1024;

export function stackCopy(): StackCopy {
  return {
    depth: 0,
    tooDeep: false,
    moved: false,
    frame: new Float64Array(DEEPEST),
    code: new Float64Array(DEEPEST),
    instruction: new Float64Array(DEEPEST),
    innermost: 0,
    outermost: 0,
    rooted: false,
    labelled: -1,
    label: '',
    memory: block(LARGEST_COPY),
    used: 0,
    offset: new Int32Array(DEEPEST),
    bytes: new Int32Array(DEEPEST),
  };
}

/**
 * Whether two copies, one read after the other, show one and the same stack: the same frames, callers at the same instruction
 * with the same variables. The innermost frame may have moved on.
 */
export function sameStack(one: StackCopy, other: StackCopy): boolean {
  const { depth } = one;
  if (depth !== other.depth || one.innermost !== other.innermost || one.outermost !== other.outermost)
    return false;
  if (one.frame[0] !== other.frame[0] || one.code[0] !== other.code[0]) return false;
  for (let at = 1; at < depth; at += 1) {
    if (one.frame[at] !== other.frame[at] || one.code[at] !== other.code[at]) return false;
    if (one.instruction[at] !== other.instruction[at] || one.bytes[at] !== other.bytes[at]) return false;
  }
  for (let at = 1; at < depth; at += 1) if (!sameBytes(one, other, at)) return false;
  return true;
}

/** Words are compared here: a call for each frame costs more. */
function sameBytes(one: StackCopy, other: StackCopy, at: number): boolean {
  const first = one.offset[at]! >> 2;
  const second = other.offset[at]! >> 2;
  const words = one.bytes[at]! >> 2;
  for (let word = 0; word < words; word += 1)
    if (one.memory.words[first + word] !== other.memory.words[second + word]) return false;
  return true;
}
