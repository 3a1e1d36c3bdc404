import type { Frame } from '../model/index.js';
import type { SpeedscopeFrame } from './speedscope-file.js';

/** The table of frames of one file; equal frames are kept once, whichever profile they are of. */
export class SpeedscopeFrames {
  readonly list: SpeedscopeFrame[] = [];
  readonly #byKey = new Map<string, number>();

  /** Index of the frame, added if it is new. */
  index(frame: SpeedscopeFrame): number {
    const key = `${frame.name}\0${frame.file ?? ''}\0${frame.line ?? ''}`;
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const added = this.list.push(frame) - 1;
    this.#byKey.set(key, added);
    return added;
  }

  /** Index of what stands for something that is no code. */
  marker(name: string): number {
    return this.index({ name });
  }

  /** Indexes of frames of a profile, each looked up once; a mark is appended to the name, in brackets. */
  of(frames: readonly Frame[]): (frame: number, mark?: string) => number {
    const plain = new Int32Array(frames.length).fill(-1);
    const marked = new Map<string, Int32Array>();
    return (frame, mark) => {
      let known: Int32Array = plain;
      if (mark !== undefined) {
        known = marked.get(mark) ?? new Int32Array(frames.length).fill(-1);
        marked.set(mark, known);
      }
      if (known[frame] === -1) known[frame] = this.index(shown(frames[frame], mark));
      return known[frame] ?? -1;
    };
  }
}

function shown(frame: Frame | undefined, mark: string | undefined): SpeedscopeFrame {
  const { name, kind, file, module, line } = frame ?? { name: '?', kind: 'unknown' };
  // As in folded text: code of the kernel is told by its mark where no library says so.
  const called = kind === 'kernel' && file === undefined && module === undefined ? `${name}_[k]` : name;
  const place = file ?? module;
  return {
    name: mark === undefined ? called : `${called} [${mark}]`,
    ...(place === undefined ? {} : { file: place }),
    ...(line === undefined ? {} : { line }),
  };
}
