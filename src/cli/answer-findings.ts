import { type Finding, type Profile, ProfilerError } from '../model/index.js';
import { cleanText, count, percent, type ThreadAnswer, threadName } from '../report/index.js';
import type { BucketShare } from '../stats/index.js';
import type { Loaded } from './source.js';

/** @throws ProfilerError when there is nothing to answer from: a table of zeros would look like an answer. */
export function requireSamples({
  profile,
  source: { path },
  recording,
  findings,
}: Pick<Loaded, 'profile' | 'source' | 'recording' | 'findings'>): void {
  if (profile.samples.length > 0) return;
  const [unreadable, ...others] = findings.filter((finding) => finding.id === 'slice-unreadable');
  if (unreadable !== undefined) {
    throw new ProfilerError({
      id: 'slices-unreadable',
      what: `No samples of ${path} could be read.`,
      why: others.length === 0 ? unreadable.what : `${unreadable.what} So it is with ${others.length} more.`,
      fix: `ls -l ${path}/slices`,
    });
  }
  if (recording?.slices.length === 0) {
    throw new ProfilerError({
      id: 'no-samples',
      what: `The recording ${path} has no slices, and so no samples.`,
      why: 'It ended before its first slice was whole, or its manifest was changed.',
      fix: 'profiler recordings list',
    });
  }
  throw new ProfilerError({
    id: 'no-samples',
    what: `0 samples in ${path}.`,
    why: 'The target was idle, or --gil filtered everything out, or it is not the process you meant.',
    fix: 'record again with --idle, and check the pid: py-spy record --idle --pid PID -f raw -o FILE',
  });
}

/** Below this part of the looks, more than chance and failed reads are missing. */
const LOOKS_DUE = 0.9;

/**
 * Whether py-spy left samples out of a bare file: of every look it takes one sample of each thread, unless it takes the thread to be
 * idle. `looks` is what the user states; else the thread of the file that has most samples tells. Asked of the thread that is answered for first, and
 * of the main thread, which is there from the first look to the last.
 */
export function leftOutSamples(
  { samples }: Pick<Profile, 'samples'>,
  threads: readonly ThreadAnswer[],
  looks: number | undefined,
): Finding[] {
  const weights = new Map<number, number>();
  for (let row = 0; row < samples.length; row += 1) {
    const thread = samples.thread[row] ?? -1;
    weights.set(thread, (weights.get(thread) ?? 0) + (samples.weight[row] ?? 0));
  }
  const due = looks ?? Math.max(0, ...weights.values());
  const least = looks === undefined ? 'at least ' : '';
  const lasting = threads.filter(({ thread }, index) => index === 0 || thread.name === 'MainThread');
  const found = lasting.find(({ estimate }) => estimate.samples > 0 && estimate.samples < LOOKS_DUE * due);
  if (found === undefined) return [];
  return [
    {
      level: 'warning',
      id: 'samples-left-out',
      what: `${cleanText(threadName(found.thread))} has ${count(found.estimate.samples)} samples of ${least}${count(due)} looks: the rest was left out.`,
      why: 'Without --idle, py-spy drops a thread that it takes to be idle, which in a fast loop is a guess: shares may be off by tens of points.',
      fix: 'profiler attach --pid PID  (or py-spy record --idle --nonblocking --threads -f raw -o FILE --pid PID)',
    },
  ];
}

/** Above this part of the looks, what py-spy failed to read is more than a few short calls. */
const MANY_UNREAD = 0.05;

/** What py-spy itself said in a bare file of stacks that it failed to read. */
export function unreadStacks({ samples, lost }: Pick<Profile, 'samples' | 'lost'>): Finding[] {
  let read = 0;
  for (const weight of samples.weight) read += weight;
  const looks = read + lost.samples;
  if (lost.samples <= MANY_UNREAD * looks) return [];
  return [
    {
      level: 'warning',
      id: 'sampler-errors',
      what: `The sampler failed to read ${count(lost.samples)} of ${count(looks)} stacks.`,
      why: 'Short Python calls move while they are read, so they are missing more often than long ones.',
      fix: 'profiler attach --pid PID',
    },
  ];
}

/** Blocked time of unknown kind from which on a native recording has to answer for it. */
const HELD = 0.05;
/** Samples a second that a target with few threads bears. */
const FEW_STOPS_HZ = 50;

/**
 * Time that a sampler of native frames held the thread, as far as it shows: blocked, and neither asleep nor waiting for the GIL nor in a call
 * that is known to wait (a render that waits for its threads).
 */
export function heldBySampler(
  { totals, thread, buckets }: ThreadAnswer,
  rateHz: number | undefined,
): Finding[] {
  const blocked = totals?.otherBlocked ?? 0;
  const waiting = buckets.filter(({ parts }) => parts.some(isBlocked));
  const own = waiting.reduce(
    (sum, { parts }) => parts.filter(isBlocked).reduce((all, { share }) => all + share, sum),
    0,
  );
  if (blocked - own < HELD) return [];
  const whose =
    own === 0
      ? ''
      : `${percent(own)} in calls that wait (${waiting.map(({ bucket }) => bucket).join(', ')}), the rest, `;
  return [
    {
      level: 'warning',
      id: 'held-by-sampler',
      what: `${cleanText(threadName(thread))} was blocked ${percent(blocked)} of the time and neither slept nor waited for the GIL: ${whose}with --native, mostly held by the sampler.`,
      why: 'Each sample stops every thread until its native frames are read; that time is inside the shares of functions.',
      fix:
        rateHz !== undefined && rateHz <= FEW_STOPS_HZ
          ? 'profiler attach … --backend py-spy+perf  (perf stops nothing)'
          : `profiler attach … --native --rate ${FEW_STOPS_HZ}  (fewer stops; for shares leave --native out)`,
    },
  ];
}

function isBlocked({ kind }: BucketShare): boolean {
  return kind === 'blocked';
}

/** Threads of a rasteriser that draws on the CPU. */
const RASTERISER = /^(?:llvmpipe|swrast|swr|softpipe)[-:_]?\d*$/i;

/** A process without a GPU draws on the CPU; the threads that do it prove it, and their number of samples how much. */
export function softwareRendering(profile: Profile): Finding[] {
  const { samples, threads } = profile;
  const drawing = new Set(
    threads.flatMap((thread, index) => (RASTERISER.test(thread.name ?? '') ? [index] : [])),
  );
  if (drawing.size === 0) return [];
  let weight = 0;
  for (let row = 0; row < samples.length; row += 1) {
    if (drawing.has(samples.thread[row] ?? -1)) weight += samples.weight[row] ?? 0;
  }
  const [first = 0] = drawing;
  return [
    softwareFinding(
      threads[first]?.name,
      `${weight} samples on its ${drawing.size === 1 ? 'thread' : `${drawing.size} threads`}`,
    ),
  ];
}

/** The same from the kernel's list of threads, since a sampler of Python stacks does not see those threads. */
export function softwareRenderingThreads(threads: readonly ThreadAnswer[]): Finding[] {
  const drawing = threads.filter((thread) => RASTERISER.test(thread.thread.name ?? ''));
  const [first] = drawing;
  if (first === undefined) return [];
  const cpu = drawing.reduce((sum, thread) => sum + (thread.totals?.onCpu ?? 0), 0);
  const its = drawing.length === 1 ? 'its thread was' : `its ${drawing.length} threads were`;
  return [
    softwareFinding(
      first.thread.name,
      `${its} on a CPU for ${(cpu * 100).toFixed(0)} % of the window in sum`,
    ),
  ];
}

function softwareFinding(thread: string | undefined, amount: string): Finding {
  const name = (thread ?? '').replace(/[-:_]?\d*$/, '');
  return {
    level: 'note',
    id: 'software-rendering',
    what: `Software rendering (${name}) is in use: ${amount}.`,
    why: 'No GPU renders for this process, often because the container has none.',
    fix: 'pass a GPU to the process and set MUJOCO_GL=egl, or render less',
  };
}

/** A fix that is another rate of sampling, and no more. */
const RATE_FIX = /^((?:profiler attach … )?(?:-r|--rate) )(\d+)$/;

/** Who is told twice to sample less often is told one rate: the one that serves both. */
export function atOneRate(findings: readonly Finding[]): Finding[] {
  const lowest = Math.min(...findings.map(({ fix }) => Number(RATE_FIX.exec(fix ?? '')?.[2] ?? Infinity)));
  return findings.map((finding) => {
    const words = RATE_FIX.exec(finding.fix ?? '')?.[1];
    return words === undefined ? finding : { ...finding, fix: `${words}${lowest}` };
  });
}

/** Each id once, the first of it. */
export function distinct(findings: readonly Finding[]): Finding[] {
  return findings.filter(
    (finding, index) => findings.findIndex((other) => other.id === finding.id) === index,
  );
}
