import type { Frame, Profile, Thread } from '../../src/model/index.js';
import { parseFoldedFrames } from '../../src/rules/folded-frames.js';

const THREAD = /^thread \((\d+)\)(?:: (.*))?$/;

/**
 * A profile out of folded lines `stack count`, in the notation of the rules' examples. A first frame `thread (12): name`,
 * or one of `threadNames`, becomes the thread; such a line without further frames is a sample without a stack.
 */
export function profileOf(lines: readonly string[], threadNames: readonly string[] = []): Profile {
  const frames: Frame[] = [];
  const frameIndex = new Map<string, number>();
  const parent: number[] = [];
  const frame: number[] = [];
  const rows = new Map<string, number>();
  const threads: Thread[] = [];
  const threadIndex = new Map<string, number>();
  const samples: { stack: number; thread: number; weight: number }[] = [];
  for (const line of lines) {
    const blank = line.lastIndexOf(' ');
    const parts = line.slice(0, blank).split(';');
    const [first = ''] = parts;
    const match = THREAD.exec(first);
    const named = match !== null || threadNames.includes(first);
    const key = named ? first : '';
    let thread = threadIndex.get(key);
    if (thread === undefined) {
      const name = match === null ? key : match[2];
      thread =
        threads.push({
          ...(match === null ? {} : { tid: Number(match[1]) }),
          ...(name === undefined || name === '' ? {} : { name }),
        }) - 1;
      threadIndex.set(key, thread);
    }
    let stack = -1;
    for (const text of named ? parts.slice(1) : parts) {
      let f = frameIndex.get(text);
      if (f === undefined) {
        f = frames.push(parseFoldedFrames(text)[0]!) - 1;
        frameIndex.set(text, f);
      }
      const rowKey = `${stack} ${f}`;
      let row = rows.get(rowKey);
      if (row === undefined) {
        row = parent.push(stack) - 1;
        frame.push(f);
        rows.set(rowKey, row);
      }
      stack = row;
    }
    samples.push({ stack, thread, weight: Number(line.slice(blank + 1)) });
  }
  return {
    unit: 'samples',
    frames,
    stacks: { length: parent.length, parent: Int32Array.from(parent), frame: Int32Array.from(frame) },
    samples: {
      length: samples.length,
      stack: Int32Array.from(samples, (s) => s.stack),
      thread: Int32Array.from(samples, (s) => s.thread),
      weight: Float64Array.from(samples, (s) => s.weight),
    },
    threads,
    origin: { format: 'test' },
    lost: { samples: 0, lines: 0, examples: [] },
  };
}

/** Samples of one thread, as the report pools them. */
export function poolOf(
  profile: Profile,
  thread: number,
): readonly { readonly stack: number; readonly weight: number }[] {
  return Array.from({ length: profile.samples.length }, (_, i) => i)
    .filter((i) => profile.samples.thread[i] === thread)
    .map((i) => ({ stack: profile.samples.stack[i]!, weight: profile.samples.weight[i]! }));
}
