/**
 * Stacks of CPython 3.8 to 3.10: a list of frame objects on the heap. They come from few places, since frames are kept for reuse:
 * what lay close together last time is copied in one read, and the rest is read frame by frame.
 */
import { Circle } from './circle.js';
import type { Layout } from './layout.js';
import { block, pointerAt, type Memory } from './memory.js';
import { DEEPEST, GONE, LARGEST_COPY, type StackCopy, type StackSource } from './stack-copy.js';

/** Variables of a frame that are copied with it, so that two copies can be told apart. */
const COMPARED_SLOTS = 8;
/** Frames that lie this close are read together: four pages more cost no more than a read. */
const GAP_BYTES = 16 * 1024;
/** Places of frames that are not on the stack now: functions take turns, and each has its place. */
const MOST_EARLIER = 32;
/** Of places that frames had, the most that are remembered. */
const MOST_REMEMBERED = 4096;
const MOST_THREADS = 4096;

/** Where frames of a thread lay, as spans of memory; the one with the innermost frame comes first. */
interface Places {
  readonly frames: Float64Array;
  readonly start: readonly number[];
  readonly length: readonly number[];
}

const NO_PLACES: Places = { frames: new Float64Array(0), start: [], length: [] };

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
  const placesOf = new Map<number, Places>();
  let frameType = 0;
  // The spans of the copy at hand: address, bytes that were copied, offset in its memory.
  const spanStart: number[] = [];
  const spanLength: number[] = [];
  const spanOffset: number[] = [];

  const innermost = (thread: number): number => {
    if (memory.read(threadBlock, 0, threadBytes, thread) < threadBytes) return -1;
    if (!isInterpreter(pointerAt(threadBlock.words, threadAt.interpreter))) throw GONE;
    return pointerAt(threadBlock.words, frameField);
  };

  /** False where the places are no longer mapped. */
  const copyPlaces = ({ start, length }: Places, into: StackCopy): boolean => {
    spanStart.length = 0;
    spanLength.length = 0;
    spanOffset.length = 0;
    try {
      for (let at = 0; at < start.length; at += 1) {
        spanStart.push(start[at]!);
        spanOffset.push(into.used);
        spanLength.push(memory.read(into.memory, into.used, length[at]!, start[at]!));
        into.used += length[at]!;
      }
      return true;
    } catch {
      spanLength.length = spanStart.length - 1;
      return false;
    }
  };

  const spanOf = (frame: number, first: number): number => {
    const count = spanLength.length;
    for (let step = 0; step < count; step += 1) {
      const at = first + step < count ? first + step : first + step - count;
      const offset = frame - spanStart[at]!;
      if (offset >= 0 && offset + headBytes <= spanLength[at]!) return at;
    }
    return -1;
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
    if (frame < 0) return false;
    const places = placesOf.get(thread) ?? NO_PLACES;
    // At once: where it stands a moment later is where it stood only as long as it calls nobody. What it was in the middle of would be
    // taken for its next call.
    const innermostBytes = frame % 8 === 0 ? memory.read(into.memory, 0, frameBytes, frame) : 0;
    into.used = frameBytes;
    let missed = !copyPlaces(places, into);
    const { words, bytes } = into.memory;
    let depth = 0;
    let span = 0;
    while (frame !== 0) {
      if (circle.closes(frame)) return false;
      if (depth === DEEPEST) {
        into.tooDeep = true;
        return false;
      }
      if (frame % 8 !== 0) return false;
      const found = spanOf(frame, span);
      let offset = into.used;
      let count = 0;
      if (depth === 0) {
        if (found < 0) missed = true;
        offset = 0;
        count = innermostBytes;
      } else if (found >= 0) {
        span = found;
        offset = spanOffset[found]! + (frame - spanStart[found]!);
        count = spanLength[found]! - (frame - spanStart[found]!);
      } else {
        if (offset + frameBytes > LARGEST_COPY) {
          into.tooDeep = true;
          return false;
        }
        count = memory.read(into.memory, offset, frameBytes, frame);
        into.used += frameBytes;
        missed = true;
      }
      if (count < headBytes) return false;
      // A freed frame keeps its code and its caller, and loses its references; one that has yielded keeps them, and does not run.
      // A call that has returned since the innermost frame was read: to leave it out would leave out short calls.
      const isFreed = words[offset >> 2] === 0 && words[(offset >> 2) + 1] === 0;
      into.moved ||= isFreed;
      const type = pointerAt(words, offset + object.type);
      if (frameType === 0) frameType = type;
      if (type !== frameType) {
        if (depth === 0) frameType = 0;
        return false;
      }
      into.frame[depth] = frame;
      into.offset[depth] = offset;
      // Behind the last slot lies what belongs to others.
      const slots = pointerAt(words, offset + object.length);
      into.bytes[depth] = Math.max(headBytes, Math.min(count, frameBytes, frameAt.locals + 8 * slots));
      frame = pointerAt(words, offset + frameAt.previous);
      // The innermost one may be about to begin, or have just ended.
      if (!isFreed && (depth > 0 || frame === 0) && bytes[offset + runningField] !== runningValue)
        return false;
      into.code[depth] = pointerAt(words, offset + frameAt.code);
      into.instruction[depth] = (words[(offset + lastField) >> 2]! | 0) * instructionBytes;
      depth += 1;
    }
    into.outermost = into.code[depth - 1]!;
    into.depth = depth;
    if (missed) {
      if (placesOf.size > MOST_THREADS) placesOf.clear();
      placesOf.set(thread, placesFrom(into, places, frameBytes));
    }
    return true;
  };

  return { copy, innermost };
}

/** The places of a stack's frames, and of those before it. */
function placesFrom({ depth, frame }: StackCopy, before: Places, frameBytes: number): Places {
  const now = frame.subarray(0, Math.min(depth, MOST_REMEMBERED));
  const inner = new Map<number, number>();
  for (let at = now.length - 1; at >= 0; at -= 1) inner.set(now[at]!, at);
  const earlier = before.frames.filter((address) => !inner.has(address)).subarray(0, MOST_EARLIER);
  const frames = new Float64Array(now.length + earlier.length);
  frames.set(now);
  frames.set(earlier, now.length);
  const spans: { start: number; length: number; order: number }[] = [];
  let last: { start: number; length: number; order: number } | undefined;
  for (const address of frames.toSorted()) {
    const order = inner.get(address) ?? DEEPEST;
    if (last !== undefined && address <= last.start + last.length + GAP_BYTES) {
      last.length = address - last.start + frameBytes;
      last.order = Math.min(last.order, order);
    } else {
      last = { start: address, length: frameBytes, order };
      spans.push(last);
    }
  }
  spans.sort((one, other) => one.order - other.order);
  return { frames, start: spans.map(({ start }) => start), length: spans.map(({ length }) => length) };
}
