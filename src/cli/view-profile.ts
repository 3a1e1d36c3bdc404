import {
  GAP,
  NO_STACK,
  SPEEDSCOPE_LIMITS,
  type Sized,
  type SpeedscopeFile,
  SpeedscopeFrames,
  type SpeedscopeLimits,
  type SpeedscopeSample,
  type SpeedscopeTrack,
  type ThreadSamples,
  boundedStack,
  framesIn,
  heaviestThatFit,
  pooledByThread,
  samplesByThread,
  speedscopeTracks,
  stackDepths,
  weightOf,
} from '../formats/index.js';
import { type Finding, type Profile, type ProgramSpan, framesOf } from '../model/index.js';
import { type Breakdown, type ThreadAnswer, count, plural } from '../report/index.js';
import { type Claim, UNCLAIMED } from '../rules/index.js';
import type { Loaded } from './source.js';
import { threadTitles } from './view-names.js';
import { type ShownWorth, shownWorth } from './view-worth.js';

/** One source, read and answered for. */
export interface ViewSource {
  readonly loaded: Pick<Loaded, 'profile' | 'spans' | 'interval'>;
  readonly breakdown: Breakdown;
  /** By row of the stack table. */
  readonly claims: readonly Claim[];
  /** What tells it from the others; absent where it is the only one. */
  readonly label?: string;
}

/** One profile of the file, as it is told. */
export interface ViewedThread {
  readonly name: string;
  readonly role: string;
  readonly unit: 'seconds' | 'samples';
  /** Sum of its weights. */
  readonly total: number;
}

/** What the viewer is given. */
export interface View {
  readonly file: SpeedscopeFile;
  /** The tab that is opened: the order of what is shown first. */
  readonly order: 'time-ordered' | 'left-heavy';
  /** In the order of the file. */
  readonly threads: readonly ViewedThread[];
  /** What was left out or put together so that the viewer can open it. */
  readonly findings: readonly Finding[];
}

/** Everything of one thread that is shown. */
interface Shown extends Sized {
  readonly source: ViewSource;
  readonly answer: ThreadAnswer;
  readonly name: string;
  readonly worth: ShownWorth;
}

/**
 * The sources as one file for speedscope: a profile per thread, the physics thread of the first source first. Each stack carries its
 * bucket in the name of the frame that decided it. What is more than speedscope can open loses its times, then its lightest stacks.
 */
export function viewOf(
  sources: readonly ViewSource[],
  { title, exporter }: { readonly title: string; readonly exporter: string },
  limits: SpeedscopeLimits = SPEEDSCOPE_LIMITS,
): View {
  const timed = sources.flatMap((source) => shownThreads(source, samplesByThread(source.loaded.profile)));
  const isTimed = timed.some(({ samples }) => samples.timed);
  const folds = isTimed && framesIn(timed, limits) > limits.timedFrames;
  const threads = folds
    ? sources.flatMap((source) => shownThreads(source, pooledByThread(source.loaded.profile)))
    : timed;
  const kept = isTimed && !folds ? undefined : heaviestThatFit(threads, limits);
  const frames = new SpeedscopeFrames();
  const stacks = new Map(
    sources.map((source) => [source, stackOf(source.loaded.profile, source.claims, frames, limits)]),
  );
  const drawn = threads.map((thread, index) =>
    drawnThread(thread, kept?.[index], frames, stacks.get(thread.source) ?? (() => [])),
  );
  return {
    file: {
      name: title,
      exporter,
      active: 0,
      profiles: drawn.map(({ profile }) => profile),
      tracks: sources.flatMap((source) => tracksOf(source, frames)),
      frames: frames.list,
    },
    order: threads[0]?.samples.timed === true ? 'time-ordered' : 'left-heavy',
    threads: drawn.map(({ told }) => told),
    findings: [
      ...(folds ? [timesDropped(timed)] : []),
      ...lightStacks(drawn),
      ...deepStacks(threads, limits),
      ...sources.flatMap(spansNotDrawn),
    ],
  };
}

/** Beginnings and ends of spans that speedscope opens beside the samples. */
const MOST_SPANS = 100_000;

/** What the program measured of itself, behind the threads. */
function tracksOf(
  { loaded, breakdown, label }: ViewSource,
  frames: SpeedscopeFrames,
): readonly SpeedscopeTrack[] {
  const spans = shownSpans(loaded);
  if (spans.length > MOST_SPANS) return [];
  const titles = threadTitles(breakdown.threads, label);
  return speedscopeTracks(spans, frames, (tid) => {
    const at = breakdown.threads.findIndex(({ thread }) => thread.tid === tid);
    return titles[at] ?? `thread ${tid}`;
  });
}

/** Of an interval what lies in it, from its beginning on, as its samples are drawn. */
function shownSpans({ spans = [], interval }: ViewSource['loaded']): readonly ProgramSpan[] {
  if (interval === undefined) return spans;
  const [fromNs, toNs] = [interval.fromS * 1e9, interval.toS * 1e9];
  return spans.map((span) => ({
    ...span,
    startNs: Math.round(span.startNs - fromNs),
    endNs: Math.round(Math.min(span.endNs, toNs) - fromNs),
  }));
}

function spansNotDrawn({ loaded: { spans = [] } }: ViewSource): readonly Finding[] {
  if (spans.length <= MOST_SPANS) return [];
  return [
    {
      level: 'note',
      id: 'spans-not-drawn',
      what: `${count(spans.length)} spans of the program's own are more than the viewer can open beside the samples: they are left out.`,
      why: 'Stacks are labelled by them all the same.',
      fix: 'profiler view --in perfetto',
    },
  ];
}

/** The threads of a source in the order of its answer, without those that nobody sampled. */
function shownThreads(source: ViewSource, samples: readonly ThreadSamples[]): Shown[] {
  const { loaded, breakdown, label } = source;
  const depths = stackDepths(loaded.profile.stacks);
  const names = threadTitles(breakdown.threads, label);
  return breakdown.threads.flatMap((answer, at) => {
    const own = samples.find(({ thread }) => thread === answer.index);
    if (own === undefined) return [];
    const worth = shownWorth(breakdown, answer);
    return [{ source, answer, samples: own, depths, total: weightOf(own), name: names[at] ?? '', worth }];
  });
}

function sumOf(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

function nearWhole(value: number): number {
  const whole = Math.round(value);
  return Math.abs(value - whole) < 1e-6 ? whole : value;
}

interface Drawn {
  readonly profile: SpeedscopeFile['profiles'][number];
  readonly told: ViewedThread;
  /** Stacks that stand together as one, and their part of the total. */
  readonly lighter: { readonly stacks: number; readonly share: number };
}

function drawnThread(
  { source, answer, samples, name, worth }: Shown,
  kept = samples.stack.length,
  frames: SpeedscopeFrames,
  framesFor: (row: number) => readonly number[],
): Drawn {
  const { claims } = source;
  const amounts = Float64Array.from(samples.weight, (weight, at) => {
    const row = samples.stack[at] ?? -1;
    // A gap is time, whatever the samples are worth.
    if (row === GAP) return weight * 1e-9;
    return weight * worth.worthOf(claims[row] ?? UNCLAIMED, row >= 0);
  });
  const light = sumOf(amounts.subarray(kept));
  // Worths are fractions of samples: their sum is off by less than any of them.
  const total = nearWhole(sumOf(amounts) + worth.besides.reduce((all, { amount }) => all + amount, 0));
  const stacks = samples.stack.length - kept;
  function* drawn(): Generator<SpeedscopeSample> {
    for (const [at, row] of samples.stack.subarray(0, kept).entries())
      yield { frames: framesFor(row), weight: amounts[at] ?? 0 };
    if (stacks > 0) yield { frames: [frames.marker(`(${plural(stacks, 'lighter stack')})`)], weight: light };
    for (const { text, amount } of worth.besides) yield { frames: [frames.marker(text)], weight: amount };
  }
  return {
    profile: { name, unit: worth.unit, samples: drawn },
    told: { name, role: answer.role, unit: worth.unit === 'seconds' ? 'seconds' : 'samples', total },
    lighter: { stacks, share: total > 0 ? light / total : 0 },
  };
}

/** Frames of a stack in the file, the one that decided its bucket marked with it; of an unclaimed stack the leaf. */
function stackOf(
  profile: Profile,
  claims: readonly Claim[],
  frames: SpeedscopeFrames,
  limits: SpeedscopeLimits,
): (row: number) => readonly number[] {
  const indexOf = frames.of(profile.frames);
  return (row) => {
    if (row === GAP) return [];
    if (row < 0) return [frames.marker(`${NO_STACK} [unclassified/lost]`)];
    const stack = framesOf(profile, row);
    const { bucket, kind, frame } = claims[row] ?? UNCLAIMED;
    const marked = frame < 0 ? stack.length - 1 : frame;
    const mark = kind === undefined ? bucket : `${bucket}/${kind}`;
    const indexes = stack.map((one, depth) => indexOf(one, depth === marked ? mark : undefined));
    return boundedStack(indexes, limits, () => frames.marker('(frames left out)'));
  };
}

function timesDropped(threads: readonly Shown[]): Finding {
  const samples = threads.reduce((sum, { samples: own }) => sum + own.stack.length, 0);
  return {
    level: 'note',
    id: 'times-dropped',
    what: `${count(samples)} samples in order of time are more than the viewer can open: they are put together by stack.`,
    why: 'Weights and totals are right; when a sample was taken is not shown.',
  };
}

function lightStacks(drawn: readonly Drawn[]): Finding[] {
  const stacks = drawn.reduce((sum, { lighter }) => sum + lighter.stacks, 0);
  if (stacks === 0) return [];
  const most = Math.max(...drawn.map(({ lighter }) => lighter.share));
  return [
    {
      level: 'note',
      id: 'light-stacks',
      what: `There are more different stacks than the viewer can open: the ${count(stacks)} lightest stand in one frame of their thread, "(N lighter stacks)".`,
      why: `Totals are right; of a thread they are at most ${(most * 100).toFixed(1)} %.`,
      fix: 'profiler hot --folded > FILE  (all of them)',
    },
  ];
}

function deepStacks(threads: readonly Shown[], { depth }: SpeedscopeLimits): Finding[] {
  const deep = threads.some(({ samples, depths }) =>
    samples.stack.some((row) => row >= 0 && (depths[row] ?? 0) > depth),
  );
  if (!deep) return [];
  return [
    {
      level: 'note',
      id: 'deep-stacks',
      what: `Stacks of more than ${count(depth)} frames are shown without their middle: "(frames left out)".`,
      why: 'The viewer fails at deeper ones.',
    },
  ];
}
