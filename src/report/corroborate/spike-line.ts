import type { LateTurn } from '../../simulator/index.js';
import { durationText } from '../duration-text.js';
import { percent } from '../share-text.js';
import { TURN_US } from './clock-offset.js';
import type { HeldStretch, LookedAt, Moment } from './held-stretches.js';
import type { Figure, Verdict } from './line.js';
import type { Sampled } from './sampled.js';
import { type Holder, holderOf } from './spike-holder.js';

/** One spike of an event loop's lag, held against what its thread did at that moment. */
export interface SpikeLine {
  /** When the loop was due and when it was back, in seconds since the window of the recording began. */
  readonly fromS: number;
  readonly toS: number;
  /** The end by the clock of the trace, in microseconds. */
  readonly atUs: number;
  /** How late the loop was, in microseconds. */
  readonly tableUs: number;
  /** How long samples saw no turn of it, in microseconds. */
  readonly samples: Required<Figure>;
  readonly verdict: Verdict;
  readonly held?: Holder;
  /** Where it does not agree, the likeliest reason. One sentence. Raw. */
  readonly reason?: string;
}

export interface SpikeFacts {
  readonly look: LookedAt;
  /** How far the clock of the recording is ahead of that of the trace. */
  readonly offsetUs: number;
  /** How long the task sleeps that looks how late the loop is. */
  readonly intervalUs: number;
  readonly sampled: Sampled;
}

interface Interval {
  readonly fromUs: number;
  readonly toUs: number;
}

export function spikeLine({ atUs, lagUs }: LateTurn, facts: SpikeFacts): SpikeLine {
  const { look, offsetUs, intervalUs } = facts;
  const doubtUs = look.intervalUs + TURN_US;
  const late: Interval = { fromUs: atUs - lagUs + offsetUs, toUs: atUs + offsetUs };
  // At both ends the loop turned: it was held for no longer than that, even where no sample saw the turn.
  const most: Interval = { fromUs: late.fromUs - intervalUs - doubtUs, toUs: late.toUs + doubtUs };
  const stretch = mostShared(look.stretches, late);
  const samples = stretch === undefined ? { value: 0, low: 0, high: 0 } : seenWithin(stretch, most);
  const held = holderIn(stretch, late, facts) ?? holderIn(stretch, most, facts);
  const unseenUs = longestUnseen(look.gaps, late);
  const verdict: Verdict =
    samples.low >= lagUs - 2 * doubtUs
      ? 'agrees'
      : unseenUs > Math.max(lagUs / 2, 2 * doubtUs)
        ? 'not-comparable'
        : samples.high >= Math.min(lagUs - TURN_US, MOSTLY * lagUs)
          ? 'agrees'
          : 'disagrees';
  return {
    fromS: late.fromUs / 1e6,
    toS: late.toUs / 1e6,
    atUs,
    tableUs: lagUs,
    samples,
    verdict,
    ...(held === undefined ? {} : { held }),
    ...(verdict === 'disagrees' ? { reason: whyLess(look.stretches, late) } : {}),
    ...(verdict === 'not-comparable'
      ? {
          reason: `no sample was taken for ${durationText(unseenUs)} of it: the machine had no CPU for the sampler either, or stood still`,
        }
      : {}),
  };
}

/** What held the loop in the samples of a stretch that reach into an interval. */
function holderIn(
  stretch: HeldStretch | undefined,
  { fromUs, toUs }: Interval,
  { look, sampled }: SpikeFacts,
): Holder | undefined {
  const { timeNs, weight } = sampled.profile.samples;
  const rows = (stretch?.rows ?? []).filter((row) => {
    const us = (timeNs?.[row] ?? 0) / 1000;
    return us + look.unitUs * ((weight[row] ?? 1) - 1) >= fromUs && us <= toUs;
  });
  return holderOf(sampled, rows);
}

/** What holds a loop for so much of its lag explains it: the kernel wakes it up some time after it is due. */
const MOSTLY = 0.9;
/** Held for so much of it by pieces, the loop was busy. */
const BUSY = 0.8;

function whyLess(stretches: readonly HeldStretch[], late: Interval): string {
  const pieces = stretches.map((one) => shared(one, late)).filter((us) => us > 0);
  const part = pieces.reduce((sum, us) => sum + us, 0) / (late.toUs - late.fromUs);
  if (part >= BUSY && pieces.length > 1)
    return 'samples saw the loop turn meanwhile: several callbacks held it one after the other, none of them for so long';
  return `the loop waited for its next turn in ${percent(1 - part)} of it: the kernel woke it late, or what was late is a loop in another thread`;
}

function middle({ lowUs, highUs }: Moment): number {
  return (lowUs + highUs) / 2;
}

/** Microseconds of a stretch inside an interval; below 0 where it lies outside. */
function shared({ start, end }: HeldStretch, { fromUs, toUs }: Interval): number {
  return Math.min(middle(end), toUs) - Math.max(middle(start), fromUs);
}

function mostShared(stretches: readonly HeldStretch[], late: Interval): HeldStretch | undefined {
  let best: HeldStretch | undefined;
  let mostUs = 0;
  for (const one of stretches) {
    const us = shared(one, late);
    if (us > mostUs) [best, mostUs] = [one, us];
  }
  return best;
}

function seenWithin({ start, end }: HeldStretch, { fromUs, toUs }: Interval): Required<Figure> {
  const length = (from: number, to: number): number =>
    Math.max(0, Math.min(to, toUs) - Math.max(from, fromUs));
  return {
    value: length(middle(start), middle(end)),
    low: length(start.highUs, end.lowUs),
    high: length(start.lowUs, end.highUs),
  };
}

/** The longest time without a sample that reaches into an interval, as far as it does. */
function longestUnseen(gaps: readonly Interval[], { fromUs, toUs }: Interval): number {
  return gaps.reduce(
    (most, gap) => Math.max(most, Math.min(gap.toUs, toUs) - Math.max(gap.fromUs, fromUs)),
    0,
  );
}
