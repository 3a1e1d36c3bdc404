/** Stacks of CPython 3.8 to 3.10: a list of frame objects on the heap, one read each. */
import type { Layout } from './layout.js';
import { block, pointerAt, type Memory } from './memory.js';
import { DEEPEST, LARGEST_COPY, type CopyStack } from './stack-copy.js';

export function frameObjects(
  memory: Memory,
  layout: Layout,
  isInterpreter: (address: number) => boolean,
  /** Bytes for each unit of a frame's last instruction. */
  instructionBytes: number,
): CopyStack {
  const { thread: threadAt, frame: frameAt, object } = layout;
  const frameField = threadAt.frame ?? 0;
  const lastField = frameAt.lastInstruction ?? 0;
  const threadBytes = Math.max(frameField, threadAt.interpreter) + 8;
  const runningField = frameAt.executing ?? frameAt.state ?? 0;
  const runningValue = frameAt.executing === undefined ? 0 : 1;
  const frameBytes = (Math.max(frameAt.previous, frameAt.code, lastField, runningField) + 8) & ~7;
  const threadBlock = block(threadBytes);
  let frameType = 0;

  return (thread, into) => {
    into.depth = 0;
    into.used = 0;
    into.rooted = false;
    into.innermostStart = 0;
    into.innermostEnd = frameBytes;
    if (memory.read(threadBlock, 0, threadBytes, thread) < threadBytes) return false;
    if (!isInterpreter(pointerAt(threadBlock.words, threadAt.interpreter)))
      throw new Error('the thread state is gone');
    let frame = pointerAt(threadBlock.words, frameField);
    const { words, bytes } = into.memory;
    let depth = 0;
    while (frame !== 0) {
      const offset = into.used;
      if (depth === DEEPEST || frame % 8 !== 0 || offset + frameBytes > LARGEST_COPY) return false;
      if (memory.read(into.memory, offset, frameBytes, frame) < frameBytes) return false;
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
}
