import { type Frame, type Profile, SAMPLE_STATES, type SampleState } from '../../model/index.js';
import { functionText, threadName } from '../names.js';
import type { Sampled } from './sampled.js';

/** What a loop was held by: a function, a garbage collection in it, or that it could not run there for want of the GIL or a CPU. */
export type HolderKind = 'function' | 'gc' | 'gil-wait' | 'cpu-wait';

export interface Holder {
  readonly kind: HolderKind;
  /** Part of the samples, from 0 to 1. */
  readonly share: number;
  /** The innermost function. Raw. */
  readonly place?: string;
  /** The nearest function of the program's own code that it was called from. Raw. */
  readonly caller?: string;
  /** Thread that had the GIL meanwhile. Raw. */
  readonly thread?: string;
}

const WAITS: Readonly<Partial<Record<SampleState, HolderKind>>> = {
  'gil-wait': 'gil-wait',
  'cpu-wait': 'cpu-wait',
};

/** What most of these samples did, and where. Undefined without any. */
export function holderOf(sampled: Sampled, rows: readonly number[]): Holder | undefined {
  const { profile, claimOf } = sampled;
  const { stack, state, weight, holder } = profile.samples;
  const kindOf = (row: number): HolderKind => {
    const wait = WAITS[SAMPLE_STATES[state?.[row] ?? 0] ?? 'unknown'];
    return wait ?? (claimOf(stack[row] as number).bucket === 'gc' ? 'gc' : 'function');
  };
  const weigh = (row: number): number => weight[row] as number;
  const all = rows.reduce((sum, row) => sum + weigh(row), 0);
  const kind = heaviest(rows, kindOf, weigh);
  if (kind === undefined || !(all > 0)) return undefined;
  const own = rows.filter((row) => kindOf(row) === kind);
  const placeAt = (row: number): string => {
    const frame = leafFrame(profile, stack[row] as number);
    return frame === undefined ? '' : functionText(frame);
  };
  // What waits does so wherever it stands, also where it had been running.
  const standing = kind === 'gc' || kind === 'function' ? own : rows;
  const place = heaviest(standing, placeAt, weigh);
  const there = standing.filter((row) => placeAt(row) === place);
  const caller = heaviest(there, (row) => ownCaller(sampled, stack[row] as number) ?? '', weigh);
  const threadAt = (row: number): string => {
    const thread = profile.threads[holder?.[row] ?? -1];
    return thread === undefined ? '' : threadName(thread);
  };
  const thread = kind === 'gil-wait' ? heaviest(own, threadAt, weigh) : undefined;
  return {
    kind,
    share: own.reduce((sum, row) => sum + weigh(row), 0) / all,
    ...(place === undefined || place === '' ? {} : { place }),
    ...(caller === undefined || caller === '' ? {} : { caller }),
    ...(thread === undefined || thread === '' ? {} : { thread }),
  };
}

/** The key with the most weight; of equal ones the first by name. */
function heaviest<Key extends string>(
  rows: readonly number[],
  keyOf: (row: number) => Key,
  weigh: (row: number) => number,
): Key | undefined {
  const sums = new Map<Key, number>();
  for (const row of rows) sums.set(keyOf(row), (sums.get(keyOf(row)) ?? 0) + weigh(row));
  const [first] = [...sums].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return first?.[0];
}

function isCode({ kind }: Frame): boolean {
  return kind === 'python' || kind === 'js';
}

/** The innermost function of the program's language; where there is none, whatever the sampler named last. */
function leafFrame({ frames, stacks }: Profile, stack: number): Frame | undefined {
  for (let row = stack; row >= 0; row = stacks.parent[row] ?? -1) {
    const frame = frames[stacks.frame[row] ?? -1];
    if (frame !== undefined && isCode(frame)) return frame;
  }
  return frames[stacks.frame[stack] ?? -1];
}

function ownCaller({ profile, installed }: Sampled, stack: number): string | undefined {
  const { frames, stacks } = profile;
  const leaf = leafFrame(profile, stack);
  if (leaf === undefined || !isCode(leaf)) return undefined;
  const leafText = functionText(leaf);
  for (let row = stack; row >= 0; row = stacks.parent[row] ?? -1) {
    const frame = frames[stacks.frame[row] ?? -1];
    if (frame === undefined || !isCode(frame) || frame.file === undefined) continue;
    if (installed.has(frame.file) || isInstalled(frame.file)) continue;
    const text = functionText(frame);
    if (text !== leafText) return text;
  }
  return undefined;
}

const INSTALLED =
  /\/(?:site|dist)-packages\/|\/lib(?:64)?\/python\d\.\d{1,2}\/|(?:^|\/)node_modules\/|^node:|^</;

/** Whether a file, by its whole path, is of a package or of the language itself rather than of the program. */
export function isInstalled(path: string): boolean {
  return INSTALLED.test(path);
}
