import { RESTING } from '../model/index.js';
import type { Breakdown, ThreadAnswer } from './answer.js';
import { functionLabel, threadLabel } from './names.js';
import { fallsBehind, realTimeSentences } from './real-time-text.js';
import { percent, plural } from './share-text.js';

/** Below this share of its time a pacer does not hold the loop back in any way that matters. */
const PACER_MATTERS = 0.02;
/** Below this a paced loop has little left to give. */
const PACER_COMFORTABLE = 0.1;

/** Share of its time that a thread works: charged by the kernel, or what the samples say. */
export function busyShare(thread: ThreadAnswer): number {
  if (thread.totals !== undefined) return thread.totals.onCpu;
  if (thread.estimate.states !== undefined) return thread.estimate.states.running.share;
  return thread.buckets.reduce((sum, bucket) => (RESTING.has(bucket.bucket) ? sum : sum + bucket.share), 0);
}

/** From this share of waiting on, it is what makes steps late. */
const WAITS_MATTER = 0.1;
/** A render takes many steps at once: from this share on, single steps are certainly late. */
const LONG_CALLS_MATTER = 0.1;
/** Fewer samples than this carry no sentence about the pacer. */
const FEW_SAMPLES = 100;
const UNKNOWN_FACTOR = 'The real-time factor cannot be told from a profile.';
const BELOW_TARGET =
  'If you measured one below its target, look at the pacer and at single long steps, not at the mean step.';
/** What is not said where the factor was measured. */
const GUESSES: ReadonlySet<string> = new Set([UNKNOWN_FACTOR, BELOW_TARGET]);

interface Waits {
  readonly gil: number;
  readonly cpu: number;
}

/** Shares of the wall time that the thread waits for the GIL and for a CPU; 0 where that is not known. */
function waitsOf(thread: ThreadAnswer): Waits {
  const share = (bucket: string): number => thread.buckets.find((one) => one.bucket === bucket)?.share ?? 0;
  return {
    gil: thread.totals?.gilWait ?? share('gil-wait'),
    cpu: thread.totals?.cpuWait ?? share('cpu-wait'),
  };
}

/** Whether waiting, not work, is what makes the steps of this thread late. */
export function waitsMatter(thread: ThreadAnswer): boolean {
  const { gil, cpu } = waitsOf(thread);
  return gil + cpu >= WAITS_MATTER;
}

function pacerSentences(thread: ThreadAnswer, lineKnown: boolean, isBehind: boolean): string[] {
  const pacer = thread.buckets.find((bucket) => bucket.bucket === 'pacer');
  // A wall share of the pacer contains the waits after its sleeps: there the kernel says how much of it was sleep.
  const asleep = thread.estimate.mode === 'wall' ? thread.totals?.sleep : undefined;
  const share = Math.min(pacer?.share ?? 0, asleep ?? 1);
  const spins = pacer?.parts.some((part) => part.kind === 'spin' && part.share > share / 2) === true;
  const verb = spins ? 'spins' : 'sleeps';
  const whole = (pacer?.share ?? 0) - share > PACER_MATTERS;
  const much = whole
    ? `${percent(share)} (${percent(pacer?.share ?? 0)} with the waiting after its sleeps)`
    : percent(share);
  if (thread.estimate.samples < FEW_SAMPLES && thread.totals !== undefined) {
    return [`With ${plural(thread.estimate.samples, 'sample')} nothing more can be said.`];
  }
  if (share < PACER_MATTERS) {
    const seen = share === 0 ? 'No pacer was seen' : `Its pacer ${verb} only ${percent(share)}`;
    const idle = thread.buckets.find((bucket) => bucket.bucket === 'idle')?.share ?? 0;
    if (idle >= PACER_MATTERS) {
      return [
        `${seen}, but it rests ${percent(idle)} of the time elsewhere. If that is what paces it, teach the rules (--rules FILE).`,
        UNKNOWN_FACTOR,
      ];
    }
    return [`${seen}: the loop runs as fast as it can, unpaced or too slow for its pace.`, UNKNOWN_FACTOR];
  }
  if (!lineKnown && !spins) {
    return [
      `Its pacer takes ${percent(share)}; whether it sleeps or works there is not known.`,
      UNKNOWN_FACTOR,
      BELOW_TARGET,
    ];
  }
  // What a pacer would tell of it was measured.
  if (isBehind) return [`Its pacer ${verb} ${much}.`];
  const render = thread.buckets.find((bucket) => bucket.bucket === 'render')?.share ?? 0;
  if (render >= LONG_CALLS_MATTER) {
    return [
      `Its pacer ${verb} ${much}, which is no proof that it keeps up: a step that holds a long render comes late, and lets most pacers start afresh.`,
      UNKNOWN_FACTOR,
    ];
  }
  if (waitsMatter(thread)) {
    return [
      `Its pacer ${verb} ${much}, which is no proof that it keeps up: waiting makes steps late, and a late step lets most pacers start afresh.`,
      UNKNOWN_FACTOR,
    ];
  }
  if (share < PACER_COMFORTABLE) {
    return [
      `Its pacer ${verb} ${percent(share)}: it keeps up on average, with little to spare, and may fall behind for moments.`,
      UNKNOWN_FACTOR,
    ];
  }
  return [
    `Its pacer ${verb} ${percent(share)}: it keeps up with the pace it was given, unless single steps are much longer than the others.`,
    'While the pacer keeps up, a faster bucket raises no real-time factor.',
    UNKNOWN_FACTOR,
    BELOW_TARGET,
  ];
}

/** Of a start-up: how long it was seen, and how much of it was work. A pacer there only belongs to the first steps. */
function loadSentences(answer: Breakdown, thread: ThreadAnswer): string[] {
  if (answer.findings.some(({ id }) => id === 'load-over'))
    return [
      `Nothing of the start-up${nameOf(thread)} was sampled; what was, is of the loop, and no row here.`,
    ];
  const { wallS } = answer.window;
  const seen = wallS === undefined ? '' : ` in the ${wallS.toFixed(1)} s that were sampled`;
  const load = thread.buckets.find(({ bucket }) => bucket === 'load');
  const known =
    load === undefined
      ? 'Nothing in it is known to be loading.'
      : `${percent(load.share)} is known to be loading.`;
  return [
    `Start-up${nameOf(thread)}, up to the first step: busy ${percent(busyShare(thread))}${seen}. ${known}`,
    ...waitSentence(thread, answer),
  ];
}

/** The Python thread beside the physics thread that is on a CPU most: likeliest to hold the GIL. */
function busiestOther(answer: Breakdown): string {
  const [busiest] = answer.threads
    .slice(1)
    .filter((thread) => thread.index >= 0 && (thread.totals?.onCpu ?? 0) > 0)
    .sort((a, b) => (b.totals?.onCpu ?? 0) - (a.totals?.onCpu ?? 0));
  if (busiest?.totals === undefined) return 'other Python threads';
  return `other Python threads (${threadLabel(busiest.thread)} is on a CPU ${percent(busiest.totals.onCpu)} of the time)`;
}

/** From here on one holder is as good as the only one. */
const NEARLY_ALL = 0.95;

/** Who held the GIL, where that was seen. */
function heldText({ heldBy }: ThreadAnswer): string | undefined {
  if (heldBy === undefined) return undefined;
  const { thread, frame, part } = heldBy;
  const where = frame === undefined ? '' : ` in ${functionLabel(frame)}`;
  const much = part >= NEARLY_ALL ? '' : ` ${percent(part)} of that time`;
  return `held${much} by ${threadLabel(thread)}${where} (profiler waits)`;
}

function waitSentence(thread: ThreadAnswer, answer: Breakdown): string[] {
  const { gil, cpu } = waitsOf(thread);
  const waits = [
    ...(gil >= 0.03
      ? [`${percent(gil)} for the GIL, ${heldText(thread) ?? `held by ${busiestOther(answer)}`}`]
      : []),
    ...(cpu >= 0.03 ? [`${percent(cpu)} for a CPU, taken by other work on this machine`] : []),
  ];
  return waits.length === 0 ? [] : [`It waits ${waits.join(', and ')}.`];
}

/** What to do about waiting, where it matters; without it a faster bucket helps little. */
export function waitRemedies(thread: ThreadAnswer): string[] {
  const { gil, cpu } = waitsOf(thread);
  return [
    ...(cpu >= WAITS_MATTER
      ? [
          'waiting for a CPU: end or move what else keeps the CPUs busy, or give the simulation CPUs of its own.',
        ]
      : []),
    ...(gil >= WAITS_MATTER
      ? [
          `waiting for the GIL: move the work of the other busy Python threads into another process (profiler ${thread.estimate.states === undefined ? 'threads' : 'waits'}).`,
        ]
      : []),
  ];
}

/**
 * The answer in a few sentences, as paragraphs: how busy the physics thread is, what its pacer says, and the real-time factor where that was
 * measured. It is never guessed from shares.
 */
export function headline(answer: Breakdown): string[] {
  const physics = answer.physicsKnown ? answer.threads[0] : undefined;
  if (answer.run?.phase === 'load' && physics !== undefined) return loadSentences(answer, physics);
  if (physics === undefined) {
    return [
      'No thread was seen entering a simulation step that the rules know, so no thread is called the physics thread.',
      'Name it with --thread, or teach the rules with --rules FILE.',
    ];
  }
  const basis = physics.totals === undefined ? ' of its samples' : ' of the time';
  const lineKnown = !answer.findings.some((finding) => finding.id === 'source-unknown');
  const isBehind = answer.realTime !== undefined && fallsBehind(answer.realTime);
  const [first = '', ...rest] = pacerSentences(physics, lineKnown, isBehind);
  const known = answer.realTime === undefined ? [] : realTimeSentences(answer.realTime, physics);
  const more = answer.realTime === undefined ? rest : rest.filter((sentence) => !GUESSES.has(sentence));
  return [
    `The physics thread${nameOf(physics)} is busy ${percent(busyShare(physics))}${basis}. ${first}`,
    known.filter((sentence) => sentence !== '').join(' '),
    [...waitSentence(physics, answer), ...more].join(' '),
  ].filter((paragraph) => paragraph !== '');
}

function nameOf({ thread }: ThreadAnswer): string {
  const known = thread.name !== undefined || thread.tid !== undefined;
  return known ? ` (${threadLabel(thread)})` : '';
}
