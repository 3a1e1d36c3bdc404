import { type Finding, framesOf, type NativeStacks, type Profile, ProfileBuilder } from '../model/index.js';
import { leafState } from './breakdown.js';
import { classifyProfile, classifyStack, UNCLAIMED } from './classify.js';
import { ANYONES, type Ending, endingsOf, weightsOf } from './native-endings.js';
import type { RuleSet } from './rule-set.js';
import type { Claim } from './rule.js';

/** Steps of this size through [0, 1) lie evenly, however few they are. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** Samples of one stack of Python. */
interface PythonStack {
  readonly row: number;
  readonly claim: Claim;
  /** Samples that have no native frames yet. */
  left: number;
}

/** `count` samples of a stack of Python that get these frames. */
interface Placed {
  readonly thread: number;
  readonly row: number;
  readonly ending: Ending;
  readonly count: number;
}

/**
 * A profile of Python lines with native frames below the lines that led to them. Which line called what is in neither source: the native
 * stacks of a thread are dealt out to its lines of the same bucket, by their shares; those that no rule claims to all its working lines. So
 * it is an estimate, and a finding says so. No sample changes its bucket, and none is added: only its leaf becomes finer. Threads without
 * Python are added as they are, in samples of the same rate.
 */
export function withNativeLeaves(
  profile: Profile,
  native: NativeStacks,
  ruleSet: RuleSet,
  rateHz: number,
): Profile {
  const claims = classifyProfile(ruleSet, profile);
  const nativeOf = new Map(native.profile.threads.map(({ tid }, index) => [tid, index]));
  const placed = profile.threads.flatMap(({ tid }, thread) => {
    const index = tid === undefined ? undefined : nativeOf.get(tid);
    if (index === undefined) return [];
    const stacks = pythonStacks(profile, claims, thread);
    return place(thread, stacks, endingsOf(native, index, ruleSet), native.wall);
  });
  return assemble(profile, placed.filter(keepsBucket(profile, claims, ruleSet)), native, rateHz);
}

function pythonStacks(profile: Profile, claims: readonly Claim[], thread: number): PythonStack[] {
  return [...weightsOf(profile, thread)].flatMap(([row, left]) =>
    row < 0 ? [] : [{ row, claim: claims[row] ?? UNCLAIMED, left }],
  );
}

function sum<T>(rows: readonly T[], of: (row: T) => number): number {
  return rows.reduce((total, row) => total + of(row), 0);
}

/** Deals the endings of a thread out: first those of each bucket to its lines, then the rest to what is left of all working lines. */
function place(
  thread: number,
  stacks: readonly PythonStack[],
  { endings, total }: ReturnType<typeof endingsOf>,
  wall: boolean,
): readonly Placed[] {
  const atWork = stacks.filter(({ claim }) => leafState(claim) === 'work');
  const samples = sum(wall ? stacks : atWork, ({ left }) => left);
  if (samples === 0 || total === 0) return [];
  const own = [...new Set(endings.map(({ bucket }) => bucket))].filter((bucket) => !ANYONES.has(bucket));
  const share = samples / total;
  const placed = own.flatMap((bucket) =>
    deal(
      thread,
      stacks.filter(({ claim }) => claim.bucket === bucket),
      endings.filter((ending) => ending.bucket === bucket),
      share,
    ),
  );
  const rest = endings.filter(({ bucket }) => ANYONES.has(bucket));
  return [...placed, ...deal(thread, atWork, rest, share)];
}

/**
 * Spreads `endings` evenly over `stacks`, as many of each as `share` of its weight; never more than a stack has left. Each stack gets its
 * whole parts of each ending, and of what is left over those that a start of its own hits: over all stacks it evens out.
 */
function deal(
  thread: number,
  stacks: readonly PythonStack[],
  endings: readonly Ending[],
  share: number,
): readonly Placed[] {
  const capacity = sum(stacks, ({ left }) => left);
  const weight = sum(endings, (ending) => ending.weight);
  if (capacity === 0 || weight === 0) return [];
  const part = Math.min(1, (weight * share) / capacity);
  const placed: Placed[] = [];
  let wanted = 0;
  let dealt = 0;
  for (const [at, stack] of stacks.entries()) {
    wanted += stack.left * part;
    const count = Math.min(stack.left, Math.round(wanted) - dealt);
    dealt += count;
    stack.left -= count;
    const start = ((at + 0.5) * GOLDEN) % 1;
    let before = 0;
    let given = 0;
    for (const ending of endings) {
      before += ending.weight;
      const until = before === weight ? count : Math.floor(start + (count * before) / weight);
      if (until > given) placed.push({ thread, row: stack.row, ending, count: until - given });
      given = Math.max(given, until);
    }
  }
  return placed;
}

/** What the rules make of each placement: it stays where its line keeps its bucket, and goes on working or waiting as before. */
function keepsBucket(
  profile: Profile,
  claims: readonly Claim[],
  ruleSet: RuleSet,
): (placed: Placed) => boolean {
  return ({ row, ending }) => {
    const before = claims[row] ?? UNCLAIMED;
    const python = framesOf(profile, row).flatMap((frame) => profile.frames[frame] ?? []);
    const after = classifyStack(ruleSet, [...python, ...ending.frames]);
    return after.bucket === before.bucket && leafState(after) === leafState(before);
  };
}

function assemble(
  profile: Profile,
  placed: readonly Placed[],
  native: NativeStacks,
  rateHz: number,
): Profile {
  const builder = new ProfileBuilder(profile.unit, profile.origin);
  const { stacks, samples } = profile;
  const frames = profile.frames.map((frame) => builder.frame(frame));
  const rows: number[] = [];
  for (let row = 0; row < stacks.length; row += 1) {
    const parent = stacks.parent[row] ?? -1;
    rows.push(builder.stack(parent < 0 ? -1 : (rows[parent] ?? -1), frames[stacks.frame[row] ?? -1] ?? -1));
  }
  const threads = profile.threads.map((thread) => builder.thread(thread));
  const moved = new Map<string, number>();
  for (const { thread, row, ending, count } of placed) {
    const below = ending.frames.map((frame) => builder.frame(frame));
    const stack = below.reduce((parent, frame) => builder.stack(parent, frame), rows[row] ?? -1);
    builder.sample(stack, threads[thread] ?? -1, count);
    const key = `${thread}\n${row}`;
    moved.set(key, (moved.get(key) ?? 0) + count);
  }
  for (let at = 0; at < samples.length; at += 1) {
    const thread = samples.thread[at] ?? -1;
    const row = samples.stack[at] ?? -1;
    const key = `${thread}\n${row}`;
    const weight = samples.weight[at] ?? 0;
    const gone = Math.min(weight, moved.get(key) ?? 0);
    moved.set(key, (moved.get(key) ?? 0) - gone);
    if (weight > gone) builder.sample(row < 0 ? -1 : (rows[row] ?? -1), threads[thread] ?? -1, weight - gone);
  }
  addOthers(builder, profile, native, rateHz);
  builder.lost(profile.lost);
  for (const finding of profile.findings ?? []) builder.finding(finding);
  builder.finding(byShare(sum(placed, ({ count }) => count)));
  return builder.build();
}

/** Threads without a line of Python, in samples of this rate. */
function addOthers(builder: ProfileBuilder, profile: Profile, native: NativeStacks, rateHz: number): void {
  const known = new Set(profile.threads.map(({ tid }) => tid));
  for (const [index, thread] of native.profile.threads.entries()) {
    if (thread.tid === undefined || known.has(thread.tid)) continue;
    const to = builder.thread(thread);
    let wanted = 0;
    let given = 0;
    for (const [row, weight] of weightsOf(native.profile, index)) {
      wanted += (weight * rateHz) / native.rateHz;
      const count = Math.round(wanted) - given;
      given += count;
      const frames =
        row < 0 ? [] : framesOf(native.profile, row).flatMap((at) => native.profile.frames[at] ?? []);
      if (count > 0) builder.sample(builder.stackOf(frames.map((frame) => builder.frame(frame))), to, count);
    }
  }
}

function byShare(count: number): Finding {
  if (count === 0)
    return {
      level: 'note',
      id: 'native-by-share',
      what: 'No native frame of perf could be placed below a line of Python.',
      why: 'Its stacks of the threads of Python do not reach the interpreter, or only wait: what is native there is missing.',
      fix: 'profiler attach … --backend perf  (the native stacks as they are)',
    };
  return {
    level: 'note',
    id: 'native-by-share',
    what: `${count} samples of Python lines got native frames of perf below them.`,
    why: 'They are placed by thread, bucket and share, an estimate: neither sampler sees which line called which function. Buckets and lines are counted as without them.',
  };
}
