import type { Frame, Profile } from '../model/index.js';
import { placeOf } from './place.js';

/** Frames by function: those that differ in their line alone are one. */
export interface Functions {
  /** Number of the function, by frame. */
  readonly of: Int32Array;
  /** By function: a frame of it, without its line. */
  readonly frames: readonly Frame[];
}

/** The functions of a profile. */
export function functionsOf({ frames: all }: Pick<Profile, 'frames'>): Functions {
  const numbers = new Map<string, number>();
  const frames: Frame[] = [];
  const of = Int32Array.from(all, (frame) => {
    const { key } = placeOf(frame, 'function');
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const { line: _, sourceText: __, ...bare } = frame;
    numbers.set(key, frames.length);
    return frames.push(bare) - 1;
  });
  return { of, frames };
}

/** Code without a symbol: two such frames may be any two functions, so neither calls itself. */
export function isUnresolved({ name, module }: Frame): boolean {
  return name === '[unknown]' || name === `[${module}]` || /^0x[\da-f]+$/.test(name);
}
