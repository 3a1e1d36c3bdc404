/**
 * Stacks of CPython 3.11 and newer: frames lie in the chunks of the thread's own stack, those of generators and coroutines in
 * their objects (Objects/frame_layout.md, InternalDocs/frames.md). The newest chunk is copied whole, in one read.
 */
import { Circle } from './circle.js';
import type { Layout } from './layout.js';
import { block, pointerAt, type Memory } from './memory.js';
import { DEEPEST, GONE, LARGEST_COPY, type StackCopy, type StackSource } from './stack-copy.js';

/** Owners of frames: a thread's stack; a generator; a frame object; from here on the interpreter itself (3.12 and newer). */
const OWNED_BY_THREAD = 0;
const OWNED_BY_INTERPRETER = 3;
/** What chunks are made of; larger ones only for a frame that does not fit. */
const CHUNK_BYTES = 16 * 1024;
const MOST_CHUNKS = 1024;
/** Room for about ten frames. On a loop of short calls one stack in ten could not be read without it, one in twenty with it. */
const AHEAD_BYTES = 1536;
/** Bytes of one frame that two copies must have alike, where the next frame tells where it ends. */
const MOST_COMPARED = 4096;
/** Frames outside the chunks (of generators, coroutines, greenlets) cost a read each: a stack with more of them is too deep. */
const MOST_READS = 4096;

export function interpreterFrames(
  memory: Memory,
  layout: Layout,
  isInterpreter: (address: number) => boolean,
): StackSource {
  const { thread: threadAt, frame: frameAt } = layout;
  const chunkAt = layout.chunk ?? { previous: 0, size: 8, top: 16, data: 24 };
  const cframeAt = layout.cframe?.frame;
  const frameField = threadAt.frame ?? threadAt.cframe ?? 0;
  const chunkField = threadAt.chunk ?? 0;
  const topField = threadAt.chunkTop ?? chunkField + 8;
  const codeField = frameAt.code;
  const previousField = frameAt.previous;
  const instructionField = frameAt.instruction ?? 0;
  const ownerField = frameAt.owner ?? 0;
  const frameBytes = (Math.max(codeField, previousField, instructionField, ownerField) + 8) & ~7;
  const threadBytes = Math.max(frameField, chunkField, topField, threadAt.interpreter) + 8;
  const codeMask = layout.taggedCode === true ? ~3 : ~0;

  const threadBlock = block(threadBytes);
  const cframeBlock = block(16);
  // The chunks of the copy at hand: address, offset in its memory, bytes that were copied, bytes that the chunk has.
  const base = new Float64Array(MOST_CHUNKS);
  const from = new Int32Array(MOST_CHUNKS);
  const length = new Int32Array(MOST_CHUNKS);
  const size = new Float64Array(MOST_CHUNKS);
  /** Outer frames lie below inner ones: where the last frame of each chunk lay. */
  const lowest = new Float64Array(MOST_CHUNKS);
  let chunks = 0;

  /** Appends memory to the copy; -1 where not all of it can be read. */
  const append = (into: StackCopy, address: number, wanted: number, least: number): number => {
    if (into.used + wanted > LARGEST_COPY) {
      into.tooDeep = true;
      return -1;
    }
    const count = memory.read(into.memory, into.used, wanted, address) & ~7;
    if (count < least) return -1;
    into.used += count;
    return count;
  };

  const addChunk = (into: StackCopy, address: number, wanted: number): boolean => {
    if (chunks === MOST_CHUNKS || address % 8 !== 0) return false;
    const start = into.used;
    const count = append(into, address, wanted, chunkAt.data);
    if (count < 0) return false;
    base[chunks] = address;
    from[chunks] = start;
    length[chunks] = count;
    size[chunks] = pointerAt(into.memory.words, start + chunkAt.size);
    lowest[chunks] = Infinity;
    chunks += 1;
    return true;
  };

  /** The chunk before the oldest that was copied. */
  const addOlderChunk = (into: StackCopy): boolean => {
    if (chunks === 0) return false;
    const address = pointerAt(into.memory.words, from[chunks - 1]! + chunkAt.previous);
    if (address === 0 || !addChunk(into, address, CHUNK_BYTES)) return false;
    const last = chunks - 1;
    const used = chunkAt.data + 8 * pointerAt(into.memory.words, from[last]! + chunkAt.top);
    if (used <= length[last]! || used > size[last]!) return true;
    const rest = append(into, address + length[last]!, used - length[last]!, 0);
    if (rest < 0) return false;
    length[last]! += rest;
    return true;
  };

  const chunkOf = (frame: number, first: number): number => {
    for (let at = first; at < chunks; at += 1) {
      const offset = frame - base[at]!;
      if (offset >= chunkAt.data && offset + frameBytes <= length[at]!) return at;
    }
    return -1;
  };

  const copyChunks = (into: StackCopy): boolean => {
    chunks = 0;
    const chunk = pointerAt(threadBlock.words, chunkField);
    if (chunk === 0) return true;
    const used = pointerAt(threadBlock.words, topField) - chunk;
    if (used < chunkAt.data || used > LARGEST_COPY) return false;
    // The thread may have called on since its top was read: those frames are copied, too.
    return addChunk(into, chunk, used > CHUNK_BYTES ? used : Math.min(CHUNK_BYTES, used + AHEAD_BYTES));
  };

  /** Leaves the thread state in `threadBlock`; -1 where it cannot be read whole. */
  const innermost = (thread: number): number => {
    if (memory.read(threadBlock, 0, threadBytes, thread) < threadBytes) return -1;
    if (!isInterpreter(pointerAt(threadBlock.words, threadAt.interpreter))) throw GONE;
    const address = pointerAt(threadBlock.words, frameField);
    if (cframeAt === undefined || address === 0) return address;
    return memory.read(cframeBlock, 0, 16, address) < 16 ? -1 : pointerAt(cframeBlock.words, cframeAt);
  };

  const circle = new Circle();
  const copy = (thread: number, into: StackCopy): boolean => {
    into.depth = 0;
    into.tooDeep = false;
    circle.begin();
    into.moved = false;
    into.used = 0;
    into.rooted = false;
    let frame = innermost(thread);
    into.innermost = frame;
    if (frame === 0) return true;
    if (frame < 0 || !copyChunks(into)) return false;
    const { words, bytes } = into.memory;
    let depth = 0;
    let current = 0;
    let reads = 0;
    let inner = 0;
    while (frame !== 0) {
      if (circle.closes(frame)) return false;
      if (depth === DEEPEST) {
        into.tooDeep = true;
        return false;
      }
      if (frame % 8 !== 0) return false;
      let chunk = chunkOf(frame, current);
      let offset = 0;
      if (chunk < 0) {
        reads += 1;
        offset = into.used;
        if (reads > MOST_READS) {
          into.tooDeep = true;
          return false;
        }
        if (append(into, frame, frameBytes, frameBytes) < 0) return false;
        const inNewest = chunks > 0 && frame >= base[0]! && frame < base[0]! + size[0]!;
        // A frame in no chunk of the thread belongs to a stack that was put aside: greenlets have stacks of their own.
        if (bytes[offset + ownerField] === OWNED_BY_THREAD && !inNewest)
          while (chunk < 0 && addOlderChunk(into)) chunk = chunkOf(frame, chunks - 1);
      }
      if (chunk >= 0) {
        if (frame >= lowest[chunk]!) return false;
        lowest[chunk] = frame;
        current = chunk;
        offset = from[chunk]! + (frame - base[chunk]!);
      }
      const previous = pointerAt(words, offset + previousField);
      if (bytes[offset + ownerField]! < OWNED_BY_INTERPRETER) {
        const low = offset + codeField;
        into.code[depth] = ((words[low >> 2]! & codeMask) >>> 0) + words[(low >> 2) + 1]! * 0x1_0000_0000;
        into.instruction[depth] = pointerAt(words, offset + instructionField);
        into.frame[depth] = frame;
        into.offset[depth] = offset;
        // Its variables end where the next frame of its chunk begins.
        into.bytes[depth] =
          chunk >= 0 && depth > 0 && inner > frame && inner < frame + MOST_COMPARED
            ? inner - frame
            : frameBytes;
        if (chunk >= 0) inner = frame;
        depth += 1;
        into.outermost = frame;
        // The first slot of a thread's first chunk stays empty, so that the chunk is never freed.
        into.rooted =
          chunk >= 0 &&
          frame === base[chunk]! + chunkAt.data + 8 &&
          pointerAt(words, from[chunk]! + chunkAt.previous) === 0;
      }
      frame = previous;
    }
    into.depth = depth;
    return true;
  };

  return { copy, innermost };
}
