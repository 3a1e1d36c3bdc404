/** Stacks of CPython 3.8 to 3.10: a list of frame objects on the heap, one read each. */
import type { Layout } from './layout.js';
import { block, pointerAt, type Memory } from './memory.js';
import { DEEPEST, GONE, LARGEST_COPY, type StackCopy, type StackSource } from './stack-copy.js';

/** Variables of a frame that are copied with it, so that two copies can be told apart. */
const COMPARED_SLOTS = 8;

export function frameObjects(
  memory: Memory,
  layout: Layout,
  isInterpreter: (address: number) => boolean,
  /** Bytes for each unit of a frame's last instruction. */
  instructionBytes: number,
): StackSource {
  const { thread: threadAt, frame: frameAt, object } = layout;
  const frameField = threadAt.frame ?? 0;
  const lastField = frameAt.lastInstruction ?? 0;
  const threadBytes = Math.max(frameField, threadAt.interpreter) + 8;
  const runningField = frameAt.executing ?? frameAt.state ?? 0;
  const runningValue = frameAt.executing === undefined ? 0 : 1;
  const headBytes = (Math.max(frameAt.previous, frameAt.code, lastField, runningField) + 8) & ~7;
  const frameBytes = frameAt.locals + 8 * COMPARED_SLOTS;
  const threadBlock = block(threadBytes);
  let frameType = 0;

  const innermost = (thread: number): number => {
    if (memory.read(threadBlock, 0, threadBytes, thread) < threadBytes) return -1;
    if (!isInterpreter(pointerAt(threadBlock.words, threadAt.interpreter))) throw GONE;
    return pointerAt(threadBlock.words, frameField);
  };

  const copy = (thread: number, into: StackCopy): boolean => {
    into.depth = 0;
    into.used = 0;
    into.rooted = false;
    into.innermostStart = 0;
    into.innermostEnd = frameBytes;
    let frame = innermost(thread);
    into.innermost = frame;
    if (frame < 0) return false;
    const { words, bytes } = into.memory;
    let depth = 0;
    while (frame !== 0) {
      const offset = into.used;
      if (depth === DEEPEST || frame % 8 !== 0 || offset + frameBytes > LARGEST_COPY) return false;
      const count = memory.read(into.memory, offset, frameBytes, frame);
      if (count < headBytes) return false;
      // Behind the last slot lies what belongs to others.
      const slots = pointerAt(words, offset + object.length);
      const end = Math.min(count, frameAt.locals + 8 * slots);
      if (end < frameBytes) bytes.fill(0, offset + Math.max(end, headBytes), offset + frameBytes);
      into.used += frameBytes;
      // A freed frame keeps its code, and loses its references; one that has yielded keeps them, and does not run.
      if (words[offset >> 2] === 0 && words[(offset >> 2) + 1] === 0) return false;
      const type = pointerAt(words, offset + object.type);
      if (frameType === 0) frameType = type;
      if (type !== frameType) {
        if (depth === 0) frameType = 0;
        return false;
      }
      frame = pointerAt(words, offset + frameAt.previous);
      // The innermost one may be about to begin, or have just ended.
      if ((depth > 0 || frame === 0) && bytes[offset + runningField] !== runningValue) return false;
      into.code[depth] = pointerAt(words, offset + frameAt.code);
      into.instruction[depth] = (words[(offset + lastField) >> 2]! | 0) * instructionBytes;
      depth += 1;
    }
    if (depth > 0) into.outermost = into.code[depth - 1]!;
    into.depth = depth;
    return true;
  };

  return { copy, innermost };
}
