import { type Finding, type Profile, type Thread, type ThreadAccounting, isStep } from '../model/index.js';
import {
  type Breakdown,
  MOST_UNKNOWN_STATES,
  type Pooled,
  type ThreadAnswer,
  compareText,
  gilConvoy,
  grouped,
  percent,
  poolSamples,
  threadName,
  seenWeight,
} from '../report/index.js';
import {
  type Claim,
  type PhysicsThread,
  type RuleSet,
  UNCLAIMED,
  claimFindings,
  classifyProfile,
  findPhysicsThread,
  stacksInPools,
  threadRole,
  uncheckedVersionFindings,
} from '../rules/index.js';
import {
  type SamplerPriority,
  type Totals,
  besideThread,
  observerEffect,
  poolThreads,
  totals,
} from '../stats/index.js';
import {
  atOneRate,
  distinct,
  heldBySampler,
  leftOutSamples,
  unreadStacks,
  requireSamples,
  softwareRendering,
  softwareRenderingThreads,
} from './answer-findings.js';
import { competingThreads } from './competing-threads.js';
import type { SourceFlags } from './flags.js';
import { heldMostBy } from './gil-held.js';
import { gilWindowsOf, rivalsOf } from './gil-windows.js';
import type { Recording } from '../recording/index.js';
import { INTERVAL_SAMPLES, type Loaded } from './source.js';
import { realTimeOf } from './real-time.js';
import { V8_SLEEP_SLACK, v8Bias, withoutWakes } from './v8-wakes.js';
import { withoutLoop } from './load-over.js';
import { overlapOf, threadAnswer } from './thread-answer.js';
import { chooseThreads } from './thread-choice.js';
import { isTooShort, threadFindings } from './too-few-samples.js';
import { tooDeepStacks } from './too-deep-stacks.js';
import { bareWindow, recordedS, recordingWindow, runFacts, statedWindow } from './window.js';

export interface AnswerOptions {
  readonly ruleSet: RuleSet;
  /** `--thread`: one match is taken as the physics thread, several are only shown. */
  readonly thread?: string;
  readonly durationS?: number;
  readonly rateHz?: number;
  /** By row of the stack table, where they are known already. */
  readonly claims?: readonly Claim[];
}

/** What the flags of a command that reads a source ask for. */
export function answerOptions(
  ruleSet: RuleSet,
  { thread, duration, rate }: Pick<SourceFlags, 'thread' | 'duration' | 'rate'>,
): AnswerOptions {
  return {
    ruleSet,
    ...(thread === undefined ? {} : { thread }),
    ...(duration === undefined ? {} : { durationS: duration }),
    ...(rate === undefined ? {} : { rateHz: rate }),
  };
}

/** Answer of `attach`, `buckets` and `threads`: the same source and options give the same answer, today and in a year. */
export function answer(loaded: Loaded, options: AnswerOptions): Breakdown {
  const { profile, recording } = loaded;
  requireSamples(loaded);
  const claims = options.claims ?? classifyProfile(options.ruleSet, profile);
  const chosen = options.thread === undefined ? undefined : chooseThreads(profile, options.thread);
  const physics = physicsThread(loaded, claims, chosen);
  const all = threadsOf(loaded, options.ruleSet, claims, physics);
  const threads = all.filter(
    (thread) =>
      (chosen === undefined || chosen.has(thread.index)) &&
      // Of an interval those that were not there are none of the answer's.
      (loaded.interval === undefined || seenWeight([thread]) > 0),
  );
  const known = isKnown(physics) && threads[0]?.index === physics.index;
  const loopRate = recording?.loopRates.find((rate) => rate.tid === threads[0]?.thread.tid);
  // A sampler that stops or wakes the thread for every sample shows in the same counter as its sleeps.
  const isCounted = known && recording?.native === false && recording.backend !== 'node';
  const effect = isCounted && loopRate !== undefined ? observerEffect(loopRate) : undefined;
  return withoutLoop({
    source: loaded.source,
    window:
      recording === undefined
        ? bareWindow(loaded, options)
        : recordingWindow(recording, profile, known ? threads[0]?.estimate.samples : undefined),
    unit: profile.unit,
    ...(recording === undefined || loaded.folder === undefined
      ? {}
      : { run: runFacts(recording, loaded.folder) }),
    tellsSteps: (loaded.spans ?? []).some((span) => isStep(span) || span.kind === 'frame'),
    threads,
    physicsKnown: known,
    lost: profile.lost,
    ...(effect === undefined ? {} : { effect }),
    ...(recording === undefined ? {} : realTimeAnswer(recording)),
    findings: [
      ...findingsOf(loaded, threads, claims, options),
      ...(known ? gilConvoy(all) : []),
      ...(known && recording !== undefined ? competingThreads(all, recording) : []),
    ],
  });
}

function realTimeAnswer(recording: Recording): Pick<Breakdown, 'realTime'> {
  const realTime = realTimeOf(recording);
  return realTime === undefined ? {} : { realTime };
}

/** The physics thread: the one that was named now or at recording time, else the one that enters the simulator's step. */
export function physicsThread(
  { profile, recording, interval }: Loaded,
  claims: readonly Claim[],
  chosen: ReadonlySet<number> | undefined,
): PhysicsThread {
  const named = chosen?.size === 1 ? [...chosen][0] : undefined;
  const tid = recording?.threadTid;
  const recorded = tid === undefined ? -1 : profile.threads.findIndex((thread) => thread.tid === tid);
  const index = named ?? (recorded >= 0 ? recorded : undefined);
  if (index === undefined) return interval?.physics ?? findPhysicsThread(profile, claims);
  return { index, because: 'named', reason: 'It was named.' };
}

/** Whether anything says which thread is the physics thread. */
export function isKnown(physics: PhysicsThread): boolean {
  return physics.because !== 'unknown';
}

function threadsOf(
  loaded: Loaded,
  { packs }: RuleSet,
  claims: readonly Claim[],
  physics: PhysicsThread,
): ThreadAnswer[] {
  const { profile, recording } = loaded;
  const claimOf = (stack: number): Claim => claims[stack] ?? UNCLAIMED;
  const pooled = grouped(poolSamples(profile, {}, claimOf), (entry) => entry.thread);
  const isInPool = stacksInPools(profile);
  const accounting = poolThreads(recording?.slices.map((slice) => slice.accounting) ?? []);
  const seen = new Set(profile.threads.flatMap((thread) => thread.tid ?? []));
  const unseen = accounting.filter((one) => !seen.has(one.tid));
  const one = (thread: Thread, index: number, own: ThreadAccounting | undefined): ThreadAnswer => {
    const entries = pooled.get(index) ?? [];
    return threadAnswer({
      profile,
      thread,
      index,
      role: index === physics.index ? 'physics' : threadRole(thread, entries, claimOf, isInPool),
      pooled: entries,
      claimOf,
      packs,
      estimate: estimateInput(loaded, entries, own),
    });
  };
  const answers = [
    ...profile.threads.map((thread, index) =>
      one(
        withNsTid(thread, accounting),
        index,
        accounting.find((each) => each.tid === thread.tid),
      ),
    ),
    ...unseen.map((each) => one(threadOf(each), -1, each)),
  ].sort(
    (a, b) =>
      rank(a) - rank(b) ||
      b.estimate.samples - a.estimate.samples ||
      // Never the order of the file's lines: py-spy writes them as its hash table has them.
      compareText(threadName(a.thread), threadName(b.thread)) ||
      (a.thread.tid ?? 0) - (b.thread.tid ?? 0),
  );
  function rank(thread: ThreadAnswer): number {
    if (thread.index === physics.index) return 0;
    if (thread.index < 0) return 3;
    return BACKGROUND.has(thread.role) ? 2 : 1;
  }
  const [first] = answers;
  if (first === undefined || first.index !== physics.index) return answers;
  const beside = first.estimate.states === undefined ? undefined : besideThread(profile, first.index);
  const rivals = rivalsOf(profile, answers);
  return answers.map((thread) => {
    if (thread === first) {
      const heldBy = beside === undefined ? undefined : heldMostBy(profile, first.index);
      const gilWindows = gilWindowsOf(profile, first, claimOf);
      return {
        ...thread,
        ...(heldBy === undefined ? {} : { heldBy }),
        ...(gilWindows === undefined ? {} : { gilWindows }),
      };
    }
    const rival = rivals.get(thread.index);
    const rivalry = rival === undefined ? {} : { rival };
    const seenBeside = beside?.get(thread.index);
    if (seenBeside !== undefined) return { ...thread, beside: seenBeside, ...rivalry };
    const overlap = overlapOf(first, thread);
    return overlap === undefined ? thread : { ...thread, overlap };
  });
}

function threadOf(accounting: ThreadAccounting): Thread {
  return {
    tid: accounting.tid,
    ...(accounting.nsTid === undefined ? {} : { nsTid: accounting.nsTid }),
    ...(accounting.name === undefined ? {} : { name: accounting.name }),
  };
}

function withNsTid(thread: Thread, accounting: readonly ThreadAccounting[]): Thread {
  const nsTid = thread.nsTid ?? accounting.find((one) => one.tid === thread.tid)?.nsTid;
  return nsTid === undefined ? thread : { ...thread, nsTid };
}

/** Threads that nobody asks about first. */
const BACKGROUND: ReadonlySet<string> = new Set(['driver', 'middleware', 'idle']);

/** Milliseconds for which py-spy stops the whole process to read one set of native stacks. */
export const NATIVE_STOP_MS = 0.5;

function estimateInput(
  loaded: Loaded,
  entries: readonly Pooled[],
  accounting: ThreadAccounting | undefined,
): Parameters<typeof threadAnswer>[0]['estimate'] {
  const { recording } = loaded;
  const without = entries.filter((entry) => entry.stack < 0).reduce((sum, entry) => sum + entry.weight, 0);
  // The sampler's own word goes first: it may have lowered its rate.
  const looks = loaded.profile.ticks?.due;
  if (recording === undefined) {
    const due = looks === undefined || entries.length === 0 ? {} : { expectedSamples: looks };
    return { lostTicks: without, priority: 'unknown', ...due };
  }
  const errors = recording.slices.reduce((sum, slice) => sum + (slice.errors ?? 0), 0);
  const samples = entries.reduce((sum, entry) => sum + entry.weight, 0);
  const stoppedNs = recording.native ? samples * NATIVE_STOP_MS * 1e6 : 0;
  const exact =
    accounting === undefined || isTooShort(recording, samples, accounting)
      ? undefined
      : withoutGil(
          totals(withoutWakes(accounting, loaded, entries), stoppedNs, stolenPart(recording)),
          recording,
        );
  return {
    ...(exact === undefined ? {} : { totals: exact, loopRateHz: exact.voluntaryPerS }),
    lostTicks: entries.length === 0 ? 0 : without + errors,
    ...(entries.length === 0 ? {} : { expectedSamples: looks ?? recordedS(recording) * recording.rateHz }),
    rateHz: recording.rateHz,
    priority: priorityOf(recording.policy),
    ...(knowsStates(recording) ? { statesKnown: true as const } : {}),
    ...(recording.backend === 'node' && accounting !== undefined
      ? { sleepSlack: V8_SLEEP_SLACK, samplerBias: v8Bias(recording, accounting, loaded.profile, entries) }
      : {}),
  };
}

/** Part of the CPU time in use on the target's machine that its host took. */
function stolenPart({ slices }: Recording): number {
  const sum = (of: (slice: Recording['slices'][number]) => number | undefined): number =>
    slices.reduce((total, slice) => total + (of(slice) ?? 0), 0);
  const busyNs = sum(({ machineCpu }) => machineCpu?.busyNs);
  return busyNs > 0 ? sum(({ machineCpu }) => machineCpu?.stolenNs) / busyNs : 0;
}

/** Where no interpreter runs there is no lock of it, and no time that nobody waited for it. */
function withoutGil(exact: Totals | undefined, { target }: Recording): Totals | undefined {
  if (exact === undefined || target.runtime === 'python') return exact;
  const { gilWait: _, ...rest } = exact;
  return rest;
}

/** perf with the scheduler's switches: only there the kernel says of every moment what a thread did. */
function knowsStates({ backend, findings }: Recording): boolean {
  return backend === 'perf' && findings.every(({ id }) => id !== 'perf-no-blocking-stacks');
}

function priorityOf(policy: string): SamplerPriority {
  // What the kernel samples itself never waits for a turn.
  if (policy.startsWith('fifo') || policy.startsWith('rr') || policy === 'kernel') return 'fifo';
  return policy.startsWith('other') ? 'other' : 'unknown';
}

/** The samples tell what threads did, but of too few of this one. */
function withoutStates(profile: Profile, { index, estimate }: ThreadAnswer): Finding[] {
  if (profile.samples.state === undefined || index < 0 || estimate.states !== undefined) return [];
  return [
    {
      level: 'warning',
      id: 'states-unknown',
      what: `What the thread did is not known of more than ${percent(MOST_UNKNOWN_STATES)} of its samples.`,
      why: 'So its samples are taken as those of a sampler that knows no states: waiting is told by the lines that wait.',
    },
  ];
}

/** What is wrong with the source and the recording, then with the thread that the answer is about; each id once. */
function findingsOf(
  loaded: Loaded,
  threads: readonly ThreadAnswer[],
  claims: readonly Claim[],
  { ruleSet, durationS, rateHz }: AnswerOptions,
): Finding[] {
  const { profile, recording } = loaded;
  const [first] = threads;
  return atOneRate(
    distinct([
      ...loaded.findings,
      ...(recording?.findings ?? []),
      ...(first === undefined ? [] : threadFindings(recording, first)).filter(
        // Said in other words already: a recording has the totals, but not of an interval.
        ({ id }) =>
          id !== 'totals-unavailable' || !loaded.findings.some((one) => one.id === INTERVAL_SAMPLES),
      ),
      ...(first === undefined ? [] : withoutStates(profile, first)),
      ...(recording === undefined && profile.origin.format === 'pyspy-raw'
        ? [
            ...leftOutSamples(profile, threads, statedWindow(durationS, rateHz).ticks),
            ...unreadStacks(profile),
          ]
        : []),
      ...(recording?.native === true && first !== undefined ? heldBySampler(first, recording.rateHz) : []),
      ...(first === undefined ? [] : claimFindings(profile, claims, first.index)),
      ...uncheckedVersionFindings(ruleSet.packs, first?.phases ?? []),
      ...tooDeepStacks(profile),
      ...softwareRendering(profile),
      ...softwareRenderingThreads(threads),
    ]),
  );
}
