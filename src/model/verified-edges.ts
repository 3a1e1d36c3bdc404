import { PairTable } from './pair-table.js';
import type { Frame } from './frame.js';
import type { Profile } from './profile.js';

/**
 * The profile as it is drawn: a stack with a call that no verified sample has ends at its deepest caller without one. A stack that is
 * read while it changes may show calls that the program cannot make; such a sample still counts where its leaf is, so shares are never
 * taken from this profile. Tables stay as they are, only `samples.stack` differs; a profile that tells nothing of its edges is returned
 * as it is.
 *
 * A call is the line of the caller and the function that it calls: which line of that function runs makes no other call. What begins a
 * stack is called by nobody, so it always stays.
 */
export function withoutUnverifiedEdges(profile: Profile): Profile {
  const drawn = drawnRows(profile);
  if (drawn === undefined) return profile;
  const stack = profile.samples.stack.map((row) => (row < 0 ? row : (drawn[row] as number)));
  return { ...profile, samples: { ...profile.samples, stack } };
}

/** Part of the weight, 0 to 1, that `withoutUnverifiedEdges` ends early. */
export function unverifiedShare(profile: Profile): number {
  const drawn = drawnRows(profile);
  if (drawn === undefined) return 0;
  const { length, stack, weight } = profile.samples;
  let all = 0;
  let moved = 0;
  for (let row = 0; row < length; row += 1) {
    const at = stack[row] as number;
    all += weight[row] as number;
    if (at >= 0 && drawn[at] !== at) moved += weight[row] as number;
  }
  return all > 0 ? moved / all : 0;
}

/** By row of the stack table, where a stack ends when it is drawn; undefined for a profile that tells nothing of its edges. */
export function drawnRows({ stacks, frames }: Pick<Profile, 'stacks' | 'frames'>): Int32Array | undefined {
  const { length, parent, frame, verified } = stacks;
  if (verified === undefined) return undefined;
  const functionOf = functionNumbers(frames);
  const calls = new PairTable();
  const callOf = new Int32Array(length).fill(-1);
  for (let row = 0; row < length; row += 1) {
    const above = parent[row] as number;
    if (above < 0) continue;
    callOf[row] = calls.intern(frame[above] as number, functionOf[frame[row] as number] as number);
  }
  const seen = new Uint8Array(calls.length);
  for (let row = 0; row < length; row += 1) {
    if (verified[row] === 1 && (callOf[row] as number) >= 0) seen[callOf[row] as number] = 1;
  }
  const drawn = new Int32Array(length);
  for (let row = 0; row < length; row += 1) {
    const above = parent[row] as number;
    const whole = above < 0 || (drawn[above] === above && seen[callOf[row] as number] === 1);
    drawn[row] = whole ? row : (drawn[above] as number);
  }
  return drawn;
}

function functionNumbers(frames: readonly Frame[]): Int32Array {
  const numbers = new Map<string, number>();
  return Int32Array.from(frames, ({ kind, name, file, module }) => {
    const key = [kind, name, file ?? '', module ?? ''].join('\0');
    const known = numbers.get(key) ?? numbers.size;
    numbers.set(key, known);
    return known;
  });
}
