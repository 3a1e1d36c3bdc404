import type { Breakdown, ThreadAnswer } from './answer.js';
import { threadLabel } from './names.js';
import { percent } from './share-text.js';

/** Below this share of its time a pacer does not hold the loop back in any way that matters. */
const PACER_MATTERS = 0.02;
/** Below this a paced loop has little left to give. */
const PACER_COMFORTABLE = 0.1;

const NOT_WORK = new Set(['pacer', 'idle', 'gil-wait', 'cpu-wait', 'lock-wait', 'io-wait']);

/** Share of its time that a thread works: charged by the kernel, or what the samples say. */
export function busyShare(thread: ThreadAnswer): number {
  if (thread.totals !== undefined) return thread.totals.onCpu;
  return thread.buckets.reduce((sum, bucket) => (NOT_WORK.has(bucket.bucket) ? sum : sum + bucket.share), 0);
}

function pacerSentences(thread: ThreadAnswer): string[] {
  const pacer = thread.buckets.find((bucket) => bucket.bucket === 'pacer');
  const share = pacer?.share ?? 0;
  const spins = pacer?.parts.some((part) => part.kind === 'spin' && part.share > share / 2) === true;
  const verb = spins ? 'spins' : 'sleeps';
  const unknown = 'The real-time factor cannot be told from a profile.';
  if (share < PACER_MATTERS) {
    const seen = share === 0 ? 'No pacer was seen' : `Its pacer ${verb} only ${percent(share)}`;
    const idle = thread.buckets.find((bucket) => bucket.bucket === 'idle')?.share ?? 0;
    if (idle >= PACER_MATTERS) {
      return [
        `${seen}, but it rests ${percent(idle)} of the time elsewhere.`,
        `If that is what paces it, teach the rules (--rules FILE). ${unknown}`,
      ];
    }
    return [`${seen}: the loop runs as fast as it can, unpaced or too slow for its pace.`, unknown];
  }
  if (share < PACER_COMFORTABLE) {
    return [
      `Its pacer ${verb} ${percent(share)}: it keeps up on average, with little to spare, and may fall behind for moments.`,
      unknown,
    ];
  }
  return [
    `Its pacer ${verb} ${percent(share)}: it keeps up with the pace it was given.`,
    'While the pacer keeps up, a faster bucket raises no real-time factor.',
    `${unknown} If you measured one below its target here, the fault is the pacer (overshoot, drift), not the physics.`,
  ];
}

function waitSentence(thread: ThreadAnswer): string[] {
  const gil = thread.totals?.gilWait ?? thread.buckets.find((one) => one.bucket === 'gil-wait')?.share ?? 0;
  const cpu = thread.totals?.cpuWait ?? thread.buckets.find((one) => one.bucket === 'cpu-wait')?.share ?? 0;
  const waits = [
    ...(gil >= 0.03 ? [`${percent(gil)} for the GIL, held by other Python threads`] : []),
    ...(cpu >= 0.03 ? [`${percent(cpu)} for a CPU, taken by other work on this machine`] : []),
  ];
  return waits.length === 0 ? [] : [`It waits ${waits.join(', and ')}.`];
}

/**
 * The answer in a few sentences, as paragraphs: how busy the physics thread is and what its pacer says. Never a
 * real-time factor.
 */
export function headline(answer: Breakdown): string[] {
  const physics = answer.physicsKnown ? answer.threads[0] : undefined;
  if (physics === undefined) {
    return [
      'No thread was seen entering a simulation step that the rules know, so no thread is called the physics thread.',
      'Name it with --thread, or teach the rules with --rules FILE.',
    ];
  }
  const basis = physics.totals === undefined ? ' of its samples' : ' of the time';
  const [first = '', ...rest] = pacerSentences(physics);
  return [
    `The physics thread${nameOf(physics)} is busy ${percent(busyShare(physics))}${basis}. ${first}`,
    [...waitSentence(physics), ...rest].join(' '),
  ];
}

function nameOf({ thread }: ThreadAnswer): string {
  const known = thread.name !== undefined || thread.tid !== undefined;
  return known ? ` (${threadLabel(thread)})` : '';
}
