import type { LateTurn, LateTurns } from '../../simulator/index.js';
import type { HeldStretch, LookedAt } from './held-stretches.js';

/** How far the clock of a recording is ahead of that of a trace. */
export interface ClockOffset {
  readonly us: number;
  /** Half of the time in which all that fits would fit as well. */
  readonly doubtUs: number;
}

/** What came of the search for the offset between two clocks. */
export interface OffsetSearch {
  /** There where it is believed. */
  readonly offset?: ClockOffset;
  /** Spikes that find a stretch of their length at their moment, of those that were looked for inside the recording. */
  readonly fits: number;
  readonly inside: number;
  /** The next best offset: how many fit there, and how far away it is. */
  readonly next?: { readonly fits: number; readonly awayUs: number };
  /** Spikes that were looked for: the longest. */
  readonly looked: number;
}

/** What a program does between the end of what held it and its own look at the clock. */
export const TURN_US = 2000;
/** Fewer prove nothing. */
export const LEAST_FITS = 3;
/** Longer ones tell more, and the search grows with their product. */
const MOST_SPIKES = 100;
const MOST_STRETCHES = 1000;
/** From such a part of the best on, another offset fits nearly as many. */
const NEARLY = 0.6;
/** Less is enough where it explains nearly all that it has inside: of periodic spikes each shift does. */
const RIVAL = 1 / 3;

/** A stretch of offsets at which the same spikes fit. */
interface Candidate {
  readonly fromUs: number;
  readonly toUs: number;
  readonly fits: number;
}

/**
 * Finds how far two clocks are apart, by nothing but when an event loop was late and when its thread was held. Of a program whose spikes
 * come periodically several offsets fit, and none is believed.
 */
export function findOffset(
  { each, intervalUs }: Pick<LateTurns, 'each' | 'intervalUs'>,
  look: LookedAt,
): OffsetSearch {
  const spikes = telling(each, look);
  const stretches = look.stretches
    .toSorted((a, b) => leastLength(b) - leastLength(a))
    .slice(0, MOST_STRETCHES);
  const insideAt = counterOf(spikes, look);
  const candidates = countFits(spikes, stretches, intervalUs);
  const isBelievable = (one: Candidate): boolean =>
    one.fits >= LEAST_FITS && one.fits * 2 > insideAt(middle(one));
  const best = bestOf(candidates.filter(isBelievable)) ?? bestOf(candidates);
  if (best === undefined) return { fits: 0, inside: 0, looked: spikes.length };
  const at = middle(best);
  // Twice as far as any one fit may be off.
  const apartUs = 2 * (look.intervalUs + TURN_US);
  const others = candidates.filter((one) => one.fromUs > at + apartUs || one.toUs < at - apartUs);
  const rival = others.find(
    (one) =>
      (one.fits >= 2 && one.fits >= NEARLY * best.fits) ||
      (one.fits >= RIVAL * best.fits && isBelievable(one)),
  );
  const next = rival === undefined ? bestOf(others) : bestOf(others.filter(({ fits }) => fits >= rival.fits));
  return {
    ...(isBelievable(best) && rival === undefined
      ? { offset: { us: at, doubtUs: (best.toUs - best.fromUs) / 2 } }
      : {}),
    fits: best.fits,
    // One at the very edge fits to within the doubt.
    inside: Math.max(insideAt(at), best.fits),
    looked: spikes.length,
    ...(next === undefined ? {} : { next: { fits: next.fits, awayUs: Math.abs(middle(next) - at) } }),
  };
}

/** The longest: those that some samples fall into, where there are enough of them. */
function telling(each: readonly LateTurn[], { intervalUs }: LookedAt): readonly LateTurn[] {
  const longest = each.toSorted((a, b) => b.lagUs - a.lagUs).slice(0, MOST_SPIKES);
  const seen = longest.filter(({ lagUs }) => lagUs >= 2 * (intervalUs + TURN_US));
  return seen.length >= LEAST_FITS ? seen : longest;
}

function leastLength({ start, end }: HeldStretch): number {
  return end.lowUs - start.highUs;
}

/** How many spikes lie in the recording as a whole, by the offset. */
function counterOf(spikes: readonly LateTurn[], { fromUs, toUs }: LookedAt): (offsetUs: number) => number {
  return (offsetUs) =>
    spikes.filter(({ atUs, lagUs }) => atUs - lagUs + offsetUs >= fromUs && atUs + offsetUs <= toUs).length;
}

/** Whether a stretch may be what made the loop so late. The look at the clock was due at some moment of the sleep before it. */
export function isOfLength(
  { start, end }: Pick<HeldStretch, 'start' | 'end'>,
  lagUs: number,
  intervalUs: number,
): boolean {
  const least = end.lowUs - start.highUs;
  const most = end.highUs - start.lowUs;
  return most >= lagUs - TURN_US && least <= lagUs + intervalUs + TURN_US;
}

/** Each stretch in which the same spikes fit, with their number: from the offsets at which one of them begins or ceases to fit. */
function countFits(
  spikes: readonly LateTurn[],
  stretches: readonly HeldStretch[],
  intervalUs: number,
): readonly Candidate[] {
  const marks: { readonly us: number; readonly spike: number; readonly change: 1 | -1 }[] = [];
  for (const [spike, { atUs, lagUs }] of spikes.entries())
    for (const stretch of stretches)
      if (isOfLength(stretch, lagUs, intervalUs)) {
        marks.push({ us: stretch.end.lowUs - atUs - TURN_US, spike, change: 1 });
        marks.push({ us: stretch.end.highUs - atUs + TURN_US, spike, change: -1 });
      }
  marks.sort((a, b) => a.us - b.us || b.change - a.change);
  // Two stretches may fit one spike at one offset: that is one fit.
  const open = new Int32Array(spikes.length);
  const found: Candidate[] = [];
  let fits = 0;
  for (const [at, { us, spike, change }] of marks.entries()) {
    const before = open[spike] as number;
    open[spike] = before + change;
    if (change === 1 && before === 0) fits += 1;
    if (change === -1 && before === 1) fits -= 1;
    const toUs = marks[at + 1]?.us;
    if (toUs !== undefined && toUs > us && fits > 0) found.push({ fromUs: us, toUs, fits });
  }
  return found;
}

/** The most fits; of equal ones the widest. */
function bestOf(candidates: readonly Candidate[]): Candidate | undefined {
  let best: Candidate | undefined;
  for (const one of candidates)
    if (
      best === undefined ||
      one.fits > best.fits ||
      (one.fits === best.fits && one.toUs - one.fromUs > best.toUs - best.fromUs)
    )
      best = one;
  return best;
}

function middle({ fromUs, toUs }: Candidate): number {
  return (fromUs + toUs) / 2;
}
