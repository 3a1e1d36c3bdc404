/**
 * The real-time factor from messages of `/clock` (rosgraph_msgs/Clock), each stamped as it came by a clock that never jumps. Messages come
 * late, never early, and some come in bursts: so the factor is what simulated time went between two messages, one near each end, that came
 * least late. Whatever lies between them is in it, stalls too: the slope that most of the messages share would leave those out.
 */
import { type Finding, ProfilerError, firstWhere } from '../model/index.js';
import type { Bounded } from './two-runs.js';

/** One message. Both times are nanoseconds, each from an origin of its own. */
export interface ClockSample {
  readonly receiveNs: number;
  readonly simNs: number;
  /** Tells publishers apart, where the subscriber knows. */
  readonly publisher?: string;
}

export interface ClockFactor {
  readonly factor: Bounded;
  /** Seconds of wall time that it is of. */
  readonly windowS: number;
  readonly simS: number;
  /** Messages that it was taken from. */
  readonly messages: number;
  /** Simulated seconds in each whole second of the window; of a short window none. */
  readonly perSecond: readonly number[];
  readonly findings: readonly Finding[];
}

interface ClockFacts {
  /** When the subscriber stopped listening, on the clock of `receiveNs`: a simulation that stands still sends nothing more. */
  readonly endNs?: number;
}

const FEWEST = 10;
const SHORTEST_NS = 1e9;
/** What stands still for less is a long step. */
const PAUSE_NS = 5e8;
const BURST_NS = 5e7;
/** What nobody is told of is shorter than that, and less of the window. */
const LONG_BURST_NS = 2.5e8;
const MANY_BURSTS = 0.05;
/** Times the usual distance of messages. */
const UNUSUAL = 5;
/** Messages near an end of the window, of which the least late is taken. */
const END_NS = 1e9;
const END_SHARE = 0.1;
const FEWEST_AT_END = 5;
/** A leap of simulated time is so many times faster than the rest, and longer than that. */
const LEAP = 20;
const LEAP_NS = 1e9;

/**
 * Throws ProfilerError `clock-too-few` where there are too few messages, and `clock-several-publishers` where several write at once and
 * cannot be told apart.
 */
export function clockFactor(all: readonly ClockSample[], { endNs }: ClockFacts = {}): ClockFactor {
  const own = ofOnePublisher(all);
  // The first message after discovery may have waited in a queue for us.
  const { stretch, findings: jumps } = longestStretch(own.samples.slice(1));
  if (stretch.length < FEWEST && own.samples.length >= 3 * FEWEST && jumps.length > 0)
    throw interleaved(own.samples.length);
  const last = stretch.at(-1);
  const isLastStretch = last !== undefined && last === own.samples.at(-1);
  const moving = whereItMoves(stretch, isLastStretch ? endNs : undefined);
  const [first] = stretch;
  const wallNs = (moving.at(-1)?.receiveNs ?? 0) - (first?.receiveNs ?? 0);
  if (stretch.length < FEWEST || wallNs < SHORTEST_NS) throw tooFew(own.samples.length, wallNs);
  const common = { messages: stretch.length, findings: [...own.findings, ...jumps] };
  if (new Set(moving.map(({ simNs }) => simNs)).size === 1)
    return {
      ...common,
      factor: { value: 0, low: 0, high: 0 },
      windowS: wallNs / 1e9,
      simS: 0,
      perSecond: [],
      findings: [...common.findings, standsStill(wallNs / 1e9)],
    };
  const ends = leastLate(moving);
  const value = slope(ends.first, ends.last);
  const windowNs = ends.last.receiveNs - ends.first.receiveNs;
  const part = ends.lateNs / windowNs;
  return {
    ...common,
    factor: { value, low: value * (1 - Math.min(1, part)), high: value * (1 + part) },
    windowS: windowNs / 1e9,
    simS: (ends.last.simNs - ends.first.simNs) / 1e9,
    perSecond: perSecond(moving, ends.first.receiveNs, ends.last.receiveNs),
    findings: [...common.findings, ...gapFindings(moving)],
  };
}

function slope(from: ClockSample, to: ClockSample): number {
  return (to.simNs - from.simNs) / (to.receiveNs - from.receiveNs);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/** From each sample to the next. */
function steps(samples: readonly ClockSample[]): readonly (readonly [ClockSample, ClockSample])[] {
  return samples.slice(1).flatMap((sample, index) => {
    const before = samples[index];
    return before === undefined ? [] : [[before, sample] as const];
  });
}

interface Chosen {
  readonly samples: readonly ClockSample[];
  readonly findings: readonly Finding[];
}

/** Where publishers can be told apart, the messages of the one that sent most. */
function ofOnePublisher(samples: readonly ClockSample[]): Chosen {
  const counts = new Map<string | undefined, number>();
  for (const { publisher } of samples) counts.set(publisher, (counts.get(publisher) ?? 0) + 1);
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  if (counts.size < 2 || most === undefined) return { samples, findings: [] };
  const [chosen, count] = most;
  return {
    samples: samples.filter(({ publisher }) => publisher === chosen),
    findings: [
      {
        level: 'warning',
        id: 'clock-several-publishers',
        what: `${counts.size} publishers write to the clock; this is the one that sent most (${count} of ${samples.length} messages).`,
        why: 'Whoever uses simulated time gets both, and its time jumps to and fro.',
        fix: 'ros2 topic info /clock --verbose',
      },
    ],
  };
}

/** The longest time without a jump of simulated time. */
function longestStretch(samples: readonly ClockSample[]): {
  readonly stretch: readonly ClockSample[];
  readonly findings: readonly Finding[];
} {
  const usual = steps(samples).filter(([a, b]) => b.simNs > a.simNs);
  const distance = {
    simNs: median(usual.map(([a, b]) => b.simNs - a.simNs)),
    receiveNs: median(usual.map(([a, b]) => b.receiveNs - a.receiveNs)),
  };
  const speed = distance.simNs / Math.max(1, distance.receiveNs);
  const leaps = (a: ClockSample, b: ClockSample): boolean => {
    const simNs = b.simNs - a.simNs;
    return (
      simNs > LEAP_NS && simNs > LEAP * distance.simNs && simNs > LEAP * speed * (b.receiveNs - a.receiveNs)
    );
  };
  const stretches: ClockSample[][] = [[]];
  let back = 0;
  let forth = 0;
  for (const [index, sample] of samples.entries()) {
    const before = samples[index - 1];
    if (before !== undefined) {
      const isBack = sample.simNs < before.simNs || sample.receiveNs < before.receiveNs;
      const isLeap = !isBack && leaps(before, sample);
      if (isBack) back += 1;
      if (isLeap) forth += 1;
      if (isBack || isLeap) stretches.push([]);
    }
    stretches.at(-1)?.push(sample);
  }
  const lengthOf = (stretch: readonly ClockSample[]): number =>
    (stretch.at(-1)?.receiveNs ?? 0) - (stretch[0]?.receiveNs ?? 0);
  const [stretch = []] = [...stretches].sort((a, b) => lengthOf(b) - lengthOf(a));
  if (back + forth === 0) return { stretch, findings: [] };
  return { stretch, findings: [jumped(back, forth, lengthOf(stretch) / 1e9)] };
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function jumped(back: number, forth: number, lengthS: number): Finding {
  const ways = [
    ...(back > 0 ? [`back ${times(back)}`] : []),
    ...(forth > 0 ? [`ahead ${times(forth)}`] : []),
  ];
  return {
    level: 'warning',
    id: 'clock-jumped',
    what: `Simulated time jumped ${ways.join(' and ')}; this is of the longest time without a jump, ${lengthS.toFixed(1)} s.`,
    why: 'It was reset, or restarted, or a second publisher writes to the clock.',
    fix: 'ros2 topic info /clock --verbose',
  };
}

/** The first message of each simulated time; and, where it stands still until the end of listening, that end. */
function whereItMoves(samples: readonly ClockSample[], endNs: number | undefined): readonly ClockSample[] {
  const moving = samples.filter((sample, index) => sample.simNs !== samples[index - 1]?.simNs);
  const last = samples.at(-1);
  const until = Math.max(endNs ?? 0, last?.receiveNs ?? 0);
  const usual = median(steps(moving).map(([a, b]) => b.receiveNs - a.receiveNs));
  const lastMove = moving.at(-1);
  if (lastMove === undefined || until - lastMove.receiveNs < Math.max(PAUSE_NS, UNUSUAL * usual))
    return moving;
  return [...moving, { ...lastMove, receiveNs: until }];
}

/** A message near each end that came least late, and what others there came later: how far these may be late themselves. */
function leastLate(moving: readonly ClockSample[]): {
  readonly first: ClockSample;
  readonly last: ClockSample;
  readonly lateNs: number;
} {
  const [begin] = moving;
  const end = moving.at(-1);
  if (begin === undefined || end === undefined) throw new RangeError('no samples');
  const near = Math.min(END_NS, END_SHARE * (end.receiveNs - begin.receiveNs));
  const atFirst = moving.filter(
    ({ receiveNs }, index) => index < FEWEST_AT_END || receiveNs - begin.receiveNs <= near,
  );
  const isStill = end.simNs === moving.at(-2)?.simNs;
  const atLast = isStill
    ? [end]
    : moving.filter(
        ({ receiveNs }, index) => index >= moving.length - FEWEST_AT_END || end.receiveNs - receiveNs <= near,
      );
  const overall = slope(begin, end);
  const head = earliest(atFirst, overall);
  const tail = earliest(atLast.toReversed(), overall);
  return { first: head.sample, last: tail.sample, lateNs: head.spreadNs + tail.spreadNs };
}

const MOST_COMPARED = 60;

/** The median slope between messages (Theil and Sen): neither bursts nor a stall bend it. */
function localSlope(samples: readonly ClockSample[], otherwise: number): number {
  const every = Math.ceil(samples.length / MOST_COMPARED);
  const some = samples.filter((_, index) => index % every === 0);
  const slopes = some.flatMap((a, index) =>
    some.slice(index + 1).flatMap((b) => (b.receiveNs === a.receiveNs ? [] : [slope(a, b)])),
  );
  const found = median(slopes);
  return found > 0 && Number.isFinite(found) ? found : otherwise;
}

/** Messages that differ by less are equally late. */
const SAME_NS = 1000;
const SAME = 0.02;

/** The message that came least late; of `samples`, which begin at the edge of the window. */
function earliest(
  samples: readonly ClockSample[],
  otherwise: number,
): { readonly sample: ClockSample; readonly spreadNs: number } {
  const speed = localSlope(samples, otherwise);
  const late = samples.map((sample) => ({ sample, ns: sample.receiveNs - sample.simNs / speed }));
  const leastNs = late.reduce((least, { ns }) => Math.min(least, ns), Number.POSITIVE_INFINITY);
  const spreadNs = median(late.map(({ ns }) => ns)) - leastNs;
  // The outermost of those that are as good.
  const best = late.find(({ ns }) => ns <= leastNs + Math.max(SAME_NS, SAME * spreadNs));
  if (best === undefined) throw new RangeError('no samples');
  return { sample: best.sample, spreadNs };
}

/** Simulated time at a moment, on the line between two messages. */
function simAt(moving: readonly ClockSample[], ns: number): number {
  const after = firstWhere(moving.length, (place) => (moving[place] as ClockSample).receiveNs >= ns);
  const b = moving[after];
  const a = moving[after - 1];
  if (b === undefined) return moving.at(-1)?.simNs ?? 0;
  if (a === undefined) return b.simNs;
  return a.simNs + ((b.simNs - a.simNs) * (ns - a.receiveNs)) / (b.receiveNs - a.receiveNs);
}

/** Simulated nanoseconds in each of so many equal parts of an interval. */
function advances(
  moving: readonly ClockSample[],
  fromNs: number,
  eachNs: number,
  count: number,
): readonly number[] {
  const at = Array.from({ length: count + 1 }, (_, part) => simAt(moving, fromNs + part * eachNs));
  return at.slice(1).map((simNs, index) => simNs - (at[index] ?? 0));
}

const FEWEST_SECONDS = 3;

function perSecond(moving: readonly ClockSample[], fromNs: number, toNs: number): readonly number[] {
  const whole = Math.floor((toNs - fromNs) / 1e9);
  return whole < FEWEST_SECONDS ? [] : advances(moving, fromNs, 1e9, whole).map((ns) => ns / 1e9);
}

const PART_NS = 5e8;
const MOST_PARTS = 10_000;

/** How fast it goes where it does not stand still. */
function usualSpeed(moving: readonly ClockSample[], fromNs: number, toNs: number): number {
  const count = Math.min(MOST_PARTS, Math.ceil((toNs - fromNs) / PART_NS));
  const eachNs = (toNs - fromNs) / count;
  const parts = advances(moving, fromNs, eachNs, count);
  const most = parts.reduce((a, b) => Math.max(a, b), 0);
  return median(parts.filter((ns) => ns > most / 10)) / eachNs;
}

/** Long waits for a message: time stood still, or the message came late and others hard upon it. */
function gapFindings(moving: readonly ClockSample[]): readonly Finding[] {
  const all = steps(moving);
  const usualNs = median(all.map(([a, b]) => b.receiveNs - a.receiveNs));
  const gaps = all.filter(([a, b]) => b.receiveNs - a.receiveNs > Math.max(BURST_NS, UNUSUAL * usualNs));
  const [begin] = moving;
  const end = moving.at(-1);
  if (gaps.length === 0 || begin === undefined || end === undefined) return [];
  const lengthNs = ([a, b]: readonly [ClockSample, ClockSample]): number => b.receiveNs - a.receiveNs;
  const speed = usualSpeed(moving, begin.receiveNs, end.receiveNs);
  const pauses: (readonly [ClockSample, ClockSample])[] = [];
  const bursts: (readonly [ClockSample, ClockSample])[] = [];
  for (const gap of gaps) {
    const [a, b] = gap;
    const length = lengthNs(gap);
    // What was only late comes soon after it.
    const soonNs = simAt(moving, Math.min(end.receiveNs, b.receiveNs + length / 4)) - a.simNs;
    if (soonNs >= 0.8 * speed * length) bursts.push(gap);
    else if (length >= PAUSE_NS && b.simNs - a.simNs < 0.2 * speed * length) pauses.push(gap);
  }
  const longest = (of: typeof gaps): readonly [ClockSample, ClockSample] | undefined =>
    [...of].sort((a, b) => lengthNs(b) - lengthNs(a))[0];
  const longestPause = longest(pauses);
  const longestBurst = longest(bursts);
  const pausedNs = pauses.reduce((sum, gap) => sum + lengthNs(gap), 0);
  const burstNs = bursts.reduce((sum, gap) => sum + lengthNs(gap), 0);
  const without = (end.simNs - begin.simNs) / (end.receiveNs - begin.receiveNs - pausedNs);
  return [
    ...(longestPause === undefined
      ? []
      : [
          paused(
            pauses.length,
            pausedNs,
            longestPause[0].receiveNs - begin.receiveNs,
            lengthNs(longestPause),
            without,
          ),
        ]),
    ...(longestBurst === undefined ||
    (lengthNs(longestBurst) < LONG_BURST_NS && burstNs < MANY_BURSTS * (end.receiveNs - begin.receiveNs))
      ? []
      : [burst(bursts.length, lengthNs(longestBurst))]),
  ];
}

function paused(count: number, pausedNs: number, atNs: number, longestNs: number, without: number): Finding {
  const together =
    count === 1
      ? `for ${(pausedNs / 1e9).toFixed(1)} s, ${(atNs / 1e9).toFixed(1)} s after the first message`
      : `${count} times, ${(pausedNs / 1e9).toFixed(1)} s together; the longest, of ${(longestNs / 1e9).toFixed(1)} s, ${(atNs / 1e9).toFixed(1)} s after the first message`;
  return {
    level: 'warning',
    id: 'clock-paused',
    what: `Simulated time stood still ${together}.`,
    why: `The simulation was paused, or one step took so long: it is in the factor, which is ${without.toFixed(2)} without it.`,
  };
}

function burst(count: number, longestNs: number): Finding {
  return {
    level: 'note',
    id: 'clock-bursts',
    what: `Messages came in bursts: ${times(count)} after up to ${(longestNs / 1e9).toFixed(2)} s without any.`,
    why: 'They were held up on their way, or the simulation makes many steps at once; the factor is taken between messages that were not.',
  };
}

function standsStill(windowS: number): Finding {
  return {
    level: 'warning',
    id: 'clock-stands-still',
    what: `Messages came for ${windowS.toFixed(1)} s, all with the same simulated time.`,
    why: 'The simulation is paused.',
  };
}

function tooFew(count: number, wallNs: number): ProfilerError {
  return new ProfilerError({
    id: 'clock-too-few',
    what: `${count === 1 ? 'One message' : `${count} messages`} of the clock within ${(wallNs / 1e9).toFixed(1)} s say too little.`,
    why: `It takes ${FEWEST} messages and a second; a clock that is published once a second needs a longer window.`,
    fix: 'profiler rtf --clock --duration 60 …',
  });
}

function interleaved(count: number): ProfilerError {
  return new ProfilerError({
    id: 'clock-several-publishers',
    what: `Simulated time jumps to and fro all the time (${count} messages).`,
    why: 'Several publishers write to the clock, and these messages do not say which is whose.',
    fix: 'ros2 topic info /clock --verbose',
  });
}
