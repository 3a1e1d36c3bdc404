import type { Frame, Profile } from '../../model/index.js';

const IDLE = '(idle)';

/** By row of the stack table: 1 where the stack is the wait of an event loop for its next turn (asyncio's in a selector, Node's idle one). */
export function loopWaits({ frames, stacks }: Profile): Uint8Array {
  const isSelect = frames.map((frame) => isFunction(frame, 'select', 'selectors.py'));
  const isTurn = frames.map((frame) => isFunction(frame, '_run_once', 'asyncio/base_events.py'));
  const isCode = frames.map(({ kind }) => kind === 'python' || kind === 'js');
  const isIdle = frames.map(({ name, kind }) => name === IDLE && (kind === 'marker' || kind === 'unknown'));
  const waits = new Uint8Array(stacks.length);
  /** The innermost row of code: native functions and markers below it are part of it. */
  const code = new Int32Array(stacks.length).fill(-1);
  for (let row = 0; row < stacks.length; row += 1) {
    const parent = stacks.parent[row] ?? -1;
    const frame = stacks.frame[row] ?? -1;
    const caller = parent < 0 ? -1 : (code[parent] as number);
    if (isCode[frame] !== true) {
      code[row] = caller;
      // A collection, too, is no code; V8 knows nothing below its idle.
      waits[row] = isIdle[frame] === true ? 1 : isCollection(frames[frame]) ? 0 : (waits[parent] ?? 0);
      continue;
    }
    code[row] = row;
    // What a callback waits for in a selector of its own holds the loop.
    if (isSelect[frame] === true && caller >= 0 && isTurn[stacks.frame[caller] ?? -1] === true)
      waits[row] = 1;
  }
  return waits;
}

function isFunction({ name, kind, file = '' }: Frame, wanted: string, place: string): boolean {
  const isNamed = name === wanted || name.endsWith(`.${wanted}`);
  return kind === 'python' && isNamed && (file === place || file.endsWith(`/${place}`));
}

function isCollection(frame: Frame | undefined): boolean {
  return frame?.name === '<GC>';
}

/** Threads that wait for turns of an event loop, as indexes into the profile's threads. */
export function loopThreads({ samples }: Profile, waits: Uint8Array): readonly number[] {
  const found = new Set<number>();
  for (let row = 0; row < samples.length; row += 1)
    if (waits[samples.stack[row] ?? -1] === 1) found.add(samples.thread[row] as number);
  return [...found].toSorted((a, b) => a - b);
}
