import type { Profile } from '../model/index.js';
import { bucketText } from '../report/index.js';
import type { Claim } from '../rules/index.js';

/** Waits that are rows of their own in a breakdown by states. */
export const WAITS = ['gil-wait', 'cpu-wait'] as const;
export type Wait = (typeof WAITS)[number];

/** A profile in which stacks that waited have a leaf that says so. */
export interface WaitLeaves {
  /** The same samples; frames and stacks are added behind those that there were. */
  readonly profile: Profile;
  /** Row of a stack with its wait below it; of no usable stack (-1) the wait alone. The stack itself where it was not asked for. */
  readonly rowOf: (stack: number, wait: Wait) => number;
  /** What decides the bucket of an added row. */
  readonly claimOf: (row: number) => Claim | undefined;
}

/** Adds a leaf below each of these stacks (rows of the stack table, -1: none), once. */
export function withWaitLeaves(
  profile: Profile,
  waited: Iterable<readonly [stack: number, wait: Wait]>,
): WaitLeaves {
  const { stacks, frames } = profile;
  const rows = new Map(WAITS.map((wait) => [wait, new Map<number, number>()]));
  const added: { readonly parent: number; readonly wait: Wait }[] = [];
  for (const [stack, wait] of waited) {
    const known = rows.get(wait);
    if (known === undefined || known.has(stack)) continue;
    known.set(stack, stacks.length + added.length);
    added.push({ parent: stack, wait });
  }
  if (added.length === 0) return { profile, rowOf: (stack) => stack, claimOf: () => undefined };
  const length = stacks.length + added.length;
  const parent = new Int32Array(length);
  const frame = new Int32Array(length);
  parent.set(stacks.parent);
  frame.set(stacks.frame);
  for (const [at, { parent: above, wait }] of added.entries()) {
    parent[stacks.length + at] = above;
    frame[stacks.length + at] = frames.length + WAITS.indexOf(wait);
  }
  const claims = added.map(({ parent: above, wait }): Claim => ({
    bucket: wait,
    frame: depthOf(parent, above),
  }));
  return {
    profile: {
      ...profile,
      frames: [...frames, ...WAITS.map((wait) => ({ name: bucketText(wait), kind: 'marker' }) as const)],
      stacks: { length, parent, frame },
    },
    rowOf: (stack, wait) => rows.get(wait)?.get(stack) ?? stack,
    claimOf: (row) => claims[row - stacks.length],
  };
}

/** Frames of a stack: the place of what is added below it. */
function depthOf(parent: Int32Array, stack: number): number {
  let depth = 0;
  for (let row = stack; row >= 0; row = parent[row] as number) depth += 1;
  return depth;
}
