import { type Frame, NO_STATES, type Profile, type StateWeights, addStates } from '../../model/index.js';
import { type Claim, leafState } from '../../rules/index.js';
import {
  FLOOR,
  type LeafCounts,
  countingHalfWidth,
  interval,
  leafKind,
  poolShare,
  stateShares,
} from '../../stats/index.js';
import type { ThreadAnswer } from '../answer.js';
import { functionText } from '../names.js';
import { type Pooled, leavesOf } from '../selection.js';
import type { Figure } from './line.js';

/** One thread of a recording, as far as tables are held against it. */
export interface SampledThread {
  readonly answer: ThreadAnswer;
  /** Its samples, pooled by stack. */
  readonly pooled: readonly Pooled[];
}

/** A recording, as far as tables are held against it. */
export interface Sampled {
  readonly profile: Profile;
  readonly claimOf: (stack: number) => Claim;
  /** Those with samples; the physics thread, or the busiest, first. */
  readonly threads: readonly SampledThread[];
  /** Whether the first is known to be the physics thread. */
  readonly physicsKnown: boolean;
  /** Seconds sampled. */
  readonly wallS: number;
  /** The start-up of a program, not its loop. */
  readonly isLoad: boolean;
  /** Part of the time for which the sampler held the whole process, to read its stacks: a clock in the process runs on meanwhile. */
  readonly stopped: number;
  /** Steps that a probe counted meanwhile; absent where there was none. */
  readonly stepsPerS?: number;
  /** Files of frames that belong to installed packages or to the language itself rather than to the program. */
  readonly installed: ReadonlySet<string>;
  /** Command line of the target. */
  readonly command: readonly string[];
}

/**
 * Twenty lines are held against their intervals at once: with intervals of 95 % each, one of them would miss by chance alone. Counting noise is
 * allowed this much more, so that all twenty hold together in 95 of 100 recordings (3.02 standard deviations for 1.96).
 */
export const TOGETHER = 3.02 / 1.96;

/** Which of a thread's time counts: all of its wall time, or without what it waited for the GIL. */
export type Counted = 'wall' | 'without-gil';

/**
 * Share of wall time that a thread spent in some of its stacks, waits included: what a clock around a call measures. Samples that know their
 * state tell the waits; of others the interval allows for all waits of the thread to have been there.
 */
export function wallShare(
  { answer: { estimate }, pooled }: SampledThread,
  chosen: readonly Pooled[],
  sampled: Pick<Sampled, 'claimOf' | 'stopped'>,
  counted: Counted = 'wall',
): Required<Figure> {
  const { pools, totals } = estimate;
  const waits = totals === undefined ? 0 : totals.cpuWait + (totals.gilWait ?? 0);
  if (estimate.states !== undefined && pooled.every(({ states }) => states !== undefined)) {
    const states = statesOf(chosen);
    const shares = stateShares(estimate, states);
    const gil = counted === 'wall' ? shares['gil-wait'].share : 0;
    const value =
      shares.running.share + shares['cpu-wait'].share + shares.sleep.share + shares.blocked.share + gil;
    const all = weightOf(pooled);
    const own = weightOf(chosen) - (counted === 'wall' ? 0 : states['gil-wait']);
    const margin = TOGETHER * countingHalfWidth(own, all) + FLOOR + pools.bias;
    return asFigure(interval(value, margin, margin + pools.lost.share));
  }
  const leaves = chosen.map((entry) => leavesOf(entry, (stack) => leafOf(sampled.claimOf(stack))));
  const sum = (kind: keyof LeafCounts): number => leaves.reduce((total, one) => total + one[kind], 0);
  const found = poolShare(pools, {
    work: sum('work'),
    sleep: sum('sleep'),
    wait: sum('wait'),
    gil: sum('gil'),
  });
  const counting = countingHalfWidth(weightOf(chosen), weightOf(pooled));
  // Nothing was seen, which is not nothing.
  const least = TOGETHER * counting + FLOOR + pools.bias;
  const wider = (TOGETHER - 1) * counting;
  // Net shares leave out waits that the clock had; shares of the wall may hold a wait for the GIL that it had not.
  const more = pools.mode === 'net' ? Math.min(waits, 1 - found.share) : 0;
  const less = counted === 'without-gil' && pools.mode !== 'net' ? (totals?.gilWait ?? 0) : 0;
  return {
    value: found.share,
    low: Math.max(0, (found.low - wider - less) * (1 - sampled.stopped)),
    high: Math.min(1, Math.max(found.high + wider, found.share + least) + more + sampled.stopped),
  };
}

function leafOf(claim: Claim): keyof LeafCounts {
  return leafKind(claim.bucket, leafState(claim));
}

function asFigure({ share, low, high }: ReturnType<typeof interval>): Required<Figure> {
  return { value: share, low, high };
}

export function statesOf(entries: readonly Pooled[]): StateWeights {
  return addStates(entries.map(({ states }) => states ?? NO_STATES));
}

export function weightOf(entries: readonly Pooled[]): number {
  return entries.reduce((sum, { weight }) => sum + weight, 0);
}

/** By row of the stack table: the outermost frame of the row's stack that fits, as an index into the frames, or -1. */
export function outermost({ frames, stacks }: Profile, fits: (frame: Frame) => boolean): Int32Array {
  const isFit = Uint8Array.from(frames, (frame) => (fits(frame) ? 1 : 0));
  const found = new Int32Array(stacks.length).fill(-1);
  for (let row = 0; row < stacks.length; row += 1) {
    const above = found[stacks.parent[row] ?? -1] ?? -1;
    const own = stacks.frame[row] ?? -1;
    found[row] = above >= 0 ? above : isFit[own] === 1 ? own : -1;
  }
  return found;
}

/** `post_step` of `ImuPlugin.post_step`. */
export function bareName({ name }: Frame): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** The function of Python or JavaScript at the end of a stack in which most of some weight was spent; raw. */
export function heaviestPlace(
  { frames, stacks }: Profile,
  entries: readonly Pooled[],
  weigh: (entry: Pooled) => number,
): { readonly text: string; readonly weight: number } | undefined {
  const sums = new Map<string, number>();
  for (const entry of entries) {
    const weight = weigh(entry);
    if (weight === 0) continue;
    let row = entry.stack;
    while (row >= 0 && !isCode(frames[stacks.frame[row] ?? -1])) row = stacks.parent[row] ?? -1;
    const frame = frames[stacks.frame[row] ?? -1];
    if (frame === undefined) continue;
    const text = functionText(frame);
    sums.set(text, (sums.get(text) ?? 0) + weight);
  }
  const [first] = [...sums].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return first === undefined ? undefined : { text: first[0], weight: first[1] };
}

function isCode(frame: Frame | undefined): boolean {
  return frame?.kind === 'python' || frame?.kind === 'js';
}

/** Why a sampler that stops the process makes figures differ. */
export const STOPPED =
  'py-spy --native stops the whole process for each sample, so that steps take longer while it records than in the rest of the run';
